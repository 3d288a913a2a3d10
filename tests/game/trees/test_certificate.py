from fractions import Fraction

import numba
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, check_code, code_at, parse_code
from evilpegs_game.errors import IllegalCodeError, StuckError, TooLargeError
from evilpegs_game.feedback import Feedback, feedbacks
from evilpegs_game.guessing.criteria import MINIMAX, MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import Certificate, TreeError, certify
from evilpegs_game.trees.tree import MAX_DEPTH, Node, Tree, format_tree, nodes, parse_tree, tree_from_strategy
from support.messages import values_in
from support.plain_tree import plain_distribution
from support.walks import evaluate

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

SMALL = [Rules(1, 1), Rules(1, 4), Rules(2, 3), Rules(3, 2), Rules(2, 4), Rules(3, 4, repeats=False)]


def minimax(position):
    return best_guess(position, MINIMAX)


def first_consistent(position):
    return position.first_candidate


def refusal(tree):
    """Return the error with which a tree is refused; its message is one line that names the line of the node."""
    with pytest.raises(TreeError) as caught:
        certify(tree)
    error = caught.value
    assert "\n" not in str(error)
    assert error.line == 0 or str(error.line) in values_in(error)
    return error


def turns_of(text, rules):
    """Read ``1 0,0, 2 0,0`` as guesses and feedbacks."""
    words = text.replace(", ", " ").split()
    return tuple(
        (parse_code(guess, rules), Feedback.parse(given)) for guess, given in zip(words[::2], words[1::2], strict=True)
    )


@pytest.mark.parametrize("choose", [minimax, first_consistent])
@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_certify_strategy_tree_matches_evaluation(rules, choose):
    tree = tree_from_strategy(choose, rules)
    certified = certify(tree)
    assert certified.distribution == evaluate(choose, rules).distribution == plain_distribution(tree)
    assert certify(parse_tree(format_tree(tree))) == certified


@compiled
@pytest.mark.parametrize(
    ("criterion", "distribution"),
    [(MINIMAX, (1, 6, 62, 533, 694)), (MOST_PARTS, (1, 12, 72, 635, 569, 7))],
    ids=["minimax", "most-parts"],
)
def test_certify_published_strategies_on_classic(criterion, distribution):
    """Knuth 1976: at most five guesses, 5801/1296 with the tie rule of the golden numbers; Kooi 2005: 5668."""
    certified = certify(tree_from_strategy(lambda position: best_guess(position, criterion), Rules(4, 6)))
    assert certified.distribution == distribution
    assert certified.count == 1296


def test_certificate_totals_follow_from_distribution():
    certified = Certificate(Rules(3, 3), (1, 7, 17, 2))
    assert (certified.count, certified.total, certified.max, certified.exact_mean) == (27, 74, 4, Fraction(74, 27))


def test_tree_from_strategy_plays_given_first_guess():
    tree = tree_from_strategy(minimax, Rules(2, 4), first=(3, 3))
    assert tree.root.guess == (3, 3)
    assert certify(tree).distribution == plain_distribution(tree)


def test_certify_counts_uninformative_guess():
    tree = Tree(Rules(1, 3), Node((0,), {Feedback(0, 0): Node((0,), {Feedback(0, 0): Node((1,), {
        Feedback(0, 0): Node((2,), {})})})}))  # fmt: skip
    assert certify(tree).distribution == (1, 0, 1, 1)


GOOD = """\
evilpegs tree 1
rules 1x4
1
  # the rest
  0,0 2
    0,0 3
      0,0 4
"""


@pytest.mark.parametrize(
    ("old", "new", "fault", "line", "turns", "feedback", "example", "codes"),
    [
        ("      0,0 4\n", "", "missing", 6, "1 0,0, 2 0,0", "0,0", "4", 1),
        ("      0,0 4\n", "      0,0 3\n", "missing", 7, "1 0,0, 2 0,0, 3 0,0", "0,0", "4", 1),
        ("    0,0 3\n      0,0 4\n", "", "missing", 5, "1 0,0", "0,0", "3", 2),
        ("0,0 4\n", "0,0 4\n        0,0 1\n", "unreachable", 8, "1 0,0, 2 0,0, 3 0,0, 4 0,0", "0,0", None, 0),
        ("    0,0 3\n", "    0,1 1\n    0,0 3\n", "unreachable", 6, "1 0,0, 2 0,1", "0,1", None, 0),
        (GOOD[-43:], "", "missing", 3, "", "0,0", "2", 3),
    ],
)
def test_certify_names_wrong_line(old, new, fault, line, turns, feedback, example, codes):
    assert certify(parse_tree(GOOD)).distribution == (1, 1, 1, 1)
    error = refusal(parse_tree(GOOD.replace(old, new, 1)))
    assert (error.fault, error.line, error.turns) == (fault, line, turns_of(turns, Rules(1, 4)))
    assert error.feedback == Feedback.parse(feedback)
    assert (error.example, error.codes) == (parse_code(example, Rules(1, 4)) if example else None, codes)
    assert {*turns.replace(", ", " ").split(), feedback, *([example] if example else [])} <= values_in(error)


