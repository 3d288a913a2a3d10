"""Strategy trees and their text form (docs/trees.md).

A tree is the complete behavior of a codebreaker against any codemaker. Reading a tree does not prove that it solves
every code; `evilpegs_game.trees.certificate` does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from evilpegs_game.codes import Code, check_code, format_code, parse_code
from evilpegs_game.errors import GameError, MalformedError, StuckError, TooLargeError, check_bound, quoted, require
from evilpegs_game.evaluation.exact import ChooseGuess, walk_tree
from evilpegs_game.feedback import Feedback, History, all_black, to_feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

MAX_TREE_CHARACTERS: Final = 1 << 26  # a tree for a million codes takes less than half of it

MAX_DEPTH: Final = 128
"""The most guesses that one game may take in a tree."""

TITLE: Final = "evilpegs tree"
"""The beginning of the first line of every tree."""
VERSION: Final = "1"
INDENT: Final = "  "

TextFault = Literal[
    "end",
    "title",
    "version",
    "rules",
    "guesses",
    "root",
    "indent",
    "depth",
    "turn",
    "feedback",
    "finished",
    "repeated",
    "code",
]
"""The part of a line that is wrong, or ``end`` if the text ends too early.

An ``indent`` contains a tab or an odd number of spaces. A ``depth`` is an indent too deep for the line above. A
``root`` is a first guess that is indented, or a later line that is not. A ``turn`` lacks a feedback or a guess. A
``finished`` feedback ends the game, so nothing can follow it. A ``repeated`` feedback already has a guess.
"""

Line = tuple[int, str]  # number, and text without comment and trailing spaces


class TreeTextError(MalformedError):
    """An error in the text of a tree; ``line`` is the first that cannot be read."""

    def __init__(self, *args: object, line: int = 0, fault: TextFault | None = None) -> None:
        super().__init__(*args)
        self.line = line
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Node:
    """A guess, and the node that follows each feedback to it; all-black has no child, because it ends the game.

    ``line`` is the line from which the node was read, or 0; it does not count when nodes are compared.
    """

    guess: Code
    children: Mapping[Feedback, "Node"]
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """A strategy tree for ``rules``; ``root`` is the node of the first guess.

    >>> import evilpegs
    >>> tree = evilpegs.solve("3x3").tree
    >>> tree
    <Tree of 3x3: first guess 112>
    >>> evilpegs.parse_tree(evilpegs.format_tree(tree)) == tree
    True
    """

    rules: Rules
    root: Node

    def __post_init__(self) -> None:
        require(self.rules, Rules, "rules", "Rules(4, 6)")
        require(self.root, Node, "a root", "the Node of the first guess, as in solution.tree.root")

    def __repr__(self) -> str:
        return f"<Tree of {self.rules}: first guess {format_code(self.root.guess)}>"


def nodes(tree: Tree) -> Iterator[tuple[int, Feedback | None, Node]]:
    """Yield every node after the guesses before it and the feedback to it, None at the root.

    A node comes before its children, and children are in feedback order. Raises TooLargeError as `format_tree` does.
    """
    waiting: list[tuple[int, Feedback | None, Node]] = [(0, None, tree.root)]
    while waiting:
        depth, feedback, node = waiting.pop()
        if depth == MAX_DEPTH:
            raise TooLargeError(
                f"a tree of {tree.rules} is deeper than {MAX_DEPTH} guesses, the limit",
                needed=depth + 1,
                bound=MAX_DEPTH,
            )
        yield depth, feedback, node
        waiting += [(depth + 1, reply, node.children[reply]) for reply in sorted(node.children, reverse=True)]


def format_tree(tree: Tree) -> str:
    """Return the text form of ``tree``, with children in feedback order, so that equal trees have equal texts.

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
    require(tree, Tree, "a tree", "a Tree, such as solution.tree")
    lines = [f"{TITLE} {VERSION}", f"rules {tree.rules}"]
    for depth, feedback, node in nodes(tree):
        reply = "" if feedback is None else f"{feedback} "
        lines.append(INDENT * depth + reply + format_code(node.guess))
    return "\n".join(lines) + "\n"


def parse_tree(text: str) -> Tree:
    r"""Return the tree that ``text`` describes. This does not check whether the tree solves every code.

    Raises:
        TreeTextError: a line cannot be read.
        TooLargeError: the text is longer than `MAX_TREE_CHARACTERS`, or the tree is deeper than `MAX_DEPTH`.

    >>> import evilpegs
    >>> tree = evilpegs.parse_tree("evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n")
    >>> evilpegs.certify(tree).distribution
    (1, 1)
    """
    lines, rules = read_heading(text, TITLE)
    number, line = next_line(lines, text, "the first guess is missing")
    if line.startswith((" ", "\t")):
        raise text_error(number, "root", "the first guess must not be indented")
    root = Node(read_code(number, line, rules), {}, number)
    open_nodes = [root]
    for number, line in lines:
        _read_child(number, line, rules, open_nodes)
    return Tree(rules, root)


