"""Certificates: what a strategy tree needs against every secret, proved by following each code through it.

Every code gets one feedback at every node, so it takes one way through the tree. The tree is certified if that way
ends, for each code, with all-black. Since any reply of any codemaker leads into a node that was checked, the longest
way bounds the guesses against all of them, those that never commit to a secret included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from evilpegs_game.codes import Code, Columns, all_codes, check_code, column_code, format_code
from evilpegs_game.errors import GameError, IllegalCodeError, TooLargeError
from evilpegs_game.evaluation.distribution import GuessCounts
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import MAX_DEPTH, Node, Tree

MAX_BYTES: Final = 1 << 30
"""What certifying may take besides the tree itself."""


Fault = Literal["guess", "missing", "unreachable"]
"""Why a node is wrong: its guess is no code of the rules, a feedback lacks a child, or no code reaches the node."""


class TreeError(GameError):
    """A tree that does not break every code; the message says where (its line, if it has one) and why.

    ``fault`` is one of `Fault`. ``line`` is where the node stands in the text, 0 if it was not read from one, and
    ``turns`` are the guesses and feedbacks that lead to it. ``feedback`` is the one that lacks a child or that leads to
    an unreachable node; None for a wrong guess. ``codes`` codes lack a child, the first of them is ``example``.
    """

    def __init__(
        self,
        *args: object,
        fault: Fault | None = None,
        line: int = 0,
        turns: tuple[tuple[Code, Feedback], ...] = (),
        feedback: Feedback | None = None,
        example: Code | None = None,
        codes: int = 0,
    ) -> None:
        super().__init__(*args)
        self.fault = fault
        self.line = line
        self.turns = turns
        self.feedback = feedback
        self.example = example
        self.codes = codes


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(GuessCounts):
    """The proved number of guesses for each code of ``rules``; ``max`` guesses are enough against any codemaker."""

    def __repr__(self) -> str:
        needed = f"{self.total:,} guesses for {self.count:,} codes, mean {self.mean:.4f}, at most {self.max}"
        return f"<Certificate of {self.rules}: {needed}>"

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON object; ``exact_mean`` is a fraction as text."""
        return {
            "rules": str(self.rules),
            "codes": self.count,
            "total": self.total,
            "mean": self.mean,
            "exact_mean": str(self.exact_mean),
            "max": self.max,
            "distribution": list(self.distribution),
        }


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
        raise TooLargeError(message, needed=needed, bound=MAX_BYTES)
    return all_codes(rules)


def _parts(place: _Place, rules: Rules) -> dict[Feedback, Columns]:
    """The codes that go on from here, by feedback; every one but all-black has a child."""
    if place.depth == MAX_DEPTH:
        message = f"{_where(place)}: the tree is deeper than {MAX_DEPTH} guesses, the bound"
        raise TooLargeError(message, needed=place.depth + 1, bound=MAX_DEPTH)
    if place.columns is None:
        message = f"{_where(place)}: no code that is possible here gets {place.given}; leave this out"
        turns = _turns(place)
        raise TreeError(message, fault="unreachable", line=place.node.line, turns=turns, feedback=place.given)
    try:
        check_code(place.node.guess, rules)
    except IllegalCodeError as error:
        message = f"{_where(place)}: {error}"
        raise TreeError(message, fault="guess", line=place.node.line, turns=_turns(place)) from None
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
    example, many = column_code(codes, 0), int(codes.shape[1])
    guess, code = format_code(place.node.guess), format_code(example)
    others = f" and {many - 1:,} more" if many > 1 else ""
    return TreeError(
        f"{_where(place)}: nothing follows {given} to {guess}, which {code}{others} would get",
        fault="missing",
        line=place.node.line,
        turns=_turns(place),
        feedback=given,
        example=example,
        codes=many,
    )


def _where(place: _Place) -> str:
    """The line of a node, and the turns that lead to it."""
    turns = [f"{format_code(guess)} {given}" for guess, given in _turns(place)]
    way = f"after {', '.join(turns)}" if turns else "at the first guess"
    return f"line {place.node.line}: {way}" if place.node.line else way


def _turns(place: _Place) -> tuple[tuple[Code, Feedback], ...]:
    """Return the guesses and feedbacks that lead to a node, first turn first."""
    turns: list[tuple[Code, Feedback]] = []
    at = place
    while at.before is not None and at.given is not None:
        turns.append((at.before.node.guess, at.given))
        at = at.before
    return tuple(reversed(turns))
