"""Whether the replies of a record follow the codemaker's rule, found out without the codemaker.

For each game: does the nonce fit the commitment, and the witness every feedback? Against evil and devil: which codes
were left at each turn, how many would have got each feedback, and was the reply the one that the rule demands?
What could not be found out is reported as not checked.

What the independent check found, and what it could not check.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evilpegs_clients.verification.independent.definitions import feedback
from evilpegs_clients.verification.independent.record import Game, RecordError, commitment, read_games
from evilpegs_clients.verification.independent.replies import ONE_BY_ONE, DevilRule, check_replies
from evilpegs_clients.verification.independent.solver import CELLS, WORK
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """One game, with all that is to be said about it; nothing: all is well."""

    game: int
    outcome: str | None
    guesses: int
    witness: str | None
    said: tuple[Violation, ...] = ()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold."""
        return tuple(violation for violation in self.said if not isinstance(violation, NotChecked))

    @property
    def not_checked(self) -> tuple[NotChecked, ...]:
        """What could not be checked, which says neither that it holds nor that it does not."""
        return tuple(violation for violation in self.said if isinstance(violation, NotChecked))


@dataclass(frozen=True, slots=True)
class Report:
    """All games of a record; ``unreadable`` says why there are none where the record cannot be read."""

    games: tuple[CheckedGame, ...]
    unreadable: str | None = None

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Everything that does not hold."""
        whole = () if self.unreadable is None else (Violation(self.unreadable),)
        return (*whole, *(violation for game in self.games for violation in game.violations))

    @property
    def not_checked(self) -> tuple[NotChecked, ...]:
        """Everything that could not be checked."""
        return tuple(violation for game in self.games for violation in game.not_checked)


MAX_CODES: Final = 10**9
"""The most codes that are gone through."""


def check_record(
    events: Sequence[Mapping[str, Any]],
    max_codes: int = MAX_CODES,
    work: int = WORK,
    game_done: Callable[[CheckedGame], object] = bool,
    *,
    cells: int = CELLS,
    one_by_one: int = ONE_BY_ONE,
) -> Report:
    """Check every game of a record, given its events as JSON objects. Never raises for what is in the record.

    Rules with more than ``max_codes`` codes are not enumerated; ``work`` bounds the feedbacks looked at to solve a
    devil's turn, and ``cells`` the table of feedbacks made for it. Up to ``one_by_one`` codes are counted by the
    definition itself. ``game_done`` is told of each game as it is checked.
    """
    try:
        games = read_games(events)
    except RecordError as error:
        return Report((), str(error))
    devil = DevilRule(games[0].match, work, cells) if games and games[0].match.codemaker == "devil" else None
    checked = []
    for game in games:
        said = tuple(_said(game, devil, max_codes, one_by_one))
        checked.append(CheckedGame(game.game, game.outcome, len(game.turns), game.witness, said))
        game_done(checked[-1])
    return Report(tuple(checked))


def _said(game: Game, devil: DevilRule | None, max_codes: int, one_by_one: int) -> Iterator[Violation]:
    if game.outcome is None:
        yield NotChecked("the game is not over", game.game, subject=Subject.OUTCOME)
        return
    yield from _check_commitment(game)
    yield from _check_witness(game)
    if game.turns and game.match.codemaker != "fixed":
        yield from check_replies(game, devil, max_codes, one_by_one)


def _check_commitment(game: Game) -> Iterator[Violation]:
    if game.commitment is None:
        return  # a game that was given up with those before it
    if game.nonce is None:
        what = "the nonce is not opened, so the commitment says nothing"
        yield NotChecked(what, game.game, subject=Subject.NONCE)
    elif game.commitment != commitment(game.match.id, game.game, game.match.rules, game.nonce):
        what = "the nonce is not the one of the commitment"
        yield Violation(what, game.game, subject=Subject.COMMITMENT)


def _check_witness(game: Game) -> Iterator[Violation]:
    if game.witness is None:
        if game.turns:
            what = "no code is shown that fits the feedback"
            yield NotChecked(what, game.game, subject=Subject.WITNESS)
        return
    try:
        witness = game.match.space.read(game.witness)
    except ValueError as error:
        yield Violation(f"the code shown at the end: {error}", game.game, subject=Subject.WITNESS)
        return
    for turn, (guess, given) in enumerate(game.turns, 1):
        due = feedback(guess, witness)
        if due != given:
            text = game.match.space.write(guess)
            what = f"{text} got {given}, but {game.witness}, shown at the end, gives {due}"
            yield Violation(what, game.game, turn, Subject.WITNESS)
