"""`evilpegs leaderboard --between`: the difference between two players, and the games that would settle it."""

import math
import statistics

import pytest

from evilpegs.commands.leaderboard import compare_rows
from evilpegs_game.errors import EvilpegsError
from evilpegs_game.statistics.between import FEWEST_GAMES, difference_lines
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow


def row(player, histogram, *, rank=None, worst=None, **adjusted):
    scores = [score for score, games in histogram for _ in range(games)]
    return LeaderboardRow(
        player=player,
        client="bot 1",
        games=len(scores),
        mean=statistics.fmean(scores),
        low=None,
        high=None,
        worst=max(scores),
        solved=1.0,
        p95_ms=1,
        mean_ms=1.0,
        histogram=histogram,
        rank=rank,
        rank_worst=worst,
        **adjusted,
    )


def standings(*rows):
    return LeaderboardDocument(
        ladder="classic", rules="4x6", codemaker="fixed", guess_limit=10, rows=rows, page=1, pages=1
    )


def adjusted(mean, deviation, games):
    return {"adjusted_mean": mean, "adjusted_deviation": deviation, "adjusted_games": games}


FAST = row("fast", ((4, 60), (5, 40)))
SLOW = row("slow", ((4, 40), (5, 60)))


def test_raw_difference_by_hand():
    """Means 4.4 and 4.6, each score with a variance of 0.24 * 100 / 99."""
    result = compare_rows(standings(FAST, SLOW), ("fast", "slow"))
    error = math.sqrt(2 * 0.24 / 99)
    assert not result["adjusted"]
    assert result["difference"] == pytest.approx(0.2)
    assert (result["low"], result["high"]) == pytest.approx((0.2 - 1.959964 * error, 0.2 + 1.959964 * error))
    assert result["chance"] == pytest.approx(2 * (1 - statistics.NormalDist().cdf(0.2 / error)))
    assert result["more_games"] == 0


def test_order_of_players_decides_only_the_sign():
    one = compare_rows(standings(FAST, SLOW), ("fast", "slow"))
    other = compare_rows(standings(FAST, SLOW), ("SLOW", "fast"))
    assert other["difference"] == -one["difference"]
    assert (other["low"], other["high"]) == (-one["high"], -one["low"])
    assert (other["chance"], other["more_games"]) == (one["chance"], one["more_games"])


def test_more_games_reach_the_wanted_power():
    near = row("near", ((4, 58), (5, 42)))
    result = compare_rows(standings(FAST, near), ("fast", "near"))
    variance = (0.24 + 0.2436) * 100 / 99
    assert result["more_games"] == math.ceil((1.959964 + 0.841621) ** 2 * variance / 0.02**2) - 100


def test_equal_means_are_never_settled():
    result = compare_rows(standings(FAST, row("twin", ((4, 60), (5, 40)))), ("fast", "twin"))
    assert (result["difference"], result["chance"], result["more_games"]) == (0, 1, None)
    assert "no number of games" in difference_lines(result)[-1]


def test_scores_without_variance():
    result = compare_rows(standings(row("four", ((4, 30),)), row("five", ((5, 30),))), ("four", "five"))
    assert (result["difference"], result["low"], result["high"], result["chance"], result["more_games"]) == (
        1,
        1,
        1,
        0,
        0,
    )


def test_adjusted_scores_are_used_where_both_have_them():
    first = row("first", ((4, 50), (5, 50)), **adjusted(4.41, 0.15, 100))
    second = row("second", ((4, 50), (5, 50)), **adjusted(4.47, 0.16, 100))
    result = compare_rows(standings(first, second), ("first", "second"))
    assert result["adjusted"]
    assert (result["first"]["mean"], result["second"]["mean"], result["difference"]) == pytest.approx(
        (4.41, 4.47, 0.06)
    )
    few = row("few", ((4, 50), (5, 50)), **adjusted(4.47, 0.16, FEWEST_GAMES - 1))
    assert not compare_rows(standings(first, few), ("first", "few"))["adjusted"]


@pytest.mark.parametrize(
    ("ranks", "apart"),
    [(((1, 1), (2, 3)), True), (((1, 2), (1, 2)), False), (((2, 2), (1, 1)), True), (((1, 1), (None, None)), False)],
)
def test_ranked_apart(ranks, apart):
    (rank, worst), (other, other_worst) = ranks
    first, second = (
        row("ann", ((4, 50),), rank=rank, worst=worst),
        row("bob", ((5, 50),), rank=other, worst=other_worst),
    )
    assert compare_rows(standings(first, second), ("ann", "bob"))["ranked_apart"] is apart


@pytest.mark.parametrize(
    ("players", "word"),
    [(("fast", "nobody"), "nobody"), (("fast", "fast"), "different"), (("fast", "new"), "19 games")],
)
def test_players_that_cannot_be_compared(players, word):
    new = row("new", ((4, FEWEST_GAMES - 1),))
    with pytest.raises(EvilpegsError, match=word):
        compare_rows(standings(FAST, new), players)
