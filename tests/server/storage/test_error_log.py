"""The log of failures: one short line per second, which says how many were left out before."""

from collections import Counter
from types import SimpleNamespace

import pytest
import structlog

from evilpegs_server.storage.errors import MAX_REASON, QUIET_SECONDS, FaultLog


@pytest.fixture
def clock():
    return SimpleNamespace(now=100.0)


@pytest.fixture
def faults(clock):
    return FaultLog(structlog.get_logger(), Counter(), now=lambda: clock.now)


def test_failures_of_one_second_are_one_line(faults, clock):
    with structlog.testing.capture_logs() as logged:
        for number in range(1000):
            faults.report("could not store events", OSError("full"), match=number)
        clock.now += QUIET_SECONDS
        faults.report("could not store events", OSError("full"), match=1000)
    assert [(line["match"], line.get("others_before")) for line in logged] == [(0, None), (1000, 999)]
    assert {(line["error"], line["why"], line["log_level"]) for line in logged} == {("OSError", "full", "error")}


def test_steady_failures_are_a_line_per_second(faults, clock):
    with structlog.testing.capture_logs() as logged:
        for _ in range(40):
            faults.report("could not store events", OSError())
            clock.now += QUIET_SECONDS / 8
    assert len(logged) == 5


def test_reason_is_one_short_line(faults):
    with structlog.testing.capture_logs() as logged:
        faults.report("could not store events", OSError("x" * 1000 + "\n[SQL: INSERT]"))
    assert logged[0]["why"] == "x" * MAX_REASON
