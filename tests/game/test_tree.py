import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import code_at
from evilpegs_game.errors import MalformedError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black, feedbacks
from evilpegs_game.rules import Rules
from evilpegs_game.tree import MAX_DEPTH, MAX_TREE_CHARACTERS, Node, Tree, format_tree, nodes, parse_tree

SMALL = """\
evilpegs tree 1
rules 1x3
1
  0,0 2
    0,0 3
"""


@st.composite
def trees(draw):
    """Trees that need not break anything."""
    rules = Rules(draw(st.integers(1, 4)), draw(st.integers(4, 12)), draw(st.booleans()))
    given = st.sampled_from([given for given in feedbacks(rules.pegs) if given != all_black(rules.pegs)])
    code = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    leaf = code.map(lambda guess: Node(guess, {}))
    grown = st.recursive(leaf, lambda node: st.builds(Node, code, st.dictionaries(given, node, max_size=4)))
    return Tree(rules, draw(grown))


def line_of_nodes(depth):
    node = Node((0,), {})
    for _ in range(depth - 1):
        node = Node((0,), {Feedback(0, 0): node})
    return Tree(Rules(1, 1), node)


def refused(text):
    with pytest.raises(MalformedError) as caught:
        parse_tree(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
    return str(caught.value)


@given(trees())
def test_round_trip(tree):
    text = format_tree(tree)
    assert parse_tree(text) == tree
    assert format_tree(parse_tree(text)) == text


def test_the_form():
    tree = Tree(Rules(1, 3), Node((0,), {Feedback(0, 0): Node((1,), {Feedback(0, 0): Node((2,), {})})}))
    assert format_tree(tree) == SMALL
    assert parse_tree(SMALL) == tree


def test_children_are_written_in_feedback_order_and_read_in_any():
    text = "evilpegs tree 1\nrules 2x2\n11\n  1,0 12\n    0,2 21\n  0,0 22\n"
    tree = parse_tree(text)
    assert list(tree.root.children) == [(1, 0), (0, 0)]
    assert [(depth, reply) for depth, reply, _ in nodes(tree)] == [(0, None), (1, (0, 0)), (1, (1, 0)), (2, (0, 2))]
    assert format_tree(tree) == "evilpegs tree 1\nrules 2x2\n11\n  0,0 22\n  1,0 12\n    0,2 21\n"


def test_nodes_know_their_lines():
    text = "# mine\n\nevilpegs tree 1\nrules 1x3  # small\n\n1\n  # below\n  0,0 2\r\n    0,0 3"
    tree = parse_tree(text)
    assert tree == parse_tree(SMALL)
    assert [node.line for _, _, node in nodes(tree)] == [6, 8, 9]
    assert "line" not in repr(tree)


def test_a_byte_order_mark_is_no_matter():
    assert parse_tree("\ufeff" + SMALL) == parse_tree(SMALL)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1: the text ends here; a tree begins with the line: evilpegs tree 1"),
        ("\n# nothing\n", "line 2: the text ends here; a tree begins"),
        ("1122\n", "line 1: '1122' does not begin a tree; write: evilpegs tree 1"),
        ("evilpegs tree 2\n", "line 1: version '2' of the form cannot be read"),
        ("evilpegs tree\n", "line 1: 'evilpegs tree' does not begin a tree"),
        ("evilpegs tree 1\n", "line 1: the text ends here; the line with the rules is missing"),
        ("evilpegs tree 1\n1122\n", "line 2: '1122' stands where the rules should"),
        ("evilpegs tree 1\nrules 4by6\n", "line 2: not rules: '4by6'"),
        ("evilpegs tree 1\nrules 0x6\n", "line 2: pegs must be 1 to 16, not 0"),
        ("evilpegs tree 1\nrules 1x3\n", "line 2: the text ends here; the first guess is missing"),
        ("evilpegs tree 1\nrules 1x3\n  1\n", "line 3: the first guess is indented"),
        ("evilpegs tree 1\nrules 1x3\n\t1\n", "line 3: the first guess is indented"),
        ("evilpegs tree 1\nrules 1x3\n0,0 1\n", "line 3: not a code: '0,0 1'"),
        (SMALL + "2\n", "line 6: only the first guess stands at the beginning"),
        (SMALL + "   0,0 2\n", "line 6: indent by two spaces a guess, without tabs"),
        (SMALL + "\t0,0 2\n", "line 6: indent by two spaces"),
        (SMALL + "  \t0,0 2\n", "line 6: indent by two spaces"),
        (SMALL + "        0,0 2\n", "line 6: indented by 8 spaces, but the line above allows 6 at most"),
        (SMALL + "  0,0 3\n", "line 6: feedback 0,0 is answered already, in line 4"),
        (SMALL + "  1,0 3\n", "line 6: feedback 1,0 ends the game; nothing follows it"),
        (SMALL + "  0,2 3\n", "line 6: feedback 0,2 is impossible with 1 pegs"),
        (SMALL + "  00 3\n", "line 6: not a feedback: '00'"),
        (SMALL + "      0,0\n", "line 6: '0,0' is not FEEDBACK GUESS, like: 1,2 1123"),
        (SMALL + "      0,0 4\n", "line 6: '4' has a color that 1x3 lacks; use 123"),
        (SMALL + "      0,0 11\n", "line 6: '11' has 2 pegs; 1x3 needs 1"),
        (SMALL + "      0,0  1\n", "line 6: not a code: ' 1'"),
        (SMALL + "      0,0 1 1\n", "line 6: not a code: '1 1'"),
        (SMALL + "      0,0 \0\n", "line 6: not a code: '\\x00'"),
    ],
)
def test_the_first_line_that_cannot_be_read_is_named(text, told):
    assert refused(text).startswith(told)


@given(st.integers(0, 80), st.text("0123456789 ,\n#x", max_size=3))
def test_any_text_is_read_or_refused_in_one_line(place, typed):
    text = SMALL + "# end\n"
    changed = text[:place] + typed + text[place + 1 :]
    try:
        tree, told = parse_tree(changed), "line 0: "
    except MalformedError as error:
        tree, told = parse_tree(SMALL), str(error)
    assert re.match(r"line [0-9]+: ", told)
    assert parse_tree(format_tree(tree)) == tree


def test_depth_is_bounded():
    deepest = format_tree(line_of_nodes(MAX_DEPTH))
    assert parse_tree(deepest) == line_of_nodes(MAX_DEPTH)
    with pytest.raises(TooLargeError, match="deeper than 128 guesses"):
        format_tree(line_of_nodes(MAX_DEPTH + 1))
    with pytest.raises(TooLargeError, match="line 131: the tree is deeper than 128 guesses"):
        parse_tree(deepest + "  " * MAX_DEPTH + "0,0 1\n")


def test_length_is_bounded():
    with pytest.raises(TooLargeError, match="a tree of 67,108,865 characters"):
        parse_tree(" " * (MAX_TREE_CHARACTERS + 1))
