"""Strategy trees: which guess follows which feedback, and their text form (docs/trees.md).

A tree is all that a codebreaker does against any codemaker, written down. Nothing here says that it works: that is
`evilpegs_game.trees.certificate`'s.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import GameError, MalformedError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.rules import Rules

MAX_TREE_CHARACTERS: Final = 1 << 26
"""How long the text form may be; that of a tree for a million codes takes less than half."""

MAX_DEPTH: Final = 128
"""Guesses that one game may take in a tree."""

_TITLE: Final = "evilpegs tree"
_VERSION: Final = "1"
_INDENT: Final = "  "

TextFault = Literal[
    "end",
    "title",
    "version",
    "rules",
    "root",
    "indent",
    "depth",
    "turn",
    "feedback",
    "finished",
    "repeated",
    "code",
]
"""Why a line cannot be read: the text ends too early, or this part of the line is wrong or out of place.

A ``turn`` has no feedback or no guess, a ``finished`` feedback ends the game, a ``repeated`` one has a guess already.
"""

_Line = tuple[int, str]
"""A line that says something: its number from 1, and its text without comment and trailing space."""


class TreeTextError(MalformedError):
    """A text that is no tree; the message names the first line that cannot be read, and why.

    ``line`` is the number of that line, from 1, and ``fault`` is one of `TextFault`.
    """

    def __init__(self, *args: object, line: int = 0, fault: TextFault | None = None) -> None:
        super().__init__(*args)
        self.line = line
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Node:
    """A guess, and the node that follows each feedback but all-black, which ends the game.

    A leaf has no children: its guess must be right. ``line`` is where the node stands in the text it was read from,
    0 if it was not; it is no part of what a node is.
    """

    guess: Code
    children: Mapping[Feedback, "Node"]
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """The strategy tree of ``rules`` that begins with ``root``: which guess follows which feedback.

    >>> import evilpegs
    >>> tree = evilpegs.solve("3x3").tree
    >>> tree
    <Tree of 3x3: first guess 112>
    >>> evilpegs.parse_tree(evilpegs.format_tree(tree)) == tree
    True
    """

    rules: Rules
    root: Node

    def __repr__(self) -> str:
        return f"<Tree of {self.rules}: first guess {format_code(self.root.guess)}>"


def nodes(tree: Tree) -> Iterator[tuple[int, Feedback | None, Node]]:
    """Depth (0 at the root), feedback that leads there and node; a node before its children, these in feedback order.

    Raises:
        TooLargeError: deeper than `MAX_DEPTH`.
    """
    waiting: list[tuple[int, Feedback | None, Node]] = [(0, None, tree.root)]
    while waiting:
        depth, given, node = waiting.pop()
        if depth == MAX_DEPTH:
            message = f"a tree of {tree.rules} is deeper than {MAX_DEPTH} guesses, the bound"
            raise TooLargeError(message, needed=depth + 1, bound=MAX_DEPTH)
        yield depth, given, node
        waiting += [(depth + 1, given, node.children[given]) for given in sorted(node.children, reverse=True)]


def format_tree(tree: Tree) -> str:
    """Return the text form of a tree, children in feedback order, so that equal trees have equal texts.

    Raises:
        TooLargeError: the tree is deeper than `MAX_DEPTH`.

    >>> import evilpegs
    >>> print(evilpegs.format_tree(evilpegs.solve("2x2").tree), end="")
    evilpegs tree 1
    rules 2x2
    11
      0,0 22
      1,0 12
        0,2 21
    """
    lines = [f"{_TITLE} {_VERSION}", f"rules {tree.rules}"]
    for depth, given, node in nodes(tree):
        reply = "" if given is None else f"{given} "
        lines.append(_INDENT * depth + reply + format_code(node.guess))
    return "\n".join(lines) + "\n"


def parse_tree(text: str) -> Tree:
    r"""Read the text form.

    Raises:
        TreeTextError: a line cannot be read.
        TooLargeError: longer than `MAX_TREE_CHARACTERS` or deeper than `MAX_DEPTH`.

    >>> import evilpegs
    >>> tree = evilpegs.parse_tree("evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n")
    >>> evilpegs.certify(tree).distribution
    (1, 1)
    """
    if len(text) > MAX_TREE_CHARACTERS:
        message = f"a tree of {len(text):,} characters; the bound is {MAX_TREE_CHARACTERS:,}"
        raise TooLargeError(message, needed=len(text), bound=MAX_TREE_CHARACTERS)
    lines = _lines(text)
    _read_title(*_following(lines, text, f"a tree begins with the line: {_TITLE} {_VERSION}"))
    rules = _read_rules(*_following(lines, text, "the line with the rules is missing, like: rules 4x6"))
    root = _read_root(*_following(lines, text, "the first guess is missing"), rules)
    open_nodes = [root]
    for number, line in lines:
        _read_child(number, line, rules, open_nodes)
    return Tree(rules, root)


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        said = line.partition("#")[0].rstrip()
        if said:
            yield number, said


def _following(lines: Iterator[_Line], text: str, missing: str) -> _Line:
    found = next(lines, None)
    if found is None:
        raise _wrong(text.rstrip("\n").count("\n") + 1, "end", f"the text ends here; {missing}")
    return found


def _read_title(number: int, line: str) -> None:
    words = line.removeprefix("\ufeff").split(" ")
    if " ".join(words[:-1]) != _TITLE:
        raise _wrong(number, "title", f"{line[:40]!r} does not begin a tree; write: {_TITLE} {_VERSION}")
    if words[-1] != _VERSION:
        why = f"version {words[-1][:40]!r} of the form cannot be read; write: {_TITLE} {_VERSION}"
        raise _wrong(number, "version", why)


def _read_rules(number: int, line: str) -> Rules:
    word, _, rules = line.partition(" ")
    if word != "rules":
        raise _wrong(number, "rules", f"{line[:40]!r} stands where the rules should; write them like: rules 4x6")
    try:
        return Rules.parse(rules)
    except GameError as error:
        raise _wrong(number, "rules", str(error)) from None


def _read_root(number: int, line: str, rules: Rules) -> Node:
    if line.startswith((" ", "\t")):
        raise _wrong(number, "root", "the first guess is indented; it stands at the beginning of its line")
    return Node(_read_code(number, line, rules), {}, number)


def _read_child(number: int, line: str, rules: Rules, open_nodes: list[Node]) -> None:
    """Enter the node of a line below its parent; ``open_nodes`` are those it may be below, one a depth."""
    depth = _read_depth(number, line, len(open_nodes))
    del open_nodes[depth:]
    given = _read_feedback(number, line, rules.pegs)
    siblings = open_nodes[-1].children
    assert isinstance(siblings, dict)  # noqa: S101 - every node here is being read
    if given in siblings:
        raise _wrong(number, "repeated", f"feedback {given} is answered already, in line {siblings[given].line}")
    node = Node(_read_code(number, line.lstrip(" ").partition(" ")[2], rules), {}, number)
    siblings[given] = node
    open_nodes.append(node)


def _read_depth(number: int, line: str, deepest: int) -> int:
    spaces = len(line) - len(line.lstrip(" "))
    depth, odd = divmod(spaces, len(_INDENT))
    if odd or line[spaces] == "\t":
        raise _wrong(number, "indent", "indent by two spaces a guess, without tabs")
    if not depth:
        raise _wrong(number, "root", "only the first guess stands at the beginning of a line; indent what follows it")
    if depth > deepest:
        why = f"indented by {spaces} spaces, but the line above allows {deepest * len(_INDENT)} at most"
        raise _wrong(number, "depth", why)
    if depth >= MAX_DEPTH:
        message = f"line {number}: the tree is deeper than {MAX_DEPTH} guesses, the bound"
        raise TooLargeError(message, needed=depth + 1, bound=MAX_DEPTH)
    return depth


def _read_feedback(number: int, line: str, pegs: int) -> Feedback:
    text, space, _ = line.lstrip(" ").partition(" ")
    if not space:
        raise _wrong(number, "turn", f"{text[:40]!r} is not FEEDBACK GUESS, like: 1,2 1123")
    try:
        given = Feedback.parse(text)
        given.check(pegs)
    except MalformedError as error:
        raise _wrong(number, "feedback", str(error)) from None
    if given == all_black(pegs):
        raise _wrong(number, "finished", f"feedback {given} ends the game; nothing follows it")
    return given


def _read_code(number: int, text: str, rules: Rules) -> Code:
    try:
        return parse_code(text, rules)
    except GameError as error:
        raise _wrong(number, "code", str(error)) from None


def _wrong(number: int, fault: TextFault, why: str) -> TreeTextError:
    return TreeTextError(f"line {number}: {why}", line=number, fault=fault)
