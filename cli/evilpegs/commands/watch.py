"""`evilpegs watch`: matches as they are played; in a terminal, each is a board that shows its current game."""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import aclosing
from functools import partial
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from evilpegs.errors import CommandError
from evilpegs.kit.match_events import print_watched
from evilpegs.options import DEFAULT_SERVER, LADDER_ID, MATCH_ID, SERVER, JsonLines
from evilpegs.output import can_redraw, console, pluralize
from evilpegs.reading import LiveScreen, explain_refusals, retry_policy
from evilpegs.signals import run_interruptibly
from evilpegs_clients.feed.watch_feed import Watched, watch_matches
from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.pegs import feedback_marks, peg_text
from evilpegs_game.errors import quoted
from evilpegs_protocol.record import Record, RecordedGame
from evilpegs_protocol.server_messages import MatchOver, MatchStarted, RecordEvent

MAX_BOARDS: Final = 12
SILENT_MS: Final = 60_000  # without events; then a board may be removed
REDRAW_SECONDS: Final = 0.1
MAX_TURNS: Final = 8
BOARD_LINES: Final = MAX_TURNS + 5  # the turns, the frame, the client, the results and the end of a game
LEAST_WIDTH: Final = 36
# texts that are meant as the id of a match, because no ladder has an id of hex digits alone
_LIKE_MATCH: Final = re.compile(r"(?=.*[0-9])[0-9a-f]+")


def watch(
    watched: Annotated[str | None, LADDER_ID, Parameter(name="LADDER|MATCH")] = None,
    /,
    *,
    server: Annotated[
        str, SERVER, Parameter(help="The server's address, ws://HOST:PORT/v1; of several, the first that answers.")
    ] = DEFAULT_SERVER,
    ladder: Annotated[str | None, LADDER_ID] = None,
    as_json: JsonLines = False,
) -> None:
    """Watch matches as they are played, until Ctrl-C; a single match until it is over.

    In a terminal each match is a board that changes as it is played. Elsewhere each guess is printed as a line. A lost
    connection is restored.

    Args:
        watched: The id of a ladder or of a match; by default matches on every ladder are shown.
        ladder: The id of a ladder, as other commands take it.
    """
    if None not in (watched, ladder):
        raise CommandError(f"name one: {printable(str(watched))[:40]} or --ladder")
    target = _find_target(watched) if ladder is None else Watched(ladder=ladder, pasts=MAX_BOARDS)
    out = console()
    if can_redraw(out) and not as_json:
        run_interruptibly(_show_watched(server, target, out))
    else:
        run_interruptibly(print_watched(server, target, as_json))


def _find_target(text: str | None) -> Watched:
    if text is not None and MATCH_ID.fullmatch(text.lower()):
        return Watched(match=text.lower())
    if text is not None and _LIKE_MATCH.fullmatch(text.lower()):
        raise CommandError(f"not the id of a match: {quoted(text)}; write its 16 hex digits, or the id of a ladder")
    return Watched(ladder=text, pasts=MAX_BOARDS)


class MatchBoard(Record):
    """A match as watchers see it; ``seq`` and ``at`` are those of the latest event."""

    def __init__(self, started: MatchStarted) -> None:
        super().__init__(started)
        self.seq = self.at = 0

    def add(self, event: RecordEvent) -> None:
        if event.seq > self.seq:
            self.seq, self.at = event.seq, event.at
            super().add(event)

    @property
    def game(self) -> RecordedGame:
        """The latest game that was not given up before it started."""
        begun = [game for game in self.games.values() if game.started or game.turns]
        return begun[-1] if begun else RecordedGame(1)


