"""`evilpegs tree`: a strategy written to a file as a tree, with a guess after every feedback."""

from typing import Annotated

from cyclopts import Parameter

from evilpegs.files import STANDARD, TREE, check_writable, write_text
from evilpegs.options import FILE, CandidatesOnly, First, RulesText, StrategyName
from evilpegs.output import console, only_document, pluralize
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import seeded_choice, with_strategy_name
from evilpegs_game.codes import parse_code
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import format_tree, nodes, tree_from_strategy


def tree(
    strategy: StrategyName,
    /,
    *,
    rules: RulesText = "classic",
    first: First = None,
    candidates_only: CandidatesOnly = False,
    out: Annotated[str, FILE, Parameter(help="The file to write; - for standard output.")] = "-",
) -> None:
    """Write down what a strategy guesses after every feedback, as a tree that `evilpegs certify` checks.

    A randomized strategy is written as it plays with seed 0.
    """
    check_writable(out, TREE)
    parsed = Rules.parse(rules)
    opening = None if first is None else parse_code(first, parsed)
    with only_document(as_json=True), with_strategy_name(strategy):  # what a strategy prints is no part of the tree
        strategy_tree = tree_from_strategy(seeded_choice(load_strategy(strategy, candidates_only)), parsed, opening)
    write_text(out, format_tree(strategy_tree))
    if out != STANDARD:
        lines = sum(1 for _ in nodes(strategy_tree))
        console().print(f"{strategy} on {parsed}: {pluralize(lines, 'line')} of guesses in {out}")