def read_heading(text: str, title: str) -> tuple[Iterator[Line], Rules]:
    require(text, str, "a tree", "its text")
    message = f"a tree of {len(text):,} characters; the limit is {MAX_TREE_CHARACTERS:,}"
    check_bound(len(text), MAX_TREE_CHARACTERS, message)
    lines = _lines(text.removeprefix("\ufeff"))
    _read_title(*next_line(lines, text, f"a tree begins with the line: {title} {VERSION}"), title)
    return lines, _read_rules(*next_line(lines, text, "the line with the rules is missing, like: rules 4x6"))


def _lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), 1):
        content = line.partition("#")[0].rstrip()
        if content:
            yield number, content


def next_line(lines: Iterator[Line], text: str, missing: str) -> Line:
    line = next(lines, None)
    if line is None:
        raise text_error(text.rstrip("\n").count("\n") + 1, "end", f"the text ends here; {missing}")
    return line


def _read_title(number: int, line: str, title: str) -> None:
    words = line.split(" ")
    if " ".join(words[:-1]) != title:
        raise text_error(number, "title", f"{quoted(line)} does not begin a tree; its first line is: {title} {VERSION}")
    if words[-1] != VERSION:
        raise text_error(
            number, "version", f"version {quoted(words[-1])} of the format cannot be read; write: {title} {VERSION}"
        )


def _read_rules(number: int, line: str) -> Rules:
    word, _, rules = line.partition(" ")
    if word != "rules":
        raise text_error(number, "rules", f"expected the rules, not {quoted(line)}; write them like: rules 4x6")
    try:
        return Rules.parse(rules)
    except GameError as error:
        raise text_error(number, "rules", str(error)) from None


def _read_child(number: int, line: str, rules: Rules, open_nodes: list[Node]) -> None:
    depth = read_depth(number, line, len(open_nodes))
    if not depth:
        raise text_error(number, "root", "only the first guess is not indented; indent what follows it")
    # ``open_nodes`` is the path to the node read last, one node per depth
    del open_nodes[depth:]
    text, space, guess = line.lstrip(" ").partition(" ")
    if not space:
        raise text_error(number, "turn", f"{quoted(text)} is not FEEDBACK GUESS, like: 1,2 1123")
    feedback = read_feedback(number, text, rules.pegs)
    siblings = open_nodes[-1].children
    assert isinstance(siblings, dict)  # noqa: S101 - every node here is being read
    if feedback in siblings:
        raise text_error(
            number, "repeated", f"feedback {feedback} was already answered in line {siblings[feedback].line}"
        )
    node = Node(read_code(number, guess, rules), {}, number)
    siblings[feedback] = node
    open_nodes.append(node)


def read_depth(number: int, line: str, deepest: int) -> int:
    spaces = len(line) - len(line.lstrip(" "))
    depth, odd = divmod(spaces, len(INDENT))
    if odd or line[spaces] == "\t":
        raise text_error(number, "indent", "indent by two spaces per guess, without tabs")
    if depth > deepest:
        raise text_error(
            number, "depth", f"indented by {spaces} spaces, but the line above allows {deepest * len(INDENT)} at most"
        )
    if depth >= MAX_DEPTH:
        raise TooLargeError(
            f"line {number}: the tree is deeper than {MAX_DEPTH} guesses, the limit", needed=depth + 1, bound=MAX_DEPTH
        )
    return depth


def read_feedback(number: int, text: str, pegs: int) -> Feedback:
    try:
        feedback = to_feedback(text, pegs)
    except MalformedError as error:
        raise text_error(number, "feedback", str(error)) from None
    if feedback == all_black(pegs):
        raise text_error(number, "finished", f"feedback {feedback} ends the game; nothing follows it")
    return feedback


def read_code(number: int, text: str, rules: Rules) -> Code:
    try:
        return parse_code(text, rules)
    except GameError as error:
        raise text_error(number, "code", str(error)) from None


def text_error(number: int, fault: TextFault, why: str) -> TreeTextError:
    return TreeTextError(f"line {number}: {why}", line=number, fault=fault)


def tree_from_strategy(choose: ChooseGuess, rules: Rules, first: Code | None = None) -> Tree:
    """Return the tree of the deterministic strategy ``choose``; ``first`` replaces its first guess.

    Raises StuckError if some code is not guessed within `MAX_DEPTH` guesses, IllegalCodeError and TooLargeError.
    """

    def choose_legal(position: Position) -> Code:
        guess = first if first is not None and not position.history else choose(position)
        check_code(guess, rules)
        return guess

    children: dict[History, dict[Feedback, Node]] = {}
    for position, guess, _, _ in walk_tree(choose_legal, Position(rules, (), LiveSets())):
        if position.turn > MAX_DEPTH:
            raise StuckError(f"the strategy is stuck: a code of {rules} is not guessed within {MAX_DEPTH} guesses")
        children[position.history] = {}
        node = Node(guess, children[position.history])
        if position.history:
            children[position.history[:-1]][position.history[-1].feedback] = node
        else:
            root = node
    return Tree(rules, root)
