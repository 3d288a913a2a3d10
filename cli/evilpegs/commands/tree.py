"""`evilpegs tree`: a strategy written to a file as a tree, with a guess after every feedback."""

from typing import Annotated

from cyclopts import Parameter

from evilpegs.api.evaluation import tree as make_tree
from evilpegs.files import STANDARD, TREE, check_writable, write_text
from evilpegs.options import FILE, CandidatesOnly, First, RulesText, StrategyName
from evilpegs.output import console, only_document, pluralize
from evilpegs_clients.strategies.strategy import with_strategy_name
from evilpegs_game.trees.tree import format_tree, nodes


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
    with only_document(as_json=True), with_strategy_name(strategy):  # what a strategy prints is no part of the tree
        strategy_tree = make_tree(strategy, rules, first=first, candidates_only=candidates_only)
    write_text(out, format_tree(strategy_tree))
    if out != STANDARD:
        lines = sum(1 for _ in nodes(strategy_tree))
        console().print(f"{strategy} on {strategy_tree.rules}: {pluralize(lines, 'line')} of guesses in {out}")
