"""Callers at the same time get the same value, computed once, and nothing is kept."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from evilpegs_game.live.cache import SingleFlight
from support.patience import PATIENCE

ASKING = 8


class Held:
    """A computation that waits until it is let go and counts how often it runs."""

    def __init__(self, result):
        self.result, self.began, self.go, self.times = result, Event(), Event(), 0

    def __call__(self):
        self.times += 1
        self.began.set()
        assert self.go.wait(PATIENCE)
        return self.result()


class Key:
    """One of several equal keys. The computation is let go once the key was found under way often enough."""

    def __init__(self, held, found, wanted):
        self.held, self.found, self.wanted = held, found, wanted

    def __hash__(self):
        return 0

    def __eq__(self, other):
        self.found.append(other)
        if len(self.found) == self.wanted:
            self.held.go.set()
        return True


def ask_together(single, held):
    """Ask once, let all others ask while that one computes, and return the futures of all."""
    found = []
    with ThreadPoolExecutor(ASKING) as pool:
        leading = pool.submit(single.get, Key(held, found, ASKING - 1), held)
        assert held.began.wait(PATIENCE)
        others = [pool.submit(single.get, Key(held, found, ASKING - 1), held) for _ in range(ASKING - 1)]
    return [leading, *others]


def test_single_flight_shares_value():
    single, held = SingleFlight(), Held(object)
    values = [each.result() for each in ask_together(single, held)]
    assert held.times == 1
    assert all(value is values[0] for value in values)
    assert len(single) == 0


def test_single_flight_shares_exception():
    single, held = SingleFlight(), Held(lambda: 1 // 0)
    errors = [each.exception() for each in ask_together(single, held)]
    assert held.times == 1
    assert isinstance(errors[0], ZeroDivisionError)
    assert all(error is errors[0] for error in errors)
    assert len(single) == 0


def test_single_flight_computes_two_keys_concurrently():
    single, meeting = SingleFlight(), Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(single.get, key, lambda: meeting.wait(PATIENCE)) for key in "ab"]
    assert sorted(each.result() for each in both) == [0, 1]


def test_single_flight_never_computes_twice_at_once():
    """No two threads compute at the same time; how often the value is computed depends on their timing."""
    single, meeting, inside = SingleFlight(), Barrier(ASKING), []

    def compute():
        inside.append(1)
        assert len(inside) == 1
        inside.pop()
        return 7

    def ask(_):
        meeting.wait(PATIENCE)
        return [single.get("key", compute) for _ in range(200)]

    with ThreadPoolExecutor(ASKING) as pool:
        assert list(pool.map(ask, range(ASKING))) == [[7] * 200] * ASKING
    assert len(single) == 0


def test_single_flight_keeps_nothing():
    single = SingleFlight()

    class Value:
        pass

    kept = weakref.ref(single.get("key", Value))
    gc.collect()
    assert kept() is None
    assert single.get("key", lambda: 1) == 1
    assert single.get("key", lambda: 2) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_single_flight_recovers_from_interrupt(error):
    def stop():
        raise error

    single = SingleFlight()
    with pytest.raises(error):
        single.get("key", stop)
    assert single.get("key", lambda: 3) == 3
