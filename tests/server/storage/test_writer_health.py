"""The health of the writer, on a clock that tests move."""

import pytest

from evilpegs_server.storage.log.writer import FAILED_SECONDS, STUCK_SECONDS, WriterHealth


class Seconds:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def health(seconds):
    return WriterHealth(seconds)


def test_idle_writer_is_healthy(health, seconds):
    seconds.now += 1_000
    assert (health.failed, health.stuck) == (False, False)


def test_writer_is_stuck_when_job_waits_too_long(health, seconds):
    seconds.now += 1_000
    health.note_submitted()
    seconds.now += STUCK_SECONDS
    assert not health.stuck
    seconds.now += 0.001
    assert health.stuck
    health.note_committed(1, 0)
    assert not health.stuck


def test_steady_commits_of_busy_writer_are_progress(health, seconds):
    for _ in range(3):
        health.note_submitted()
    for _ in range(2):
        seconds.now += STUCK_SECONDS - 1
        health.note_committed(1, 0)
    assert not health.stuck


def test_writer_has_failed_when_whole_commit_failed(health):
    for jobs, failed, expected in [(2, 1, False), (2, 2, True), (1, 0, False)]:
        for _ in range(jobs):
            health.note_submitted()
        health.note_committed(jobs, failed)
        assert health.failed == expected


def test_failure_is_forgotten_after_a_time(health, seconds):
    health.note_submitted()
    health.note_committed(1, 1)
    seconds.now += FAILED_SECONDS - 0.001
    assert health.failed
    seconds.now += 0.001
    assert not health.failed
