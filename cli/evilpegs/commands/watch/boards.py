"""The boards of watched matches, each of which shows the current game of a match and the results of earlier games."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted, RecordEvent

MAX_BOARDS: Final = 12
SILENT_MS: Final = 60_000
"""The time without events after which a board may be removed."""


@dataclass(slots=True)
class MatchBoard:
    """A match as watchers see it: the turns of its current game, and the games that are over."""

    started: MatchStarted
    game: int = 1
    turns: list[FeedbackGiven] = field(default_factory=list)
    games_over: list[GameOver] = field(default_factory=list)
    over: MatchOver | None = None
    seq: int = 0
    at: int = 0

    def add(self, event: RecordEvent) -> None:
        """Add an event of the match; one that is not newer than the last is ignored."""
        if event.seq <= self.seq:
            return
        self.seq, self.at = event.seq, event.at
        match event:
            case GameStarted():
                self.game = event.game
                self.turns.clear()
            case FeedbackGiven():
                if event.game != self.game:
                    self.game = event.game
                    self.turns.clear()
                self.turns.append(event)
            case GameOver():
                self.games_over.append(event)
            case MatchOver():
                self.over = event
            case _:
                pass

    @property
    def last_game(self) -> GameOver | None:
        """The end of the game whose turns are shown; None while that game is played."""
        return self.games_over[-1] if self.games_over and self.games_over[-1].game == self.game else None


class Boards:
    """The boards of at most `MAX_BOARDS` matches.

    If all are taken, a new match takes the board of one that is over or silent, or else is only counted. So boards of
    matches under way stay, however many matches start.
    """

    def __init__(self) -> None:
        self._boards: OrderedDict[str, MatchBoard] = OrderedDict()
        self._under_way: set[str] = set()

    def add(self, event: RecordEvent) -> None:
        """Add an event; the first of a match may create a board and remove another."""
        if isinstance(event, MatchOver):
            self._under_way.discard(event.match)
        else:
            self._under_way.add(event.match)
        if isinstance(event, MatchStarted) and event.match not in self._boards and self._free_place(event.at):
            self._boards[event.match] = MatchBoard(event)
        if event.match in self._boards:
            self._boards[event.match].add(event)
            self._boards.move_to_end(event.match)

    def __len__(self) -> int:
        return len(self._boards)

    def shown(self, room: int) -> list[MatchBoard]:
        """Return at most ``room`` boards in the order of their matches, chosen under way first, then newest first."""
        newest_first = sorted(self._boards.values(), key=lambda board: board.started.match, reverse=True)
        chosen = sorted(newest_first, key=lambda board: board.over is not None)[:room]
        return sorted(chosen, key=lambda board: board.started.match)

    @property
    def under_way(self) -> int:
        """The number of matches, with or without a board, that have had events but are not over."""
        return len(self._under_way)

    def _free_place(self, at: int) -> bool:
        if len(self._boards) < MAX_BOARDS:
            return True
        over = next((match for match, board in self._boards.items() if board.over is not None), None)
        silent = next((match for match, board in self._boards.items() if at - board.at > SILENT_MS), None)
        removed = over or silent
        if removed is not None:
            del self._boards[removed]
        return removed is not None
