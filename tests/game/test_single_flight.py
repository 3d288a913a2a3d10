"""Who asks at the same time gets the same value, computed once, and nothing stays."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from evilpegs_game.single_flight import SingleFlight

PATIENCE, ASKING = 10, 8


class Held:
    """Computes when it is let go, and counts how often."""

    def __init__(self, result):
        self.result, self.began, self.go, self.times = result, Event(), Event(), 0

    def __call__(self):
        self.times += 1
        self.began.set()
        assert self.go.wait(PATIENCE)
        return self.result()


class Flights(dict):
    """The flights under way; lets go once as many as wanted have looked for one that is there."""

    def __init__(self, held, wanted):
        super().__init__()
        self.held, self.wanted = held, wanted

    def get(self, key):
        found = super().get(key)
        if found is not None:
            self.wanted -= 1
            if not self.wanted:
                self.held.go.set()
        return found


def ask_together(single, held):
    """One asks, and while that computes all the others do; what each was given."""
    single._flights = Flights(held, ASKING - 1)
    with ThreadPoolExecutor(ASKING) as pool:
        leading = pool.submit(single.get, "key", held)
        assert held.began.wait(PATIENCE)
        others = [pool.submit(single.get, "key", held) for _ in range(ASKING - 1)]
    return [leading, *others]


def test_all_who_ask_meanwhile_get_the_one_value():
    single, held = SingleFlight(), Held(object)
    values = [each.result() for each in ask_together(single, held)]
    assert held.times == 1
    assert all(value is values[0] for value in values)
    assert len(single) == 0


def test_all_who_ask_meanwhile_get_the_one_exception():
    single, held = SingleFlight(), Held(lambda: 1 // 0)
    errors = [each.exception() for each in ask_together(single, held)]
    assert held.times == 1
    assert isinstance(errors[0], ZeroDivisionError)
    assert all(error is errors[0] for error in errors)
    assert len(single) == 0


def test_two_keys_are_computed_side_by_side():
    single, meeting = SingleFlight(), Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(single.get, key, lambda: meeting.wait(PATIENCE)) for key in "ab"]
    assert sorted(each.result() for each in both) == [0, 1]


def test_many_at_once_are_never_computed_twice_at_a_time():
    """Each computes with nobody else in it; how many times depends on who was late."""
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


def test_nothing_is_kept():
    single = SingleFlight()

    class Value:
        pass

    kept = weakref.ref(single.get("key", Value))
    gc.collect()
    assert kept() is None
    assert single.get("key", lambda: 1) == 1
    assert single.get("key", lambda: 2) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_whoever_is_stopped_leaves_nothing_behind(error):
    def stop():
        raise error

    single = SingleFlight()
    with pytest.raises(error):
        single.get("key", stop)
    assert single.get("key", lambda: 3) == 3
