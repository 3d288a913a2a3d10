"""`evilpegs duel`: a strategy against one codemaker, turn by turn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evilpegs.options import FILE, WHOLE, CandidatesOnly, First, Json, RulesText, StrategyName
from evilpegs.output import console, only_document, print_json

if TYPE_CHECKING:
    from evilpegs_game.codemaker import Codemaker, Method
    from evilpegs_game.evaluation import DuelTurn
    from evilpegs_game.rules import Rules


def duel(
    strategy: StrategyName,
    /,
    *,
    codemaker: Annotated[
        Literal["evil", "devil", "fixed"],
        Parameter(help="evil and devil never commit to a secret; fixed has one, see --secret."),
    ] = "evil",
    rules: RulesText = "classic",
    first: First = None,
    secret: Annotated[str | None, Parameter(help="The secret of a fixed codemaker.")] = None,
    seed: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Draws the secret of a fixed codemaker, and what a strategy leaves to chance."),
    ] = None,
    exact_up_to: Annotated[
        int | None,
        WHOLE,
        Parameter(help="The most candidates that a devil solves; by default what takes a second or so a reply."),
    ] = None,
    solved: Annotated[
        Path | None, FILE, Parameter(help="A file to keep what a devil has solved; saves time and changes no reply.")
    ] = None,
    candidates_only: CandidatesOnly = False,
    as_json: Json = False,
) -> None:
    """Play a strategy against one codemaker to the end, without a server, and show every turn.

    The evil codemaker gives the reply that leaves most codes; of several the one with fewest blacks, then
    fewest whites. The devil gives the reply after which an optimal codebreaker needs most guesses at worst; of
    several the one that leaves most codes, and so on like evil. With too many candidates it replies like evil.
    """
    from evilpegs.opponents import opponent
    from evilpegs_clients.strategies.loading import load_strategy
    from evilpegs_clients.strategies.strategy import player, with_strategy_name
    from evilpegs_game.codes import parse_code
    from evilpegs_game.evaluation import duel as duelled
    from evilpegs_game.rules import Rules

    parsed = Rules.parse(rules)
    opening = None if first is None else parse_code(first, parsed)
    playing = opponent(codemaker, parsed, secret, seed, exact_up_to, solved)
    with playing as other, only_document(as_json), with_strategy_name(strategy):
        chosen = load_strategy(strategy, candidates_only)
        turns = duelled(player(chosen, seed or 0), other, parsed, opening)
    methods = _methods(parsed, other, turns)
    if as_json:
        print_json(_document(parsed, chosen.name, codemaker, turns, methods))
    else:
        _show(parsed, chosen.name, codemaker, turns, methods)


def _methods(rules: "Rules", codemaker: "Codemaker", turns: tuple["DuelTurn", ...]) -> list["Method"]:
    """How a devil found each reply; nothing of others."""
    from evilpegs_game.codemaker import Devil

    if not isinstance(codemaker, Devil):
        return []
    before = [rules.size, *(turn.candidates for turn in turns[:-1])]
    return [codemaker.method(candidates) for candidates in before]


def _document(
    rules: "Rules", strategy: str, codemaker: str, turns: tuple["DuelTurn", ...], methods: list["Method"]
) -> dict[str, Any]:
    from evilpegs_game.codes import format_code

    document: list[dict[str, Any]] = [
        {"code": format_code(guess), "black": given.black, "white": given.white, "candidates": candidates}
        for guess, given, candidates in turns
    ]
    for turn, method in zip(document, methods, strict=False):
        turn["method"] = method
    return {
        "rules": str(rules),
        "strategy": strategy,
        "codemaker": codemaker,
        "guesses": len(turns),
        "turns": document,
    }


def _show(
    rules: "Rules", strategy: str, codemaker: str, turns: tuple["DuelTurn", ...], methods: list["Method"]
) -> None:
    from evilpegs.turns import TurnRow, turn_table
    from evilpegs.wording import counted
    from evilpegs_game.codes import format_code

    out = console()
    out.print(f"{strategy} against {codemaker} on {rules}: {counted(len(turns), 'guess', 'guesses')}")
    out.print(turn_table(TurnRow(format_code(guess), given, left) for guess, given, left in turns))
    if "greedy" in methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy before; see --exact-up-to")
