"""Watchers: events for those who asked, and no harm to anyone else."""

from dataclasses import replace

import pytest
import structlog
from structlog.testing import capture_logs

from evilpegs_server.record import Entry
from evilpegs_server.watchers import MOST_WATCHED, Watchers

ENTRY = Entry(3, 0, "feedback", '{"seq":3}', "ab" * 32)


class Link:
    """Keeps what it is sent, or raises."""

    def __init__(self, error=None):
        self.texts, self._error = [], error

    def send(self, texts):
        if self._error is not None:
            raise self._error
        self.texts += texts


@pytest.fixture
def watchers():
    return Watchers(structlog.get_logger())


@pytest.fixture
def link():
    return Link()


def test_followers_of_the_match_and_of_its_ladder_are_told_once(watchers, identity, link):
    other = Link()
    watchers.watch(link, identity.id)
    watchers.watch(link, "tiny")
    watchers.watch(other, "tiny")
    watchers.publish(identity, [ENTRY, ENTRY])
    assert link.texts == other.texts == [ENTRY.text] * 2


def test_others_are_not(watchers, identity, link):
    watchers.watch(link, "f" * 16)
    watchers.watch(link, "classic")
    watchers.publish(identity, [ENTRY])
    watchers.publish(replace(identity, id="e" * 16), [ENTRY])
    assert link.texts == []


def test_who_unwatches_is_told_no_more(watchers, identity, link):
    watchers.watch(link, identity.id)
    watchers.unwatch(link, identity.id)
    watchers.unwatch(link, "never watched")
    watchers.publish(identity, [ENTRY])
    assert link.texts == []


def test_who_leaves_is_forgotten(watchers, identity, link):
    watchers.watch(link, identity.id)
    watchers.watch(link, "tiny")
    watchers.leave(link)
    watchers.leave(link)
    watchers.publish(identity, [ENTRY])
    assert link.texts == []


def test_a_connection_follows_so_many_and_no_more(watchers, link):
    assert all(watchers.watch(link, f"topic-{number}") for number in range(MOST_WATCHED))
    assert not watchers.watch(link, "one more")
    assert watchers.watch(link, "topic-0")
    watchers.unwatch(link, "topic-0")
    assert watchers.watch(link, "one more")


def test_one_that_raises_harms_nobody(watchers, identity, link):
    for watcher in (Link(OSError("broken pipe")), link, Link(RuntimeError())):
        watchers.watch(watcher, identity.id)
    with capture_logs() as logs:
        watchers.publish(identity, [ENTRY])
    assert link.texts == [ENTRY.text]
    assert [log["event"] for log in logs] == ["could not tell a watcher"] * 2


def test_a_match_that_is_over_counts_no_longer_among_those_watched(watchers, identity, link):
    for number in range(2 * MOST_WATCHED):
        match = replace(identity, id=f"{number:016x}")
        assert watchers.watch(link, match.id)
        watchers.publish(match, [ENTRY._replace(type="match_over")])
    assert len(link.texts) == 2 * MOST_WATCHED
