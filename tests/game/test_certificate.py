import re
from fractions import Fraction

import numba
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evilpegs_game import certificate
from evilpegs_game.certificate import Certificate, TreeError, certify
from evilpegs_game.codes import all_codes, check_code, code_at, parse_code
from evilpegs_game.criteria import MINIMAX, MOST_PARTS
from evilpegs_game.errors import IllegalCodeError, StuckError, TooLargeError
from evilpegs_game.evaluation import evaluate
from evilpegs_game.feedback import Feedback, feedbacks
from evilpegs_game.rules import Rules
from evilpegs_game.selection import best_guess
from evilpegs_game.tree import MAX_DEPTH, Node, Tree, format_tree, nodes, parse_tree
from evilpegs_game.tree_of import tree_of
from support.plain_tree import plain_distribution

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

SMALL = [Rules(1, 1), Rules(1, 4), Rules(2, 3), Rules(3, 2), Rules(2, 4), Rules(3, 4, repeats=False)]


def minimax(position):
    return best_guess(position, MINIMAX)


def first_consistent(position):
    return position.first_candidate


def refused(text, error=TreeError):
    with pytest.raises(error) as caught:
        certify(parse_tree(text))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("choose", [minimax, first_consistent])
@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_trees_of_strategies_need_what_these_need(rules, choose):
    tree = tree_of(choose, rules)
    certified = certify(tree)
    assert certified.distribution == evaluate(choose, rules).distribution == plain_distribution(tree)
    assert certify(parse_tree(format_tree(tree))) == certified


@compiled
@pytest.mark.parametrize(
    ("criterion", "distribution"),
    [(MINIMAX, (1, 6, 62, 533, 694)), (MOST_PARTS, (1, 12, 72, 635, 569, 7))],
    ids=["minimax", "most-parts"],
)
def test_published_strategies_on_classic(criterion, distribution):
    """Knuth 1976: at most five guesses, 5801/1296 with the tie rule of the golden numbers; Kooi 2005: 5668."""
    certified = certify(tree_of(lambda position: best_guess(position, criterion), Rules(4, 6)))
    assert certified.distribution == distribution
    assert certified.count == 1296


def test_what_follows_from_a_distribution():
    certified = Certificate(Rules(3, 3), (1, 7, 17, 2))
    assert (certified.count, certified.total, certified.max, certified.exact_mean) == (27, 74, 4, Fraction(74, 27))


def test_a_first_guess_of_ones_own():
    tree = tree_of(minimax, Rules(2, 4), first=(3, 3))
    assert tree.root.guess == (3, 3)
    assert certify(tree).distribution == plain_distribution(tree)


def test_a_guess_that_tells_nothing_costs_a_guess():
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
    ("old", "new", "told"),
    [
        ("      0,0 4\n", "", "line 6: after 1 0,0, 2 0,0: nothing follows 0,0 to 3, which 4 would get"),
        ("      0,0 4\n", "      0,0 3\n", "line 7: after 1 0,0, 2 0,0, 3 0,0: nothing follows 0,0 to 3, which 4"),
        ("    0,0 3\n      0,0 4\n", "", "line 5: after 1 0,0: nothing follows 0,0 to 2, which 3 and 1 more would get"),
        ("0,0 4\n", "0,0 4\n        0,0 1\n", "line 8: after 1 0,0, 2 0,0, 3 0,0, 4 0,0: no code that is possible"),
        ("    0,0 3\n", "    0,1 1\n    0,0 3\n", "line 6: after 1 0,0, 2 0,1: no code that is possible here gets 0,1"),
        (GOOD[-43:], "", "line 3: at the first guess: nothing follows 0,0 to 1, which 2 and 2 more would get"),
    ],
)  # fmt: skip
def test_the_first_wrong_line_is_named(old, new, told):
    assert certify(parse_tree(GOOD)).distribution == (1, 1, 1, 1)
    assert refused(GOOD.replace(old, new, 1)).startswith(told)


def test_of_several_wrong_lines_the_first_is_named():
    text = "evilpegs tree 1\nrules 2x2\n11\n  1,0 12\n    0,1 11\n  0,0 22\n    0,0 22\n"
    assert refused(text).startswith("line 4: after 11 1,0: nothing follows 0,2 to 12, which 21 would get")


@pytest.mark.parametrize("guess", [(0,), (0, 9), (0, 0)])
def test_a_guess_that_is_no_code_of_the_rules(guess):
    tree = Tree(Rules(2, 3, repeats=False), Node(guess, {}))
    with pytest.raises(TreeError, match=r"^at the first guess: "):
        certify(tree)


@pytest.mark.parametrize("given", [Feedback(1, 0), Feedback(0, 1), Feedback(7, 7)])
def test_a_child_that_no_feedback_leads_to(given):
    tree = Tree(Rules(1, 2), Node((0,), {Feedback(0, 0): Node((1,), {}), given: Node((1,), {})}))
    with pytest.raises(TreeError, match=f"^after 1 {given}: no code that is possible here gets {given}"):
        certify(tree)


def test_depth_is_bounded():
    node = Node((1,), {})
    for _ in range(MAX_DEPTH - 1):
        node = Node((0,), {Feedback(0, 0): node})
    assert certify(Tree(Rules(1, 2), node)).max == MAX_DEPTH
    with pytest.raises(TooLargeError, match="the tree is deeper than 128 guesses"):
        certify(Tree(Rules(1, 2), Node((0,), {Feedback(0, 0): node})))


def test_memory_is_bounded_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(certificate, "all_codes", lambda rules: pytest.fail("they were made"))
    with pytest.raises(TooLargeError, match=r"a tree of 16x34 takes .* bytes; the bound is 1,073,741,824"):
        certify(Tree(Rules(16, 34), Node((0,) * 16, {})))


@compiled
def test_memory_is_no_more_than_is_said(peak_of):
    rules = Rules(5, 7)
    tree = tree_of(first_consistent, rules)
    all_codes(rules)
    with peak_of((2 * 5 + 5) * rules.size + 100_000):
        assert certify(tree).total == 116034


@given(st.data())
def test_a_broken_tree_is_refused_or_is_what_plain_play_makes_of_it(data):
    rules = data.draw(st.sampled_from([Rules(2, 3), Rules(3, 3), Rules(3, 4, repeats=False), Rules(1, 4)]))
    tree = tree_of(data.draw(st.sampled_from([minimax, first_consistent])), rules)
    changed = broken(tree, data)
    assume(changed != tree)
    expected = plain_distribution(changed)
    if expected is None:
        text = format_tree(changed)
        number = int(re.match(r"line ([0-9]+): ", refused(text))[1])
        assert number in {node.line for _, _, node in nodes(parse_tree(text))}
    else:
        assert certify(changed).distribution == expected


def broken(tree, data):
    """The tree with one node dropped, exchanged with its sibling, put elsewhere or given another guess."""
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


def test_a_strategy_without_end_has_no_tree():
    with pytest.raises(StuckError, match="a code of 1x2 is not guessed within 128 guesses"):
        tree_of(lambda position: (0,), Rules(1, 2))


def test_a_strategy_that_plays_what_is_no_code_has_no_tree():
    assert check_code(parse_code("12", Rules(2, 2)), Rules(2, 2)) is None
    with pytest.raises(IllegalCodeError, match="'1' has 1 peg; 2x2 needs 2"):
        tree_of(lambda position: (0,), Rules(2, 2))