def test_certify_names_first_of_wrong_lines():
    text = "evilpegs tree 1\nrules 2x2\n11\n  1,0 12\n    0,1 11\n  0,0 22\n    0,0 22\n"
    error = refusal(parse_tree(text))
    assert (error.fault, error.line, error.turns) == ("missing", 4, turns_of("11 1,0", Rules(2, 2)))
    assert (error.feedback, error.example, error.codes) == (Feedback(0, 2), (1, 0), 1)
    assert {"11", "1,0", "12", "0,2", "21"} <= values_in(error)


@pytest.mark.parametrize("guess", [(0,), (0, 9), (0, 0)])
def test_certify_refuses_illegal_guess(guess):
    error = refusal(Tree(Rules(2, 3, repeats=False), Node(guess, {})))
    assert (error.fault, error.line, error.turns, error.feedback) == ("guess", 0, (), None)


@pytest.mark.parametrize("given", [Feedback(1, 0), Feedback(0, 1), Feedback(7, 7)])
def test_certify_refuses_unreachable_child(given):
    tree = Tree(Rules(1, 2), Node((0,), {Feedback(0, 0): Node((1,), {}), given: Node((1,), {})}))
    error = refusal(tree)
    assert (error.fault, error.line, error.turns, error.feedback) == ("unreachable", 0, (((0,), given),), given)
    assert str(given) in values_in(error)


def test_certify_bounds_depth():
    node = Node((1,), {})
    for _ in range(MAX_DEPTH - 1):
        node = Node((0,), {Feedback(0, 0): node})
    assert certify(Tree(Rules(1, 2), node)).max == MAX_DEPTH
    with pytest.raises(TooLargeError, match="128"):
        certify(Tree(Rules(1, 2), Node((0,), {Feedback(0, 0): node})))


@pytest.mark.parametrize(("rules", "needed"), [(Rules(8, 10), 21 * 10**8), (Rules(16, 34), 37 * 34**16)], ids=str)
def test_certify_refuses_memory_before_allocation(rules, needed, peak_of):
    with peak_of(100_000), pytest.raises(TooLargeError) as caught:
        certify(Tree(rules, Node((0,) * rules.pegs, {})))
    assert (caught.value.needed, caught.value.bound) == (needed, 1 << 30)
    assert {str(rules), f"{needed:,}", "1,073,741,824"} <= values_in(caught.value)


@pytest.mark.full
@compiled
def test_certify_stays_within_stated_memory(peak_of):
    rules = Rules(5, 7)
    tree = tree_from_strategy(first_consistent, rules)
    all_codes(rules)
    with peak_of((2 * 5 + 5) * rules.size + 100_000):
        assert certify(tree).total == 116034


@given(st.data())
def test_certify_broken_tree_matches_plain_play(data):
    rules = data.draw(st.sampled_from([Rules(2, 3), Rules(3, 3), Rules(3, 4, repeats=False), Rules(1, 4)]))
    tree = tree_from_strategy(data.draw(st.sampled_from([minimax, first_consistent])), rules)
    changed = broken(tree, data)
    assume(changed != tree)
    expected = plain_distribution(changed)
    if expected is None:
        read = parse_tree(format_tree(changed))
        assert refusal(read).line in {node.line for _, _, node in nodes(read)}
    else:
        assert certify(changed).distribution == expected


def broken(tree, data):
    """Return the tree with one node dropped, swapped with its sibling, moved, grafted or given another guess."""
    inner = [node for _, _, node in nodes(tree) if node.children]
    if not inner:
        return tree
    parent = data.draw(st.sampled_from(inner))
    given = data.draw(st.sampled_from(sorted(parent.children)))
    children = dict(parent.children)
    how = data.draw(st.sampled_from(["drop", "swap", "move", "guess", "graft"]))
    node = children.pop(given)
    if how == "swap":
        other = data.draw(st.sampled_from(sorted(parent.children)))
        children |= {given: parent.children[other], other: node}
    elif how == "move":
        children[data.draw(st.sampled_from(feedbacks(tree.rules.pegs)[:-1]))] = node
    elif how == "guess":
        guess = code_at(data.draw(st.integers(0, tree.rules.size - 1)), tree.rules)
        children[given] = Node(guess, node.children)
    elif how == "graft":
        children[given] = data.draw(st.sampled_from(inner))
    return Tree(tree.rules, replaced(tree.root, parent, Node(parent.guess, children)))


def replaced(node, old, new):
    if node is old:
        return new
    return Node(node.guess, {given: replaced(child, old, new) for given, child in node.children.items()})


def test_tree_from_strategy_refuses_endless_strategy():
    with pytest.raises(StuckError) as caught:
        tree_from_strategy(lambda position: (0,), Rules(1, 2))
    assert "1x2" in values_in(caught.value)


def test_tree_from_strategy_refuses_too_deep_tree():
    """Each color is guessed 30 times, so candidates are excluded, but too slowly."""
    with pytest.raises(StuckError, match="128") as caught:
        tree_from_strategy(lambda position: ((position.turn - 1) // 30,), Rules(1, 6))
    assert "1x6" in values_in(caught.value)


def test_tree_from_strategy_refuses_illegal_guess():
    assert check_code(parse_code("12", Rules(2, 2)), Rules(2, 2)) is None
    with pytest.raises(IllegalCodeError, match="'1'") as caught:
        tree_from_strategy(lambda position: (0,), Rules(2, 2))
    assert caught.value.rule == "pegs"
