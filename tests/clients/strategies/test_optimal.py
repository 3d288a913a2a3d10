import re
import tomllib
from importlib.resources import files
from pathlib import Path

import numba
import pytest

from evilpegs_clients.strategies.optimal import TREE_FILES, Optimal
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
from evilpegs_game.trees.tree import parse_tree, tree_from_strategy
from support.walks import duel, evaluate

ROOT = Path(__file__).parents[3]
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

# Totals: K. Koyama and T. W. Lai 1993 for 4x6, G. Ville 2013 for all. Worst cases are of these trees, not unique.
KNOWN = {"4x4": (905, 5), "4x5": (2463, 5), "4x6": (5625, 6)}


def choice(rules, *turns, budget=None, **options):
    """Return the choice after ``turns``, a secret and the guesses it answers, and the position of that choice."""
    rules = Rules.parse(rules)
    secret, *guesses = [parse_code(code, rules) for code in turns] or [()]
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)
    position = Position(rules, history, LiveSets(), budget)
    return Optimal(**options).choose(position, turn_rng(0, 1)), position


@pytest.mark.parametrize("rules", TREE_FILES, ids=str)
def test_shipped_tree_is_certified(rules):
    tree = parse_tree(files("evilpegs_clients").joinpath("strategies", "trees", TREE_FILES[rules]).read_text())
    assert tree.rules == rules
    certified = certify(tree)
    assert (certified.total, certified.max) == KNOWN[str(rules)]


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


def test_wheel_has_trees():
    """The trees are files of a packed package, and Hatch packs all of them."""
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    package = Path(str(files("evilpegs_clients")))
    assert package.relative_to(ROOT).as_posix() in packed["packages"]
    assert {path.name for path in (package / "strategies" / "trees").iterdir()} == set(TREE_FILES.values())
