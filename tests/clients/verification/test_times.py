"""Doubts about records whose turns took longer than the wall clock allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_clients.verification.verify import TOLERANCE_MS, compare_times, find_doubts
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted

MATCH = "0123456789abcdef"


def game(turns, start=0, number=1, last=None, opened=True):
    """Return the events of a game; each turn is (took_ms, milliseconds since the event before)."""
    at = start
    events = [GameStarted(match=MATCH, seq=2, at=at, game=number, commitment="0" * 64, ready_by_ms=1)] if opened else []
    for turn, (took_ms, passed_ms) in enumerate(turns, 1):
        at += passed_ms
        given = {"code": "11", "black": 0, "white": 0, "took_ms": took_ms, "left_ms": None}
        events.append(FeedbackGiven(match=MATCH, seq=2, at=at, game=number, turn=turn, **given))
    took_ms, passed_ms = last or (0, 0)
    elapsed_ms = sum(took for took, _ in turns) + took_ms
    end = {"outcome": "flagged", "guesses": len(turns), "secret": None, "nonce": "0" * 64 if opened else None}
    return [*events, GameOver(match=MATCH, seq=2, at=at + passed_ms, game=number, elapsed_ms=elapsed_ms, **end)]


def places(events):
    return [(doubt.game, doubt.turn) for doubt in compare_times(events)]


@pytest.mark.parametrize(("excess", "doubts"), [(-1, []), (0, []), (1, [(1, 2)])])
def test_one_turn_over_tolerance_is_doubtful(excess, doubts):
    turns = [(100, 100), (5000 + TOLERANCE_MS + excess, 5000), (7, 7)]
    assert places(game(turns)) == doubts


def test_excess_over_many_turns_is_doubtful():
    turns = [(900, 700)] * 12
    assert places(game(turns)) == [(1, 6), (1, 12)]
    assert places(game([(900, 900)] * 12)) == []


def test_pause_before_turns_hides_no_excess():
    assert places(game([(10, 60_000), (3000, 1), (10, 60_000), (3000, 1)])) == [(1, 2), (1, 4)]


def test_time_after_last_guess_counts():
    assert places(game([(10, 10)], last=(60_000, 60_000))) == []
    assert places(game([(10, 10)], last=(60_000, 1))) == [(1, 0)]


def test_games_are_compared_apart():
    spread = [*game([(900, 0)]), *game([(900, 0)], number=2)]
    assert places(spread) == []
    assert places([*game([(9000, 0)]), *game([(9000, 0)], number=2)]) == [(1, 1), (2, 1)]


def test_unopened_game_is_not_compared():
    assert places([*game([]), *game([], number=2, opened=False)]) == []


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), max_size=30))
def test_turns_that_fit_are_never_doubtful(turns):
    """A recorder whose clock never falls behind gives no doubt, however long pauses and replies take."""
    assert places(game([(took, took + more) for took, more in turns])) == []


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=12))
def test_doubt_exists_exactly_if_some_turns_exceed_their_time(turns):
    excess = [took - passed for took, passed in turns]
    sums = [sum(excess[first:last]) for first in range(len(turns)) for last in range(first + 1, len(turns) + 1)]
    assert bool(places(game(turns))) == (max(sums, default=0) > TOLERANCE_MS)


def test_unreadable_record_has_no_doubts():
    assert find_doubts([{"type": "odd"}]) == []
    assert find_doubts([]) == []
