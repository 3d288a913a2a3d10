"""The independent check of a record: commitments, witnesses, and the replies of evil and devil."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evilpegs_clients.verification.independent.definitions import marks_of
from evilpegs_clients.verification.independent.record import Game, RecordError, commitment, read_games
from evilpegs_clients.verification.independent.replies import PLAIN_LIMIT, DevilRule, check_replies
from evilpegs_clients.verification.independent.solver import CELLS, WORK
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation

MAX_CODES: Final = 10**9  # the most codes of rules that are enumerated


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """One checked game; without ``remarks``, all was checked and holds. ``outcome`` is None if it is not over."""

    game: int
    outcome: str | None
    guesses: int
    witness: str | None
    remarks: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordReport:
    """The checked games of a record; none if it cannot be read, and ``unreadable`` says why."""

    games: tuple[CheckedGame, ...]
    unreadable: str | None = None

    @property
    def remarks(self) -> tuple[Violation, ...]:
        whole = () if self.unreadable is None else (Violation(self.unreadable),)
        return (*whole, *(remark for game in self.games for remark in game.remarks))


def check_record(
    events: Sequence[Mapping[str, Any]],
    max_codes: int = MAX_CODES,
    work: int = WORK,
    game_done: Callable[[CheckedGame], object] = bool,
    *,
    cells: int = CELLS,
    plain_limit: int = PLAIN_LIMIT,
) -> RecordReport:
    """Check every game of a record; no content of it raises an exception."""
    try:
        games = read_games(events)
    except RecordError as error:
        return RecordReport((), str(error))
    devil = DevilRule(games[0].match, work, cells) if games and games[0].match.codemaker == "devil" else None
    checked = []
    for game in games:
        remarks = tuple(_remarks(game, devil, max_codes, plain_limit))
        checked.append(CheckedGame(game.game, game.outcome, len(game.turns), game.witness, remarks))
        game_done(checked[-1])
    return RecordReport(tuple(checked))


def _remarks(game: Game, devil: DevilRule | None, max_codes: int, plain_limit: int) -> Iterator[Violation]:
    if game.outcome is None:
        yield NotChecked("the game is not over", game.game, subject=Subject.OUTCOME)
        return
    yield from _check_commitment(game)
    yield from _check_witness(game)
    if game.turns and game.match.codemaker != "fixed":
        yield from check_replies(game, devil, max_codes, plain_limit)


def _check_commitment(game: Game) -> Iterator[Violation]:
    if game.commitment is None:
        return  # the game was given up before it began
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
    for turn, (guess, marks) in enumerate(game.turns, 1):
        expected = marks_of(guess, witness)
        if expected != marks:
            text = game.match.space.write(guess)
            what = f"{text} got {marks}, but {game.witness}, shown at the end, gives {expected}"
            yield Violation(what, game.game, turn, Subject.WITNESS)
