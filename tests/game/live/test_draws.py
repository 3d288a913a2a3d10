"""Draws of candidates without tables of all: by rejection, and by counts of guesses of one color."""

from collections import Counter
from itertools import permutations, product
from random import Random

import numba
import pytest

from evilpegs_game.counting import solution_tables
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.live.draws import draw_blindly, draw_by_colors
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

POSITIONS = [
    (Rules(4, 5), (0, 2, 2, 4), [(0, 0, 1, 2), (0, 3, 3, 1), (4, 2, 1, 3)]),
    (Rules(4, 6, repeats=False), (0, 2, 5, 4), [(0, 1, 2, 3), (4, 2, 1, 0)]),
]


def position_of(rules, secret, guesses):
    """Return a history, and the candidates by the plain definition."""
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)
    colors = range(rules.colors)
    space = product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs)
    return history, [code for code in space if all(feedback(guess, code) == answer for guess, answer in history)]


class FirstIs:
    """Random numbers of which the first is given."""

    def __init__(self, first):
        self._first, self._rng = first, Random(first)

    def randrange(self, stop):
        first, self._first = self._first, None
        assert first is None or first < stop
        return self._rng.randrange(stop) if first is None else first


@pytest.mark.parametrize(("rules", "secret", "guesses"), POSITIONS)
def test_draw_blindly_is_uniform(rules, secret, guesses):
    history, live = position_of(rules, secret, guesses)
    each = 400
    drawn = draw_blindly(rules, history, Random(1), each * len(live))
    counts = Counter(drawn)
    assert set(counts) == set(live)
    chi_square = sum((counts[code] - each) ** 2 / each for code in live)
    assert chi_square < len(live) - 1 + 3 * (2 * (len(live) - 1)) ** 0.5


def test_draw_blindly_gives_up():
    rules, secret, guesses = Rules(12, 14), tuple(range(12)), [tuple(range(1, 13)), tuple(range(12))]
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)
    assert draw_blindly(rules, history, Random(1), 1, blocks=1) == []


@pytest.mark.parametrize(("rules", "secret", "guesses"), POSITIONS)
def test_draw_by_colors_weighs_each_number_of_pegs_exactly(rules, secret, guesses):
    """Each index that can be drawn leads to a candidate; as many to each number of pegs as candidates have it."""
    history, live = position_of(rules, secret, guesses)
    drawn = [draw_by_colors(rules, history, FirstIs(index), 32 << 20) for index in range(len(live))]
    assert set(drawn) <= set(live)
    assert Counter(code.count(0) for code in drawn) == Counter(code.count(0) for code in live)


@compiled
def test_draw_by_colors_goes_on_until_tables_fit(monkeypatch):
    rules, secret, guesses = POSITIONS[0]
    history, live = position_of(rules, secret, guesses)
    made = solution_tables.SolutionTables
    longer = []

    def fits_later(rules, history, max_bytes):
        longer.append(history)
        if len(longer) % 4:
            raise TooLargeError("too large")
        return made(rules, history, max_bytes)

    monkeypatch.setattr("evilpegs_game.live.draws.SolutionTables", fits_later)
    drawn = {draw_by_colors(rules, history, Random(seed), 32 << 20) for seed in range(20 * len(live))}
    assert drawn == set(live)
    assert len(longer[3]) == len(history) + 4


@compiled
def test_live_sets_sample_where_tables_do_not_fit(monkeypatch):
    rules, secret = Rules(8, 10), (0, 1, 2, 3, 4, 5, 6, 7)
    history = tuple(
        Turn(guess, feedback(guess, secret)) for guess in [(1, 0, 3, 2, 9, 9, 8, 8), (0, 1, 4, 4, 2, 3, 8, 8)]
    )
    position = Position(rules, history, LiveSets(max_listed_codes=lambda _: 0))

    def too_large(*_):
        raise TooLargeError("too large")

    monkeypatch.setattr("evilpegs_game.live.live_sets.SolutionTables", too_large)
    assert all(position.is_candidate(code) for code in position.sample(Random(1), 50))
    monkeypatch.setattr("evilpegs_game.live.live_sets.draw_blindly", lambda *_: [])
    assert position.is_candidate(*position.sample(Random(1)))
    with pytest.raises(TooLargeError):
        position.sample(Random(1), 2)


def test_live_sets_refuse_to_draw_beyond_63_bits():
    with pytest.raises(TooLargeError) as caught:
        Position("16x16").sample(Random(1))
    assert f"{2**63 - 1:,}" in str(caught.value)
    assert "\n" not in str(caught.value)
