"""Adversary's trees: their text form, the check, and the search."""

import pytest

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import all_codes, parse_code
from evilpegs_game.errors import MalformedError, TooLargeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_game.trees.adversary import AdversaryTree, Answer, format_adversary, parse_tree_or_adversary
from evilpegs_game.trees.certificate import TreeError, certify
from evilpegs_game.trees.lower_bound import LowerBound, certify_adversary
from evilpegs_game.trees.tree import Tree, TreeTextError, format_tree, parse_tree
from evilpegs_game.trees.worst_case_trees import find_adversary, find_strategy
from support.plain_tree import plain_distribution
from support.plain_worst_case import PlainWorstCase

# the worst cases are those of Jäger and Peczarski and of Ville; 3x5 is also a golden number
KNOWN = {"3x3": 4, "3x5": 5, "4x4": 4, "4x5": 5, "4x6": 5, "4x6-distinct": 5, "3x8": 6, "2x10": 7}
SMALL = """\
evilpegs adversary 1
rules 3x5
guesses 4
111 0,0
112 1,0
123 1,0
"""
# in two-peg rules half the colors, rounded down, and two more guesses are needed (Chen and Lin)
DEEP = """\
evilpegs adversary 1
rules 2x10
guesses 6
11 0,0
  12 0,0
  22 0,0
  23 0,0
12 0,0
  13 0,0
  23 0,0
  33 0,0
  34 0,0
    56 0,0
"""


def refusal(text):
    with pytest.raises((TreeTextError, TreeError)) as caught:
        certify_adversary(parse_tree_or_adversary(text))
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(("rules", "value"), KNOWN.items())
def test_trees_of_both_kinds_prove_worst_case(rules, value):
    worst = WorstCase(Rules.parse(rules))
    strategy, adversary = find_strategy(worst, value), find_adversary(worst, value - 1)
    assert certify(strategy).max == value
    assert certify_adversary(adversary) == LowerBound(worst.rules, value)
    assert format_adversary(parse_tree_or_adversary(format_adversary(adversary))) == format_adversary(adversary)


def test_strategy_finds_every_secret():
    strategy = find_strategy(WorstCase(Rules(3, 4)), 4)
    assert plain_distribution(strategy) == certify(strategy).distribution


def test_worst_case_says_what_is_solvable():
    rules = Rules(2, 3)
    least = PlainWorstCase(rules).value(PlainWorstCase(rules).guesses)
    worst = WorstCase(rules)
    assert [worst.is_solvable(all_codes(rules), guesses) for guesses in range(least + 2)] == [False] * least + [
        True
    ] * 2


def test_small_tree_is_what_search_finds():
    assert format_adversary(find_adversary(WorstCase(Rules(3, 5)), 4)) == SMALL
    assert format_adversary(find_adversary(WorstCase(Rules(2, 10)), 6)) == DEEP
    answer = Answer(Feedback(1, 0), {}, 6)
    assert parse_tree_or_adversary(SMALL).answers[parse_code("123", Rules(3, 5))] == answer


def test_parse_takes_trees_of_both_kinds():
    head = "\ufeff# a comment\n\n"
    assert isinstance(parse_tree_or_adversary(head + SMALL), AdversaryTree)
    text = "evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n"
    assert isinstance(parse_tree_or_adversary(text), Tree)
    assert parse_tree_or_adversary(text) == parse_tree(text)
    with pytest.raises(MalformedError):
        parse_tree_or_adversary(format_tree)


# each takes away or changes what the proof needs
@pytest.mark.parametrize(
    ("text", "line", "fault", "named"),
    [
        (SMALL.replace("112 1,0\n", ""), 3, "missing", ["112"]),
        ("# of Jäger and Peczarski\n\n" + SMALL.replace("111 0,0\n", ""), 5, "missing", ["at the first guess", "111"]),
        ("evilpegs adversary 1\nrules 2x3\nguesses 3\n", 3, "solvable", ["9"]),
        (SMALL.replace("112 1,0", "112 0,2"), 5, "solvable", ["112 0,2", "3"]),
        (SMALL.replace("112 1,0", "112 2,1"), 5, "unreachable", ["2,1"]),
        (SMALL.replace("111 0,0", "111 0,1"), 4, "unreachable", ["0,1", "111"]),
        (SMALL.replace("guesses 4", "guesses 5"), 4, "solvable", ["111 0,0", "4"]),
        (DEEP.replace("    56 0,0\n", "    55 0,0\n"), 12, "missing", ["34 0,0", "56"]),
        (DEEP.replace("  12 0,0\n", "", 1), 4, "missing", ["11 0,0", "12"]),
        (DEEP.replace("\n12 0,0", "\n12 1,0"), 8, "missing", ["12 1,0"]),
        (DEEP.replace("guesses 6", "guesses 7"), 5, "missing", []),
    ],
)
def test_check_refuses_what_proves_nothing(text, line, fault, named):
    error = refusal(text)
    assert (error.line, error.fault) == (line, fault)
    assert all(word in str(error) for word in named)
    assert str(error).startswith(f"line {line}: ")


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("evilpegs adversary 2\nrules 3x5\n", 1, "version"),
        ("evilpegs adversary 1\n", 1, "end"),
        ("evilpegs adversary 1\nrules 3x5\n", 2, "end"),
        ("evilpegs adversary 1\nrules 3x5\n111 0,0\n", 3, "guesses"),
        ("evilpegs adversary 1\nrules 3x5\nguesses 0\n", 3, "guesses"),
        ("evilpegs adversary 1\nrules 3x5\nguesses 129\n", 3, "guesses"),
        ("evilpegs adversary 1\nrules 3x5\nguesses 00041\n", 3, "guesses"),
        (f"evilpegs adversary 1\nrules 3x5\nguesses {'9' * 5000}\n", 3, "guesses"),
        (SMALL + "   124 0,0\n", 7, "indent"),
        (SMALL + "    124 0,0\n", 7, "depth"),
        (SMALL + "  111 0,0\n    111 0,0\n      111 0,0\n        111 0,0\n", 10, "depth"),
        (SMALL + "124\n", 7, "turn"),
        (SMALL + "126 0,0\n", 7, "code"),
        (SMALL + "124 0;0\n", 7, "feedback"),
        (SMALL + "124 3,0\n", 7, "finished"),
        (SMALL + "123 0,0\n", 7, "repeated"),
    ],
)
def test_parse_names_first_wrong_line(text, line, fault):
    error = refusal(text)
    assert (error.line, error.fault) == (line, fault)
    assert len(str(error)) < 250


def test_lines_below_last_guess_prove_nothing_more():
    one = Rules(1, 3)
    deep = AdversaryTree(one, 1, {(0,): Answer(Feedback(0, 0), {(1,): Answer(Feedback(0, 0), {})})})
    assert certify_adversary(deep).at_least == 2


def test_check_refuses_rules_too_large():
    with pytest.raises(TooLargeError):
        certify_adversary(AdversaryTree(Rules(8, 10), 5, {}))
