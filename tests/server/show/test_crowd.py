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
        (0.2, [Reading.RESUMED]),
        (0.6, []),
    ],
)
def test_lists_are_refused_before_streams(late, taken):
    crowd = Crowd()
    crowd.note(late)
    assert admitted(crowd) == taken
    assert sorted(crowd.refused) == sorted(set(Reading) - set(taken))


def test_lateness_is_remembered_for_a_while():
    crowd = Crowd()
    crowd.note(1.0)
    seen = []
    for _ in range(40):
        seen.append(admitted(crowd))
        crowd.note(0.0)
    assert [len(taken) for taken in seen] == sorted(len(taken) for taken in seen)
    assert (seen[0], seen[10], seen[-1]) == ([], [Reading.RESUMED], list(Reading))
    assert sum(crowd.lag.counts) == 41


async def test_event_loop_that_stands_still_is_late():
    with Crowd.watched() as crowd:
        await until(lambda: sum(crowd.lag.counts) > 0)
        before, end = crowd.lag.seconds, perf_counter() + 0.2
        while perf_counter() < end:
            pass
        await until(lambda: crowd.lag.seconds > before + 0.1)
