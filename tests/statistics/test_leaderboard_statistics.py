"""The leaderboard as a statistician would test it: equal players must not be told apart, whatever they try.

Every test runs in a short form with all tests and at full length with `make statistics`, which prints its figures.
"""

import math

import numpy as np
import pytest

from evilpegs_game.statistics.confidence_sequences import betting_intervals
from evilpegs_server.leaderboard import intervals
from evilpegs_server.leaderboard.intervals import LEVEL, version_level
from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.standing import RANKED_FROM, RANKED_FROM_FIXED
from support.equal_players import (
    EARLY_LOOKS,
    LATE_LOOKS,
    EqualPlayers,
    add_games,
    adjusted_misses,
    asymptotic_misses,
    best_high_end,
    betting_misses,
    honest_counts,
)
from support.score_sources import GUESS_LIMIT, evil_source, fixed_source

FIXED = fixed_source("entropy")
PEOPLE = fixed_source("first-consistent")
"""People play no better than a program that guesses the first code that can still be the secret."""
EVIL = evil_source("first-consistent")
STEADY = evil_source("optimal")
"""An evil ladder on which all games that are not left have the same score."""
FAILURES = (0.0, 0.01, 0.05)
CLOSE_LOOKS = (20, 25, 30, 40, 50, 60, 70, 85, 100, 120, 150, 200, 250, 300, 400, 500, 700, 1_000, 1_400, 2_000)
NAMES = 60
HONEST_GAMES = 1_000_000

sizes = pytest.mark.parametrize("size", [1, pytest.param(60, marks=pytest.mark.statistics)], ids=["short", "full"])
"""The number of simulated ladders or players, in units of the short form. Seeds are fixed, so results repeat."""


def report(what, share, trials):
    """Print a share with its binomial standard error."""
    error = math.sqrt(share * (1 - share) / trials)
    print(f"{what}: {share:.2%} (standard error {error:.2%}, {trials:,} trials)")


LADDERS = {
    "fixed, luck-adjusted": {"source": FIXED, "adjusted": True, "looks": LATE_LOOKS},
    "fixed, luck-adjusted, 1 % failed": {"source": FIXED.with_failures(0.01), "adjusted": True, "looks": LATE_LOOKS},
    "fixed, luck-adjusted, 5 % failed": {"source": FIXED.with_failures(0.05), "adjusted": True, "looks": LATE_LOOKS},
    "people, 1 % failed": {"source": PEOPLE.with_failures(0.01), "adjusted": True, "looks": EARLY_LOOKS},
    "people, 5 % failed": {"source": PEOPLE.with_failures(0.05), "adjusted": True, "looks": EARLY_LOOKS},
    "fixed, raw": {"source": FIXED, "looks": LATE_LOOKS},
    "fixed, raw, 5 % failed": {"source": FIXED.with_failures(0.05), "looks": LATE_LOOKS},
    "evil": {"source": EVIL, "looks": EARLY_LOOKS},
    "evil, 1 % failed": {"source": STEADY.with_failures(0.01), "looks": EARLY_LOOKS},
}


@sizes
@pytest.mark.parametrize("ladder", LADDERS)
def test_equal_players_are_not_told_apart(ladder, size):
    """1,000 equal names stop when they look good, begin new versions and take new names."""
    trials, rng = size, np.random.default_rng(1)
    errors = sum(
        EqualPlayers(rng=rng, players=1_000, **LADDERS[ladder]).is_anybody_wholly_better() for _ in range(trials)
    )
    report(f"{ladder}: ladders on which anybody is wholly better than an equal", errors / trials, trials)
    assert errors / trials <= LEVEL


@sizes
@pytest.mark.parametrize("failed", [0.01, 0.05])
def test_without_assumed_failure_equal_players_are_told_apart(failed, size, monkeypatch):
    """A control that must fail: a player without a failed game so far has an interval that is far too narrow."""
    monkeypatch.setattr(intervals, "ASSUMED_FAILURES", 0)
    trials, rng = math.ceil(size / 6), np.random.default_rng(2)
    kind = LADDERS["fixed, luck-adjusted"] | {"source": FIXED.with_failures(failed)}
    errors = sum(EqualPlayers(rng=rng, players=1_000, **kind).is_anybody_wholly_better() for _ in range(trials))
    report(f"no assumed failure, {failed:.0%} failed: ladders with anybody wholly better", errors / trials, trials)
    assert errors > trials / 2


@sizes
@pytest.mark.parametrize("failed", FAILURES)
@pytest.mark.parametrize("source", [FIXED, EVIL, STEADY], ids=["fixed", "evil", "evil, steady"])
def test_shown_intervals_cover_means(source, failed, size):
    """The share of players whose shown interval ever misses their mean, at looks from 1 to 10,000 games."""
    players, rng = 100 * size, np.random.default_rng(3)
    looks = (1, 2, 5, 10, 20, 35, 50, 70, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000)
    betting = betting_misses(source.with_failures(failed), rng, looks, players)
    report(f"mean {source.mean:.2f}, {failed:.0%} failed, betting intervals that ever miss", betting, players)
    assert betting <= LEVEL


