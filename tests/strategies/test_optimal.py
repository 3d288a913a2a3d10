import tomllib
from importlib.resources import files
from pathlib import Path

import numba
import pytest

from evilpegs_clients.strategies import optimal
from evilpegs_clients.strategies.optimal import SHIPPED, Optimal
from evilpegs_clients.strategies.strategy import player, seeded_rng
from evilpegs_game.candidates import LiveSets, Position, Turn
from evilpegs_game.certificate import certify
from evilpegs_game.codemaker import Evil
from evilpegs_game.codes import parse_code
from evilpegs_game.criteria import MOST_PARTS
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.evaluation import duel, evaluate
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.optimal import LeastTotal
from evilpegs_game.rules import Rules
from evilpegs_game.selection import best_guess
from evilpegs_game.tree import parse_tree
from evilpegs_game.tree_of import tree_of

ROOT = Path(__file__).parents[2]
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

# Totals: K. Koyama and T. W. Lai 1993 for 4x6, G. Ville 2013 for all. Worst cases are of these trees, not unique.
KNOWN = {"4x4": (905, 5), "4x5": (2463, 5), "4x6": (5625, 6)}


def choice(rules, *turns, budget=None, candidates_only=False):
    """The choice after guesses with the feedback against a secret, ``turns`` being the secret and the guesses."""
    rules = Rules.parse(rules)
    secret, *guesses = [parse_code(code, rules) for code in turns] or [()]
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)
    position = Position(rules, history, LiveSets(), budget)
    return Optimal(candidates_only).choose(position, seeded_rng(0, ())), position


@pytest.mark.parametrize("rules", SHIPPED, ids=str)
def test_every_tree_that_is_shipped_is_certified(rules):
    tree = parse_tree(files("evilpegs_clients").joinpath("trees", SHIPPED[rules]).read_text())
    assert tree.rules == rules
    certified = certify(tree)
    assert (certified.total, certified.max) == KNOWN[str(rules)]


@compiled
@pytest.mark.parametrize(("rules", "total"), [*[(rules, total) for rules, (total, _) in KNOWN.items()], ("3x6", 854)])
def test_it_plays_what_is_known_to_be_least(rules, total):
    assert evaluate(player(Optimal()), Rules.parse(rules)).total == total


@compiled
def test_without_a_tree_it_is_no_worse_than_a_tree(monkeypatch):
    monkeypatch.setattr(optimal, "SHIPPED", {})
    assert evaluate(player(Optimal()), Rules(4, 4)).total == KNOWN["4x4"][0]


@pytest.mark.parametrize("text", ["2x3", "2x4-distinct", "3x3"])
def test_its_tree_has_the_least_total(text):
    rules = Rules.parse(text)
    position = Position(rules, (), LiveSets())
    assert certify(tree_of(player(Optimal()), rules)).total == LeastTotal(rules).total(position.candidates)


@compiled
def test_after_a_guess_that_is_not_the_trees_it_takes_the_best_against_what_is_left():
    guess, position = choice("4x6", "6543", "1122")
    least = LeastTotal(Rules(4, 6))
    assert least.after(position.candidates, guess) == least.total(position.candidates)


@compiled
def test_another_first_guess_is_played_as_well_as_can_be():
    rules = Rules(4, 6)
    played = evaluate(player(Optimal()), rules, first=(0, 0, 1, 1))
    position = Position(rules, (), LiveSets())
    assert played.total == LeastTotal(rules).after(position.candidates, (0, 0, 1, 1))


def test_a_feedback_that_the_tree_lacks_is_off_the_tree():
    """3,1 cannot be; the position says so."""
    position = Position(Rules(4, 6), (Turn((0, 0, 1, 2), Feedback(3, 1)),), LiveSets())
    with pytest.raises(ValueError, match="no code of 4x6 is consistent"):
        Optimal().choose(position, seeded_rng(0, ()))


@compiled
def test_where_search_takes_too_much_it_plays_most_parts_after_the_first_guess():
    guess, position = choice("5x8", "12345", "11223")
    assert guess == best_guess(position, MOST_PARTS)


@compiled
def test_near_the_end_it_is_exact_on_large_rules_too():
    guess, position = choice("5x8", "12345", "11234", "21355")
    assert 2 < position.count < 100
    least = LeastTotal(Rules(5, 8))
    assert least.after(position.candidates, guess) == least.total(position.candidates)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (
            "3x4",
            "optimal play on 3x4 takes more than 10 feedback evaluations to find; play most-parts, or sampled, ins",
        ),
        ("5x8", "5x8 has 32,768 codes; optimal play is known for 1,296 at most; play most-parts, or sampled, instead"),
        ("10x12", "10x12 has 61,917,364,224 codes; optimal play is known for 1,296 at most; play most-parts"),
        ("10x2", "10x2 is too large for optimal play; it may have 1,048,576 codes and 9 pegs; play most-parts"),
    ],
)
def test_a_first_guess_that_is_not_known_is_refused_in_one_line(rules, told, monkeypatch):
    monkeypatch.setattr(optimal, "WORK", 10)
    with pytest.raises((OverBudgetError, TooLargeError)) as caught:
        choice(rules)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_budget_is_kept():
    with pytest.raises(OverBudgetError):
        choice("3x4", budget=1)
    with pytest.raises(OverBudgetError):
        choice("3x4", "123", "111", budget=1)


@compiled
def test_in_a_match_a_first_guess_that_is_not_known_is_that_of_most_parts():
    guess, position = choice("5x8", budget=10**9)
    assert guess == best_guess(position, MOST_PARTS)


def test_the_tree_needs_no_budget():
    assert choice("4x6", budget=1)[0] == (0, 0, 1, 2)


@compiled
def test_with_candidates_only_it_takes_the_best_candidate_or_most_parts():
    guess, position = choice("4x6", "1234", "1123", "1456", candidates_only=True)
    least = LeastTotal(Rules(4, 6))
    candidates = [position.candidate(place) for place in range(position.count)]
    assert len(candidates) > 2
    assert least.after(position.candidates, guess) == min(least.after(position.candidates, code) for code in candidates)
    guess, position = choice("4x6", candidates_only=True)
    assert guess == best_guess(position, MOST_PARTS, candidates_only=True)


def test_it_beats_evil_on_classic():
    turns = duel(player(Optimal()), Evil(), Rules(4, 6))
    assert len(turns) <= 6


def test_the_wheel_has_the_trees():
    """Hatch packs all files of a package; they lie inside of one that is packed."""
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "clients/evilpegs_clients" in packed["packages"]
    assert {path.name for path in (ROOT / "clients/evilpegs_clients/trees").iterdir()} == set(SHIPPED.values())
