"""The worked game, the deviations and the example of an interval in the document are those of the program."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.feedback import Turn, feedback, feedback_number
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import adjusted_score, load_value_curve, turn_luck
from evilpegs_game.rules import Rules
from evilpegs_server.leaderboard.intervals import version_level
from support.all_games import GOOD_STRATEGIES, scores
from support.plain_intervals import betting_interval
from support.score_sources import MILLION, fixed_source

TEXT = (Path(__file__).parents[2] / "docs/scoring.md").read_text()
CLASSIC, LIMIT = Rules(4, 6), 10


@pytest.fixture(scope="module")
def curve():
    return load_value_curve(CLASSIC, LIMIT)


def rows(head):
    """Return the cells of the table whose first line begins with ``head``, without its two first lines."""
    (table,) = re.findall(rf"^{re.escape(head)}.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def played(guesses, secret):
    """Return the turns of a game."""
    return tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)


def test_worked_game_has_the_luck_of_the_program(curve):
    shown = rows("| turn |")
    guesses = [parse_code(row[1], CLASSIC) for row in shown]
    turns, live_sets = played(guesses, parse_code("6645", CLASSIC)), LiveSets()
    for index, (turn, row) in enumerate(zip(turns, shown, strict=True)):
        position = Position(CLASSIC, turns[:index], live_sets)
        assert format_code(GOOD_STRATEGIES["minimax"](position)) == row[1]
        size = position.part_sizes(turn.guess)[feedback_number(turn.feedback, CLASSIC.pegs)]
        value, luck = curve.value(size) if turn.feedback.black < 4 else 0.0, turn_luck(position, turn, curve)
        assert row[2:4] == [f"{turn.feedback.black},{turn.feedback.white}", f"{position.count:,}"]
        assert int(row[4].split()[0]) == size
        assert [float(cell) for cell in row[5:]] == pytest.approx([value, value - luck, -luck], abs=0.0005)
    assert f"score is 5 - 0.542 = {adjusted_score(CLASSIC, turns, curve, live_sets):.3f}" in TEXT.replace("\n", " ")


def test_deviations_are_those_of_all_games(curve):
    shown = rows("| strategy |")
    assert {row[0].strip("`") for row in shown} == set(GOOD_STRATEGIES)
    for row in shown:
        raw, luck = scores(row[0].strip("`"), curve, LIMIT)
        adjusted = raw - luck
        assert row[1:4] == [f"{number:.3f}" for number in (raw.mean(), raw.std(), adjusted.std())]
        assert row[4] == f"{raw.var() / adjusted.var():.0f} times"


def test_luck_of_the_best_of_fifteen_equals():
    source, rng = fixed_source("first-consistent"), np.random.default_rng(1)
    for games, *luck in rows("| games of each |"):
        drawn = rng.multinomial(int(games), source.chances, size=(4_000, 15))
        for cell, values in zip(luck, (source.scores, source.adjusted / MILLION), strict=True):
            best = (drawn @ values / int(games)).min(axis=1)
            assert float(cell.split()[0]) == pytest.approx(source.mean - best.mean(), abs=0.03)


def test_example_interval_follows_from_the_formula():
    fractions = [1 / (1 + math.exp(-z)) for z in equally_spaced(math.log(0.005 / 0.995), math.log(0.95 / 0.05), 24)]
    level = 0.3 / math.pi**2
    assert level == pytest.approx(version_level(1))
    counts = {3: 1, 4: 7, 5: 12}

    def wealth(mean, scaled):
        shares = [fraction / sum(fractions) for fraction in fractions]
        factors = [math.prod((1 + c * (x / mean - 1)) ** games for x, games in scaled) for c in fractions]
        return sum(share * factor for share, factor in zip(shares, factors, strict=True))

    scaled = [((score - 1) / LIMIT, games) for score, games in counts.items()]
    low = root(lambda mean: wealth(mean, scaled) - 2 / level)
    high = 1 - root(lambda mean: wealth(mean, [(1 - x, games) for x, games in scaled]) - 2 / level)
    ends = [1 + LIMIT * low, 1 + LIMIT * high]
    assert ends == pytest.approx(list(betting_interval(counts, 1, LIMIT + 1, level)))
    assert "interval {:.4f} to {:.4f}".format(*ends) in TEXT.replace("\n", " ")


def equally_spaced(first, last, count):
    return [first + (last - first) * index / (count - 1) for index in range(count)]


def root(falling):
    """Return where a falling function of a number between 0 and 1 is 0, by bisection."""
    low, high = 1e-6, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return low
