import re
import tracemalloc
from pathlib import Path

import numba
import pytest

from evilpegs_clients.strategies.optimal import TREES, Optimal, shipped_tree
from evilpegs_clients.strategies.strategy import seeded_choice, turn_rng
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import parse_code
from evilpegs_game.errors import ContradictionError, OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, Turn, feedback
from evilpegs_game.guessing.criteria import MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import tree_from_strategy
from support.walks import duel, evaluate

ROOT = Path(__file__).parents[3]
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

# Totals: K. Koyama and T. W. Lai 1993 for 4x6, G. Ville 2013 up to 4x7, T. Tanaka 1996 for 4x10-distinct. Worst cases
# are of these trees, not unique.
KNOWN = {
    "4x4": (905, 5),
    "4x5": (2463, 5),
    "4x6": (5625, 6),
    "4x7": (11228, 6),
    "4x8": (20471, 7),
    "4x9": (34666, 8),
    "5x4": (3954, 6),
    "5x5": (13496, 6),
    "5x6": (36721, 6),
    "4x10-distinct": (26274, 7),
}
SHIPPED = sorted(path.name.removesuffix(".tree.gz") for path in TREES.iterdir())


def choice(rules, *turns, budget=None, **options):
    """Return the choice after ``turns``, a secret and the guesses it answers, and the position of that choice."""
    rules = Rules.parse(rules)
    secret, *guesses = [parse_code(code, rules) for code in turns] or [()]
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)
    position = Position(rules, history, LiveSets(), budget)
    return Optimal(**options).choose(position, turn_rng(0, 1)), position


@pytest.mark.parametrize("rules", SHIPPED)
def test_shipped_tree_is_certified(rules):
    tree = shipped_tree(Rules.parse(rules)).tree
    assert str(tree.rules) == rules
    certified = certify(tree)
    assert (certified.total, certified.max) == KNOWN[rules]


def test_shipped_trees_are_all_known_and_small():
    """The sizes are those of docs/trees.md."""
    assert sorted(KNOWN) == SHIPPED
    text = (ROOT / "docs/trees.md").read_text()
    for path in TREES.iterdir():
        rules = path.name.removesuffix(".tree.gz")
        total, most = KNOWN[rules]
        row = f"| `{rules}` | {Rules.parse(rules).size:,} | {total:,} | {most} | {path.stat().st_size / 1000:.1f} kB |"
        assert row in text
    assert sum(path.stat().st_size for path in TREES.iterdir()) < 500_000


@pytest.mark.parametrize("rules", ["4x8", "4x10-distinct"])
def test_optimal_plays_large_trees_from_first_to_last_guess(rules):
    parsed = Rules.parse(rules)
    assert tree_from_strategy(seeded_choice(Optimal()), parsed) == shipped_tree(parsed).tree


def test_no_tree_of_other_rules():
    assert shipped_tree(Rules(4, 6, repeats=False)) is None
    assert shipped_tree(Rules(5, 8)) is None


def test_few_trees_stay_in_memory():
    shipped_tree(Rules.parse("4x5"))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        shipped_tree.cache_clear()
        shipped_tree(Rules.parse("5x6"))
        assert tracemalloc.get_traced_memory()[0] - before < 3_000_000
    finally:
        tracemalloc.stop()
    assert shipped_tree.cache_info().maxsize == 4


@compiled
@pytest.mark.parametrize(("rules", "total"), [*[(rules, total) for rules, (total, _) in KNOWN.items()], ("3x6", 854)])
def test_optimal_plays_published_total(rules, total):
    assert evaluate(seeded_choice(Optimal()), Rules.parse(rules)).total == total


@compiled
def test_optimal_without_trees_is_as_good():
    assert evaluate(seeded_choice(Optimal(uses_trees=False)), Rules(4, 4)).total == KNOWN["4x4"][0]


@pytest.mark.parametrize("text", ["2x3", "2x4-distinct", "3x3"])
def test_optimal_tree_has_least_total(text):
    rules = Rules.parse(text)
    position = Position(rules, (), LiveSets())
    assert certify(tree_from_strategy(seeded_choice(Optimal()), rules)).total == LeastTotal(rules).total(
        position.candidates
    )


@compiled
def test_optimal_after_other_guess():
    guess, position = choice("4x6", "6543", "1122")
    least = LeastTotal(Rules(4, 6))
    assert least.total_after(position.candidates, guess) == least.total(position.candidates)


@pytest.mark.full
@compiled
def test_optimal_after_other_first_guess():
    rules = Rules(4, 6)
    played = evaluate(seeded_choice(Optimal()), rules, first=(0, 0, 1, 1))
    position = Position(rules, (), LiveSets())
    assert played.total == LeastTotal(rules).total_after(position.candidates, (0, 0, 1, 1))


def test_optimal_refuses_impossible_feedback():
    """No code of 4x6 gives 3,1."""
    position = Position(Rules(4, 6), (Turn((0, 0, 1, 2), Feedback(3, 1)),), LiveSets())
    with pytest.raises(ContradictionError, match="4x6"):
        Optimal().choose(position, turn_rng(0, 1))


@compiled
def test_optimal_falls_back_to_most_parts():
    guess, position = choice("5x8", "12345", "11223")
    assert guess == best_guess(position, MOST_PARTS)


@compiled
def test_optimal_is_exact_near_end():
    guess, position = choice("5x8", "12345", "11234", "21355")
    assert 2 < position.count < 100
    least = LeastTotal(Rules(5, 8))
    assert least.total_after(position.candidates, guess) == least.total(position.candidates)


@pytest.mark.parametrize(
    ("rules", "error", "numbers"),
    [
        ("3x4", OverBudgetError, ["10"]),
        ("5x8", TooLargeError, ["32,768", "1,296"]),
        ("10x12", TooLargeError, ["61,917,364,224", "1,296"]),
        ("10x2", TooLargeError, ["1,048,576", "9"]),
    ],
)
def test_optimal_refuses_unknown_first_guess(rules, error, numbers):
    with pytest.raises(error) as caught:
        choice(rules, work=10)
    words = re.findall(r"[\w,-]*\w", str(caught.value))
    assert {rules, *numbers, "most-parts", "sampled"} <= set(words)
    assert "\n" not in str(caught.value)


def test_optimal_keeps_budget():
    with pytest.raises(OverBudgetError):
        choice("3x4", budget=1)
    with pytest.raises(OverBudgetError):
        choice("3x4", "123", "111", budget=1)


@compiled
def test_optimal_budget_plays_most_parts_first():
    guess, position = choice("5x8", budget=10**9)
    assert guess == best_guess(position, MOST_PARTS)


def test_optimal_tree_needs_no_budget():
    assert choice("4x6", budget=1)[0] == (0, 0, 1, 2)


@compiled
def test_optimal_candidates_only():
    guess, position = choice("4x6", "1234", "1123", "1456", candidates_only=True)
    least = LeastTotal(Rules(4, 6))
    candidates = [position.candidate(place) for place in range(position.count)]
    assert len(candidates) > 2
    totals = [least.total_after(position.candidates, code) for code in candidates]
    assert least.total_after(position.candidates, guess) == min(totals)
    guess, position = choice("4x6", candidates_only=True)
    assert guess == best_guess(position, MOST_PARTS, candidates_only=True)


def test_optimal_beats_evil_on_classic():
    turns = duel(seeded_choice(Optimal()), Evil(), Rules(4, 6))
    assert len(turns) <= 6
