"""A show that is late refuses lists first and then streams that go on, says so, and takes them again when it is not."""

from contextlib import suppress
from time import perf_counter

import pytest

from evilpegs_server.show.crowd import LIMITS, Crowd, Reading
from evilpegs_server.storage.reads import BusyError
from support.waiting import until


def admitted(crowd):
    taken = []
    for reading in Reading:
        with suppress(BusyError):
            crowd.admit(reading)
            taken.append(reading)
    return taken


@pytest.mark.parametrize(
    ("late", "taken"),
    [
        (0.0, [Reading.LIST, Reading.RESUMED]),
        (LIMITS[Reading.LIST], [Reading.LIST, Reading.RESUMED]),
        (2 * LIMITS[Reading.LIST], [Reading.RESUMED]),
        (2 * LIMITS[Reading.RESUMED], []),
    ],
)
def test_lists_are_refused_before_streams(late, taken):
    crowd = Crowd()
    for _ in range(20):
        crowd.note(late)
    assert admitted(crowd) == taken
    assert sorted(crowd.refused) == sorted(set(Reading) - set(taken))


def test_one_pause_refuses_nothing():
    crowd = Crowd()
    for late in (2.0, *[0.0] * 100, 2.0):
        assert admitted(crowd) == list(Reading)
        crowd.note(late)


def test_readers_are_taken_again_in_reverse_order():
    crowd, seen = Crowd(), []
    for late in [3.0] * 30 + [0.0] * 60:
        crowd.note(late)
        seen.append(admitted(crowd))
    assert [len(taken) for taken in seen[30:]] == sorted(len(taken) for taken in seen[30:])
    assert (seen[29], seen[-1]) == ([], list(Reading))
    assert [Reading.RESUMED] in seen[30:]
    assert sum(crowd.lag.counts) == 90


async def test_event_loop_that_stands_still_is_late():
    with Crowd.watched() as crowd:
        await until(lambda: sum(crowd.lag.counts) > 0)
        before, end = crowd.lag.seconds, perf_counter() + 0.2
        while perf_counter() < end:
            pass
        await until(lambda: crowd.lag.seconds > before + 0.1)
