"""Whether the replies of a record follow the codemaker's rule, found out without the codemaker.

For each game: does the nonce fit the commitment, and the witness every feedback? Against evil and devil: which codes
were left at each turn, how many would have got each feedback, and was the reply the one that the rule demands?
What could not be found out is reported as not checked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from evilpegs_clients.finding import Finding, NotChecked
from evilpegs_clients.independent.codes import feedback
from evilpegs_clients.independent.devil_rule import DevilRule
from evilpegs_clients.independent.nonces import commitment
from evilpegs_clients.independent.record import Game, RecordError, read_games
from evilpegs_clients.independent.replies import check_replies
from evilpegs_clients.independent.report import CheckedGame, Report
from evilpegs_clients.independent.solver import WORK

MAX_CODES: Final = 10**9
"""The most codes that are gone through."""


def check_record(
    events: Sequence[Mapping[str, Any]],
    max_codes: int = MAX_CODES,
    work: int = WORK,
    game_done: Callable[[CheckedGame], object] = bool,
) -> Report:
    """Check every game of a record, given its events as JSON objects. Never raises for what is in the record.

    Rules with more than ``max_codes`` codes are not enumerated; ``work`` bounds the feedbacks looked at to solve a
    devil's turn. ``game_done`` is told of each game as it is checked.
    """
    try:
        games = read_games(events)
    except RecordError as error:
        return Report((), str(error))
    devil = DevilRule(games[0].match, work) if games and games[0].match.codemaker == "devil" else None
    checked = []
    for game in games:
        said = tuple(_said(game, devil, max_codes))
        checked.append(CheckedGame(game.game, game.outcome, len(game.turns), game.witness, said))
        game_done(checked[-1])
    return Report(tuple(checked))


def _said(game: Game, devil: DevilRule | None, max_codes: int) -> Iterator[Finding]:
    if game.outcome is None:
        yield NotChecked("the game is not over", game.game)
        return
    yield from _check_commitment(game)
    yield from _check_witness(game)
    if game.turns and game.match.codemaker != "fixed":
        yield from check_replies(game, devil, max_codes)


def _check_commitment(game: Game) -> Iterator[Finding]:
    if game.commitment is None:
        return  # a game that was given up with those before it
    if game.nonce is None:
        yield NotChecked("the nonce is not opened, so the commitment says nothing", game.game)
    elif game.commitment != commitment(game.match.id, game.game, game.match.rules, game.nonce):
        yield Finding("the nonce is not the one of the commitment", game.game)


def _check_witness(game: Game) -> Iterator[Finding]:
    if game.witness is None:
        if game.turns:
            yield NotChecked("no code is shown that fits the feedback", game.game)
        return
    try:
        witness = game.match.space.read(game.witness)
    except ValueError as error:
        yield Finding(f"the code shown at the end: {error}", game.game)
        return
    for turn, (guess, given) in enumerate(game.turns, 1):
        due = feedback(guess, witness)
        if due != given:
            text = game.match.space.write(guess)
            yield Finding(f"{text} got {given}, but {game.witness}, shown at the end, gives {due}", game.game, turn)
