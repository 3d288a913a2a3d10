"""Certificates: the guesses that a strategy tree needs against every secret, proved by following each code through it.

Every code gets exactly one feedback at every node, so it follows one path through the tree. The tree is certified if
the path of each code ends with all-black. Any reply of any codemaker leads into a checked node, so the longest path
bounds the guesses against every codemaker, also one that never commits to a secret.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from evilpegs_game.codes import Code, Columns, all_codes, check_code, column_code, format_code
from evilpegs_game.errors import GameError, IllegalCodeError, TooLargeError, check_bound
from evilpegs_game.evaluation.exact import GuessCounts
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import MAX_DEPTH, Node, Tree

MAX_BYTES: Final = 1 << 30
"""The most memory of `certify` besides the tree itself."""

Turns = tuple[tuple[Code, Feedback], ...]
Fault = Literal["guess", "missing", "unreachable", "solvable"]
"""An illegal guess, a feedback or a guess without a line, one that no code reaches, or an adversary who gives up."""


class TreeError(GameError):
    """A tree that does not solve every code; the message names the place and the reason.

    ``line`` is that of the node in its text, or 0 if the tree was not read from a text. ``turns`` lead to the node; for
    an unreachable node, the feedback of the last turn is the one that no code gives. ``feedback`` is the one that lacks
    a child or that leads to an unreachable node. ``codes`` counts the codes that would go on to the missing child, and
    ``example`` is the first of them.
    """

    def __init__(
        self,
        *args: object,
        fault: Fault | None = None,
        line: int = 0,
        turns: Turns = (),
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
    r"""The proved numbers of guesses that a strategy tree needs for the codes of ``rules``.

    ``distribution[i]`` is the number of codes that the tree finds with guess i + 1. ``max`` guesses are enough against
    any codemaker.

    >>> import evilpegs
    >>> certificate = evilpegs.certify("evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n")
    >>> certificate.distribution, certificate.total
    ((1, 1), 3)
    """

    def __repr__(self) -> str:
        needed = f"{self.total:,} guesses for {self.count:,} codes, mean {self.mean:.4f}, at most {self.max}"
        return f"<Certificate of {self.rules}: {needed}>"

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON object, in which ``exact_mean`` is the text of a fraction.

        ``codes`` is the number of codes; the other keys are fields and properties.
        """
        return {
            "rules": str(self.rules),
            "codes": self.count,
            "total": self.total,
            "mean": self.mean,
            "exact_mean": str(self.exact_mean),
            "max": self.max,
            "distribution": list(self.distribution),
        }


class _Visit(NamedTuple):
    node: Node
    columns: Columns | None  # None if no code reaches the node
    turns: Turns


def certify(tree: Tree) -> Certificate:
    """Follow every code of the rules through ``tree`` and count the guesses.

    The work is one feedback per code and guess; the memory is twice that of all codes, and 5 bytes per code. Raises
    TreeError for the first `Fault` in the order of the text form, and TooLargeError if the codes take more than
    `MAX_BYTES` or a path is longer than `MAX_DEPTH`.
    """
    rules, solved = tree.rules, [0] * MAX_DEPTH
    needed = (2 * rules.pegs + 5) * rules.size
    message = f"certifying a tree of {rules} takes {needed:,} bytes; the limit is {MAX_BYTES:,}"
    check_bound(needed, MAX_BYTES, message)
    waiting = [_Visit(tree.root, all_codes(rules), ())]
    while waiting:
        visit = waiting.pop()
        parts = _parts(visit, rules)
        if parts.pop(all_black(rules.pegs), None) is not None:
            solved[len(visit.turns)] += 1
        below = [
            _Visit(node, parts.get(feedback), (*visit.turns, (visit.node.guess, feedback)))
            for feedback, node in visit.node.children.items()
        ]
        waiting += reversed(below)
    while not solved[-1]:
        solved.pop()
    return Certificate(rules, tuple(solved))


def _parts(visit: _Visit, rules: Rules) -> dict[Feedback, Columns]:
    if len(visit.turns) == MAX_DEPTH:
        raise TooLargeError(
            f"{location(visit.node.line, visit.turns)}: the tree is deeper than {MAX_DEPTH} guesses, the limit",
            needed=MAX_DEPTH + 1,
            bound=MAX_DEPTH,
        )
    if visit.columns is None:
        _, feedback = visit.turns[-1]
        message = f"{location(visit.node.line, visit.turns)}: no code possible here gets {feedback}; remove this"
        raise TreeError(message, fault="unreachable", line=visit.node.line, turns=visit.turns, feedback=feedback)
    try:
        check_code(visit.node.guess, rules)
    except IllegalCodeError as error:
        where = location(visit.node.line, visit.turns)
        raise TreeError(f"{where}: {error}", fault="guess", line=visit.node.line, turns=visit.turns) from None
    parts = dict(split(visit.columns, visit.node.guess))
    for feedback, codes in parts.items():
        if feedback not in visit.node.children and feedback != all_black(rules.pegs):
            raise _missing_child(visit, feedback, codes)
    return parts


def _missing_child(visit: _Visit, feedback: Feedback, codes: Columns) -> TreeError:
    example, count = column_code(codes, 0), int(codes.shape[1])
    guess, code = format_code(visit.node.guess), format_code(example)
    others = f" and {count - 1:,} more" if count > 1 else ""
    where = location(visit.node.line, visit.turns)
    return TreeError(
        f"{where}: nothing follows {feedback} to {guess}, which {code}{others} would get",
        fault="missing",
        line=visit.node.line,
        turns=visit.turns,
        feedback=feedback,
        example=example,
        codes=count,
    )


def location(line: int, turns: Turns) -> str:
    path = f"after {', '.join(f'{format_code(guess)} {feedback}' for guess, feedback in turns)}"
    path = path if turns else "at the first guess"
    return f"line {line}: {path}" if line else path
