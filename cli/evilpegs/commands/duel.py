"""`evilpegs duel`: a strategy against one codemaker, turn by turn."""

from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evilpegs.errors import CommandError, naming
from evilpegs.options import CandidatesOnly, First, Json, RulesText, StrategyName
from evilpegs.output import console, only_document, print_json

if TYPE_CHECKING:
    from evilpegs_game.codemaker import Codemaker
    from evilpegs_game.evaluation import DuelTurn
    from evilpegs_game.rules import Rules


def duel(
    strategy: StrategyName,
    /,
    *,
    codemaker: Annotated[
        Literal["evil", "fixed"], Parameter(help="evil never commits to a secret; fixed has one, see --secret.")
    ] = "evil",
    rules: RulesText = "classic",
    first: First = None,
    secret: Annotated[str | None, Parameter(help="The secret of a fixed codemaker.")] = None,
    seed: Annotated[
        int | None, Parameter(help="Draws the secret of a fixed codemaker, and what a strategy leaves to chance.")
    ] = None,
    candidates_only: CandidatesOnly = False,
    as_json: Json = False,
) -> None:
    """Play a strategy against one codemaker to the end, without a server, and show every turn.

    The evil codemaker gives the reply that leaves most codes; of several the one with fewest blacks, then
    fewest whites.
    """
    from evilpegs_clients.strategies.loading import load_strategy
    from evilpegs_clients.strategies.strategy import player
    from evilpegs_game.codes import parse_code
    from evilpegs_game.evaluation import duel as duelled
    from evilpegs_game.rules import Rules

    parsed = Rules.parse(rules)
    opponent = _evil(secret) if codemaker == "evil" else _fixed(parsed, secret, seed)
    opening = None if first is None else parse_code(first, parsed)
    with only_document(as_json), naming(strategy):
        chosen = load_strategy(strategy, candidates_only)
        turns = duelled(player(chosen, seed or 0), opponent, parsed, opening)
    if as_json:
        print_json(_document(parsed, chosen.name, codemaker, turns))
    else:
        _show(parsed, chosen.name, codemaker, turns)


def _evil(secret: str | None) -> "Codemaker":
    from evilpegs_game.codemaker import Evil

    if secret is not None:
        message = "an evil codemaker has no secret; leave --secret out, or say --codemaker fixed"
        raise CommandError(message)
    return Evil()


def _fixed(rules: "Rules", secret: str | None, seed: int | None) -> "Codemaker":
    from evilpegs_game.codemaker import Fixed
    from evilpegs_game.codes import code_at, parse_code

    if secret is not None:
        return Fixed(parse_code(secret, rules))
    if seed is None:
        message = "a fixed codemaker needs a secret; say --secret CODE, or --seed N to draw one"
        raise CommandError(message)
    return Fixed(code_at(Random(seed).randrange(rules.size), rules))  # noqa: S311 - a game against oneself


def _document(rules: "Rules", strategy: str, codemaker: str, turns: tuple["DuelTurn", ...]) -> dict[str, Any]:
    from evilpegs_game.codes import format_code

    return {
        "rules": str(rules),
        "strategy": strategy,
        "codemaker": codemaker,
        "guesses": len(turns),
        "turns": [
            {"code": format_code(guess), "black": given.black, "white": given.white, "candidates": candidates}
            for guess, given, candidates in turns
        ],
    }


def _show(rules: "Rules", strategy: str, codemaker: str, turns: tuple["DuelTurn", ...]) -> None:
    from evilpegs.turns import TurnRow, turn_table
    from evilpegs.wording import counted
    from evilpegs_game.codes import format_code

    out = console()
    out.print(f"{strategy} against {codemaker} on {rules}: {counted(len(turns), 'guess', 'guesses')}")
    out.print(turn_table(TurnRow(format_code(guess), given, left) for guess, given, left in turns))
