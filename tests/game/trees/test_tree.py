import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import code_at
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback, all_black, feedbacks
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import (
    MAX_DEPTH,
    MAX_TREE_CHARACTERS,
    Node,
    Tree,
    TreeTextError,
    format_tree,
    nodes,
    parse_tree,
)

SMALL = """\
evilpegs tree 1
rules 1x3
1
  0,0 2
    0,0 3
"""


@st.composite
def trees(draw):
    """Draw trees that need not solve every code."""
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
    with pytest.raises(TreeTextError) as caught:
        parse_tree(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
    return caught.value


def outcome_of(text):
    try:
        return parse_tree(text)
    except TreeTextError as error:
        return error


@given(trees())
def test_tree_text_round_trips(tree):
    text = format_tree(tree)
    assert parse_tree(text) == tree
    assert format_tree(parse_tree(text)) == text


def test_tree_text_has_documented_form():
    tree = Tree(Rules(1, 3), Node((0,), {Feedback(0, 0): Node((1,), {Feedback(0, 0): Node((2,), {})})}))
    assert format_tree(tree) == SMALL
    assert parse_tree(SMALL) == tree


def test_tree_text_orders_children_by_feedback():
    text = "evilpegs tree 1\nrules 2x2\n11\n  1,0 12\n    0,2 21\n  0,0 22\n"
    tree = parse_tree(text)
    assert list(tree.root.children) == [(1, 0), (0, 0)]
    assert [(depth, reply) for depth, reply, _ in nodes(tree)] == [(0, None), (1, (0, 0)), (1, (1, 0)), (2, (0, 2))]
    assert format_tree(tree) == "evilpegs tree 1\nrules 2x2\n11\n  0,0 22\n  1,0 12\n    0,2 21\n"


def test_parse_tree_keeps_line_numbers():
    text = "# mine\n\nevilpegs tree 1\nrules 1x3  # small\n\n1\n  # below\n  0,0 2\r\n    0,0 3"
    tree = parse_tree(text)
    assert tree == parse_tree(SMALL)
    assert [node.line for _, _, node in nodes(tree)] == [6, 8, 9]
    assert "line" not in repr(tree)


def test_parse_tree_ignores_byte_order_mark():
    assert parse_tree("\ufeff" + SMALL) == parse_tree(SMALL)


@pytest.mark.parametrize(
    ("text", "line", "fault", "named"),
    [
        ("", 1, "end", ["evilpegs tree 1"]),
        ("\n# nothing\n", 2, "end", ["evilpegs tree 1"]),
        ("1122\n", 1, "title", ["'1122'", "evilpegs tree 1"]),
        ("evilpegs tree 2\n", 1, "version", ["'2'"]),
        ("evilpegs tree\n", 1, "title", ["'evilpegs tree'"]),
        ("evilpegs tree 1\n", 1, "end", ["rules 4x6"]),
        ("evilpegs tree 1\n1122\n", 2, "rules", ["'1122'"]),
        ("evilpegs tree 1\nrules 4by6\n", 2, "rules", ["'4by6'"]),
        ("evilpegs tree 1\nrules 0x6\n", 2, "rules", ["pegs", "16", "0"]),
        ("evilpegs tree 1\nrules 1x3\n", 2, "end", ["guess"]),
        ("evilpegs tree 1\nrules 1x3\n  1\n", 3, "root", []),
        ("evilpegs tree 1\nrules 1x3\n\t1\n", 3, "root", []),
        ("evilpegs tree 1\nrules 1x3\n0,0 1\n", 3, "code", ["'0,0 1'"]),
        (SMALL + "2\n", 6, "root", []),
        (SMALL + "   0,0 2\n", 6, "indent", []),
        (SMALL + "\t0,0 2\n", 6, "indent", []),
        (SMALL + "  \t0,0 2\n", 6, "indent", []),
        (SMALL + "        0,0 2\n", 6, "depth", ["8", "6"]),
        (SMALL + "  0,0 3\n", 6, "repeated", ["0,0", "4"]),
        (SMALL + "  1,0 3\n", 6, "finished", ["1,0"]),
        (SMALL + "  0,2 3\n", 6, "feedback", ["0,2", "1"]),
        (SMALL + "  00 3\n", 6, "feedback", ["'00'"]),
        (SMALL + "      0,0\n", 6, "turn", ["'0,0'"]),
        (SMALL + "      0,0 4\n", 6, "code", ["'4'", "1x3", "123"]),
        (SMALL + "      0,0 11\n", 6, "code", ["'11'", "2", "1x3"]),
        (SMALL + "      0,0  1\n", 6, "code", ["' 1'"]),
        (SMALL + "      0,0 1 1\n", 6, "code", ["'1 1'"]),
        (SMALL + "      0,0 \0\n", 6, "code", ["'\\x00'"]),
    ],
)
def test_parse_tree_names_first_wrong_line(text, line, fault, named):
    error = refused(text)
    assert (error.line, error.fault) == (line, fault)
    where, _, why = str(error).partition(": ")
    assert where.endswith(f" {line}")
    assert all(word in why for word in named)


@given(st.integers(0, 80), st.text("0123456789 ,\n#x", max_size=3))
def test_parse_tree_reads_or_refuses_any_text(place, typed):
    text = SMALL + "# end\n"
    changed = text[:place] + typed + text[place + 1 :]
    outcome = outcome_of(changed)
    if isinstance(outcome, TreeTextError):
        assert 1 <= outcome.line <= changed.count("\n") + 1
        assert outcome.fault
        assert "\n" not in str(outcome)
    else:
        assert parse_tree(format_tree(outcome)) == outcome


def test_tree_depth_is_bounded():
    deepest = format_tree(line_of_nodes(MAX_DEPTH))
    assert parse_tree(deepest) == line_of_nodes(MAX_DEPTH)
    with pytest.raises(TooLargeError) as refusal:
        format_tree(line_of_nodes(MAX_DEPTH + 1))
    assert (refusal.value.needed, refusal.value.bound) == (129, 128)
    with pytest.raises(TooLargeError, match=r"\b131\b") as refusal:
        parse_tree(deepest + "  " * MAX_DEPTH + "0,0 1\n")
    assert (refusal.value.needed, refusal.value.bound) == (129, 128)


def test_tree_text_length_is_bounded():
    with pytest.raises(TooLargeError) as refusal:
        parse_tree(" " * (MAX_TREE_CHARACTERS + 1))
    assert (refusal.value.needed, refusal.value.bound) == (67_108_865, 67_108_864)