@sizes
@pytest.mark.parametrize("failed", [*FAILURES, 0.1])
@pytest.mark.parametrize("source", [FIXED, PEOPLE], ids=["entropy", "people"])
def test_adjusted_intervals_cover_means(source, failed, size):
    """The share of players whose luck-adjusted interval ever misses their mean, from 20 to 10,000 games."""
    players, rng = 100 * size, np.random.default_rng(4)
    looks = (*CLOSE_LOOKS, 5_000, 10_000)
    misses = adjusted_misses(source.with_failures(failed), rng, looks, players)
    report(f"mean {source.mean:.2f}, {failed:.0%} failed, luck-adjusted intervals that ever miss", misses, players)
    assert misses <= LEVEL


@sizes
def test_asymptotic_intervals_miss_on_evil_ladders(size):
    """A control that must fail: from 20 games on, the asymptotic interval misses the mean of many evil players."""
    players, rng = 100 * size, np.random.default_rng(5)
    for failed in (0.01, 0.05):
        _, raw = asymptotic_misses(STEADY.with_failures(failed), rng, EARLY_LOOKS, players)
        report(f"evil, steady, {failed:.0%} failed, asymptotic intervals that ever miss", raw, players)
        assert raw > 0.16


def ladder_with_honest_player(source, ranked_from):
    """Return a ladder with a player who has a million games and no luck."""
    board = Leaderboard(guess_limit=GUESS_LIMIT, ranked_from=ranked_from, adjusted=False)
    add_games(board, 0, "bot 1", 0, honest_counts(source, HONEST_GAMES))
    return board


def is_honest_player_beaten(board):
    return next(each.rank for each in board.rows() if each.player == "p0") != 1


def farm_versions(source, rng, versions=20):
    """Return True if a player who begins a new version every 100 games is ever wholly better than an equal."""
    board = ladder_with_honest_player(source, RANKED_FROM_FIXED)
    for version in range(versions):
        (counts,) = source.histograms(source.draw(rng, 100, 1)).tolist()
        add_games(board, 1, f"bot {version}", version + 1, counts)
        if is_honest_player_beaten(board):
            return True
    return False


@sizes
def test_new_versions_gain_nothing(size):
    trials, rng = 2 * size, np.random.default_rng(6)
    gains = sum(farm_versions(FIXED, rng) for _ in range(trials))
    report("players who stop when one of 20 versions is lucky and gain by it", gains / trials, trials)
    assert gains / trials <= LEVEL


def farm_names(source, rng, looks):
    """Return True if one of many names with these numbers of games is ever wholly better than an equal player."""
    board = ladder_with_honest_player(source, RANKED_FROM)
    for order, more in enumerate(np.diff([0, *looks]).tolist(), 1):
        histograms = source.histograms(source.draw(rng, more, NAMES)).tolist()
        for name, counts in enumerate(histograms, 1):
            add_games(board, name, "bot 1", order * NAMES + name, counts)
        if is_honest_player_beaten(board):
            return True
    return False


@sizes
@pytest.mark.parametrize("source", [EVIL, STEADY.with_failures(0.05)], ids=["evil", "evil, steady, failing"])
def test_new_names_gain_nothing(source, size):
    trials, rng = 2 * size, np.random.default_rng(7)
    gains = sum(farm_names(source, rng, (20, 40, 80, 200)) for _ in range(trials))
    report(f"owners of {NAMES} names who gain by the luckiest", gains / trials, trials)
    assert gains / trials <= LEVEL


def test_names_with_four_games_have_no_rank():
    board = ladder_with_honest_player(EVIL, RANKED_FROM)
    histograms = EVIL.histograms(EVIL.draw(np.random.default_rng(8), 4, NAMES)).tolist()
    for name, counts in enumerate(histograms, 1):
        add_games(board, name, "bot 1", name, counts)
    rows = board.rows()
    assert [each.rank for each in rows] == [1] + [None] * NAMES
    assert {each.games for each in rows[1:]} == {4}
    assert RANKED_FROM > 4


@sizes
def test_levels_of_versions_alone_do_not_stop_names(size):
    """A control that must fail: at the level of a first version, one of 1,000 names soon looks wholly better."""
    trials, rng = math.ceil(size / 6), np.random.default_rng(9)
    source = EVIL.with_failures(0.05)
    honest, names = honest_counts(source, HONEST_GAMES), 1_000
    for divisor, fails in ((1, True), (names, False)):
        level = version_level(1) / divisor
        ((low, _),) = betting_intervals([honest], 1, GUESS_LIMIT + 1, level)
        gains = sum(bool(best_high_end(source, rng, CLOSE_LOOKS, names, level) < low) for _ in range(trials))
        report(f"ladders of {names:,} names with a gain if the level is divided by {divisor:,}", gains / trials, trials)
        assert (gains / trials > LEVEL) == fails