class Boards:
    """The boards of at most `MAX_BOARDS` matches; those of matches under way stay, however many start."""

    def __init__(self) -> None:
        self._boards: OrderedDict[str, MatchBoard] = OrderedDict()
        self.under_way: set[str] = set()  # matches that have begun and are not over, with or without a board

    def add(self, event: RecordEvent) -> None:
        if isinstance(event, MatchOver):
            self.under_way.discard(event.match)
        else:
            self.under_way.add(event.match)
        if isinstance(event, MatchStarted) and event.match not in self._boards and self._free_place(event.at):
            self._boards[event.match] = MatchBoard(event)
        if event.match in self._boards:
            self._boards[event.match].add(event)
            self._boards.move_to_end(event.match)

    def shown(self, room: int) -> list[MatchBoard]:
        """Return at most ``room`` boards in the order of their matches, chosen under way first, then newest first."""
        newest_first = sorted(self._boards.values(), key=lambda board: board.started.match, reverse=True)
        chosen = sorted(newest_first, key=lambda board: board.over is not None)[:room]
        return sorted(chosen, key=lambda board: board.started.match)

    def _free_place(self, at: int) -> bool:
        if len(self._boards) < MAX_BOARDS:
            return True
        over = next((match for match, board in self._boards.items() if board.over is not None), None)
        silent = next((match for match, board in self._boards.items() if at - board.at > SILENT_MS), None)
        removed = over or silent
        if removed is not None:
            del self._boards[removed]
        return removed is not None


async def _show_watched(server: str, watched: Watched, out: Console) -> None:
    boards, changed = Boards(), asyncio.Event()
    screen = LiveScreen(out, partial(boards_view, out, boards, f"waiting for matches at {server}"))
    with screen.live:
        drawing = asyncio.create_task(_draw_changes(screen, changed))
        try:
            with explain_refusals(server, watched.match):
                async with aclosing(watch_matches(server, watched, retry_policy(), screen.say)) as events:
                    async for event in events:
                        boards.add(event)
                        changed.set()
        finally:
            drawing.cancel()
            screen.draw()


async def _draw_changes(screen: LiveScreen, changed: asyncio.Event) -> None:
    while True:
        await changed.wait()
        changed.clear()
        screen.draw()
        await asyncio.sleep(REDRAW_SECONDS)


def boards_view(out: Console, boards: Boards, waiting: str) -> RenderableType:
    """Return as many boards as fit on ``out`` and the number of other matches, or the text ``waiting``."""
    everything = boards.shown(MAX_BOARDS)
    if not everything:
        return Text(printable(waiting), "dim")
    width = min(out.width, max(map(_board_width, everything)))
    columns = max(1, out.width // width)
    shown = boards.shown(columns * max(1, (out.height - 2) // BOARD_LINES))
    grid = Table.grid()
    for start in range(0, len(shown), columns):
        grid.add_row(*(_panel(board, width) for board in shown[start : start + columns]))
    others = len(boards.under_way) - sum(board.over is None for board in shown)
    more = [_line(f"and {pluralize(others, 'more match', 'more matches')} under way", "dim")] if others > 0 else []
    return Group(grid, *more)


def _board_width(board: MatchBoard) -> int:
    # the number of a turn, three characters per peg, a mark per peg, and the frame
    return max(LEAST_WIDTH, 4 + 3 * board.started.pegs + 2 + board.started.pegs + 6)


def _panel(board: MatchBoard, width: int) -> Panel:
    started = board.started
    title = Text(printable(f"{started.player} on {started.ladder}"), "bold")
    return Panel(Group(*_lines(board)), title=title, title_align="left", width=width, height=BOARD_LINES)


def _lines(board: MatchBoard) -> Iterator[Text]:
    started, game = board.started, board.game
    yield _line(f"game {game.game} of {started.games}, {board.client}", "dim")
    results = " ".join(str(over.guesses) if over.outcome == "solved" else "-" for over in board.games_over)
    yield _line(f"guesses: {results}" if results else "", "dim")
    for turn in game.turns[-MAX_TURNS:]:
        marks = feedback_marks(turn.black, turn.white, started.pegs)
        line = Text.assemble(f"{turn.turn:>3} ", peg_text(turn.code), "  ", marks)
        line.no_wrap = True
        yield line
    if board.over is not None:
        solved = board.over.outcomes.count("solved")
        yield _line(f"over: {solved} of {pluralize(len(board.over.outcomes), 'game')} solved", "bold")
    elif game.over is not None:
        yield _line(f"{game.outcome} after {pluralize(game.guesses, 'guess', 'guesses')}", "bold")


def _line(text: str, style: str) -> Text:
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")
