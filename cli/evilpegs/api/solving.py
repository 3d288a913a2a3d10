"""Optimal strategies and proofs about strategy trees."""

import reprlib
from typing import get_args

from evilpegs.api.arguments import RulesLike, to_rules, to_whole
from evilpegs_game.errors import MalformedError
from evilpegs_game.optimal.solve import Objective, Solution
from evilpegs_game.optimal.solve import solve as solve_rules
from evilpegs_game.trees.certificate import Certificate
from evilpegs_game.trees.certificate import certify as certify_tree
from evilpegs_game.trees.tree import Tree, parse_tree


def solve(rules: RulesLike = "classic", *, objective: Objective = "mean", threads: int = 1) -> Solution:
    """Find a strategy with the fewest guesses in total over all codes, and prove that there is no better one.

    With ``objective="worst"`` the guesses for the worst code are minimized first, and then the total. ``rules`` is a
    `Rules` or a text such as ``4x6``. If several strategies are best, the number of ``threads`` may decide which one is
    found. The result has ``tree``, ``total``, ``max``, ``mean`` and ``is_proved``. 4x6 takes about a second, 4x8 a
    minute; the first call after an installation compiles for a minute.

    Raises:
        EvilpegsError: an argument is wrong, or optimal play takes too much memory for the rules.

    >>> import evilpegs
    >>> solution = evilpegs.solve("4x4")
    >>> solution
    <Solution of 4x4: 905 guesses for 256 codes, mean 3.5352, at most 5, proved>
    """
    if objective not in get_args(Objective):
        raise MalformedError(f"no objective {reprlib.repr(objective)}; take mean or worst")
    return solve_rules(to_rules(rules), objective, to_whole("threads", threads, 1))


def certify(tree: Tree | str) -> Certificate:
    """Prove how many guesses a strategy tree needs, by following every code of its rules through it.

    ``tree`` is a `Tree` or its text in the format of docs/trees.md. The certificate has ``distribution``, whose element
    at index i is the number of codes solved with i + 1 guesses, ``total``, ``mean`` and ``max``. No game against any
    codemaker takes more than ``max`` guesses.

    Raises:
        EvilpegsError: the text is no tree, the tree does not solve every code, or the rules have too many codes.

    >>> import evilpegs
    >>> evilpegs.certify(evilpegs.solve("3x3").tree)
    <Certificate of 3x3: 73 guesses for 27 codes, mean 2.7037, at most 4>
    """
    if isinstance(tree, str):
        return certify_tree(parse_tree(tree))
    if isinstance(tree, Tree):
        return certify_tree(tree)
    raise MalformedError(f"not a tree: {reprlib.repr(tree)}; pass a Tree, such as solution.tree, or the text of one")
