"""The command `evilpegs duel`, its table and its JSON document."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from evilpegs.commands.duel.codemaker import CodemakerName, open_codemaker
from evilpegs.options import FILE, WHOLE, CandidatesOnly, First, Json, RulesText, StrategyName
from evilpegs.output import console, only_document, pluralize, print_json
from evilpegs.tables import TurnTableRow, turn_table
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import seeded_choice, with_strategy_name
from evilpegs_game.codemakers.codemaker import Codemaker, Devil, Method
from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.evaluation.exact import duel as play_duel
from evilpegs_game.rules import Rules


def duel(
    strategy: StrategyName,
    /,
    *,
    codemaker: Annotated[
        CodemakerName,
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
    parsed = Rules.parse(rules)
    opening = None if first is None else parse_code(first, parsed)
    opened = open_codemaker(codemaker, parsed, secret, seed, exact_up_to, solved)
    with opened as opponent, only_document(as_json), with_strategy_name(strategy):
        loaded = load_strategy(strategy, candidates_only)
        turns = play_duel(seeded_choice(loaded, seed or 0), opponent, parsed, opening)
    methods = _methods(parsed, opponent, turns)
    if as_json:
        print_json(_document(parsed, loaded.name, codemaker, turns, methods))
    else:
        _show(parsed, loaded.name, codemaker, turns, methods)


def _methods(rules: Rules, codemaker: Codemaker, turns: tuple[DuelTurn, ...]) -> list[Method]:
    """Return how a devil found each reply; nothing for other codemakers."""
    if not isinstance(codemaker, Devil):
        return []
    before = [rules.size, *(turn.candidates_left for turn in turns[:-1])]
    return [codemaker.method_for(candidates) for candidates in before]


def _document(
    rules: Rules, strategy: str, codemaker: str, turns: tuple[DuelTurn, ...], methods: list[Method]
) -> dict[str, Any]:
    document: list[dict[str, Any]] = [
        {"code": format_code(guess), "black": black, "white": white, "candidates": candidates}
        for guess, (black, white), candidates in turns
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


def _show(rules: Rules, strategy: str, codemaker: str, turns: tuple[DuelTurn, ...], methods: list[Method]) -> None:
    out = console()
    out.print(f"{strategy} against {codemaker} on {rules}: {pluralize(len(turns), 'guess', 'guesses')}")
    out.print(turn_table(TurnTableRow(format_code(guess), feedback, left) for guess, feedback, left in turns))
    if "greedy" in methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy before; see --exact-up-to")
