"""Tallies of results: what counts, and which version is the latest."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.leaderboard.row import make_rows
from evilpegs_server.leaderboard.tally import PlayerTally, VersionTally, percentile


def ends_of(*ends):
    tally = VersionTally("bot 1")
    for outcome, guesses in ends:
        tally.add_games(outcome, guesses, 10)
    return tally


@pytest.mark.parametrize("outcome", ["unsolved", "flagged", "resigned", "forfeit", "abandoned"])
def test_failed_game_scores_limit_and_one(outcome):
    tally = ends_of((outcome, 3), ("solved", 10))
    assert (tally.scores, tally.solved) == ({10: 1, 11: 1}, 1)


def test_void_game_counts_nothing():
    assert ends_of(("void", 3)) == VersionTally("bot 1")


@pytest.mark.parametrize("guesses", [0, 11, 10**9])
def test_solved_game_outside_limit_counts_as_failed(guesses):
    """No match ends so, but a forged record must not stop the leaderboard."""
    tally = ends_of(("solved", guesses))
    assert (tally.scores, tally.solved) == ({11: 1}, 0)


@given(st.lists(st.lists(st.integers(0, 10**6))))
def test_mean_time_is_that_of_all_guesses(games):
    player = PlayerTally()
    player.version("bot 1").add_games("solved", 4, 10)
    for times in games:
        player.version("bot 1").times_ms.update(times)
    times = [time for game in games for time in game]
    (row,) = make_rows(player.counted_versions(), 10, adjusted=False)
    assert row.mean_ms == (sum(times) / len(times) if times else 0)
    assert player.version("bot 1").times_ms == Counter(times)


class TestVersionOrder:
    def player(self, *starts):
        player = PlayerTally()
        for client, order in starts:
            player.version(client).add_matches(1, order, order)
            player.version(client).add_games("solved", 4, 10)
        return player

    def numbers(self, player):
        return [(version.number, version.tally.client) for version in player.counted_versions()]

    @given(st.permutations([("b", 2), ("a", 5), ("c", 3), ("b", 9)]))
    def test_versions_are_numbered_by_first_match(self, starts):
        player = self.player(*starts)
        assert self.numbers(player) == [(1, "b"), (2, "c"), (3, "a")]
        latest = player.latest_version()
        assert (latest.number, latest.tally.client, player.matches, player.games) == (1, "b", 4, 4)

    def test_version_without_game_is_not_latest(self):
        player = self.player(("a", 1), ("c", 3))
        player.version("b").add_matches(1, 2, 2)
        player.version("d").add_matches(1, 4, 4)
        assert player.latest_version().tally.client == "c"
        assert self.numbers(player) == [(1, "a"), (3, "c")]

    def test_version_without_start_comes_last(self):
        player = PlayerTally()
        player.version("a").add_games("solved", 4, 10)
        player.version("b").add_matches(1, 1, 1)
        assert self.numbers(player) == [(2, "a")]
        assert player.latest_version().tally.client == "a"

    def test_player_without_game_has_no_latest_version(self):
        player = PlayerTally()
        player.version("a").add_matches(1, 1, 1)
        assert player.latest_version() is None


@given(st.lists(st.integers(0, 40), min_size=1))
def test_percentile_of_counts_is_that_of_list(numbers):
    counts = Counter(numbers)
    assert percentile(counts, 0.95) == sorted(numbers)[math.ceil(0.95 * len(numbers)) - 1]
