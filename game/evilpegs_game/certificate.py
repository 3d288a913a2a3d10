"""Certificates: what a strategy tree needs against every secret, proved by following each code through it.

Every code gets one feedback at every node, so it takes one way through the tree. The tree is certified if that way
ends, for each code, with all-black. Since any reply of any codemaker leads into a node that was checked, the longest
way bounds the guesses against all of them, those that never commit to a secret included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from evilpegs_game.codes import Columns, all_codes, check_code, column_code, format_code
from evilpegs_game.errors import GameError, IllegalCodeError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.guess_counts import GuessCounts
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.tree import MAX_DEPTH, Node, Tree

MAX_BYTES: Final = 1 << 30
"""What certifying may take besides the tree itself."""


class TreeError(GameError):
    """A tree that does not break every code; the message says where (its line, if it has one) and why."""


@dataclass(frozen=True, slots=True)
class Certificate(GuessCounts):
    """What a tree needs for each code of ``rules``; ``max`` guesses are enough against any codemaker."""


class _Place(NamedTuple):
    """A node, the way to it and the codes that come there; None of them if no code does."""

    node: Node
    columns: Columns | None
    depth: int
    given: Feedback | None
    before: "_Place | None"


def certify(tree: Tree) -> Certificate:
    """Follow every code of the rules through the tree.

    It takes one look at each code a guess; memory is that of all codes twice, and 5 bytes a code.

    Raises:
        TreeError: it lacks a node that some code needs, or has one where no code comes, or a guess that is no code of
            the rules; the first such place, in the order in which the tree is written.
        TooLargeError: the codes take more than `MAX_BYTES`, or a way is longer than `MAX_DEPTH`.
    """
    solved = [0] * MAX_DEPTH
    waiting = [_Place(tree.root, _every_code(tree.rules), 0, None, None)]
    while waiting:
        place = waiting.pop()
        parts = _parts(place, tree.rules)
        if all_black(tree.rules.pegs) in parts:
            solved[place.depth] += 1
        waiting += reversed(list(_below(place, parts)))
    while not solved[-1]:
        solved.pop()
    return Certificate(tree.rules, tuple(solved))


def _every_code(rules: Rules) -> Columns:
    needed = (2 * rules.pegs + 5) * rules.size
    if needed > MAX_BYTES:
        message = f"to certify a tree of {rules} takes {needed:,} bytes; the bound is {MAX_BYTES:,}"
        raise TooLargeError(message)
    return all_codes(rules)


def _parts(place: _Place, rules: Rules) -> dict[Feedback, Columns]:
    """The codes that go on from here, by feedback; every one but all-black has a child."""
    if place.depth == MAX_DEPTH:
        message = f"{_where(place)}: the tree is deeper than {MAX_DEPTH} guesses, the bound"
        raise TooLargeError(message)
    if place.columns is None:
        message = f"{_where(place)}: no code that is possible here gets {place.given}; leave this out"
        raise TreeError(message)
    try:
        check_code(place.node.guess, rules)
    except IllegalCodeError as error:
        message = f"{_where(place)}: {error}"
        raise TreeError(message) from None
    parts = dict(split(place.columns, place.node.guess))
    for given, codes in parts.items():
        if given not in place.node.children and given != all_black(rules.pegs):
            raise _missing(place, given, codes)
    return parts


def _below(place: _Place, parts: dict[Feedback, Columns]) -> Iterator[_Place]:
    """The children, in the order in which the tree has them."""
    ended = all_black(len(place.node.guess))
    for given, node in place.node.children.items():
        yield _Place(node, None if given == ended else parts.get(given), place.depth + 1, given, place)


def _missing(place: _Place, given: Feedback, codes: Columns) -> TreeError:
    guess, code = format_code(place.node.guess), format_code(column_code(codes, 0))
    others = f" and {codes.shape[1] - 1:,} more" if codes.shape[1] > 1 else ""
    return TreeError(f"{_where(place)}: nothing follows {given} to {guess}, which {code}{others} would get")


def _where(place: _Place) -> str:
    """The line of a node, and the turns that lead to it."""
    turns: list[str] = []
    at: _Place | None = place
    while at is not None and at.before is not None:
        turns.append(f"{format_code(at.before.node.guess)} {at.given}")
        at = at.before
    way = f"after {', '.join(reversed(turns))}" if turns else "at the first guess"
    return f"line {place.node.line}: {way}" if place.node.line else way
