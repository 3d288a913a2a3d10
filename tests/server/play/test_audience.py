"""The audience: watchers, listeners and followers hear of events, whatever the others do."""

from collections import Counter
from dataclasses import replace

import pytest
import structlog
from structlog.testing import capture_logs

from evilpegs_server.play.audience import MAX_TOPICS, Audience, Watchers
from evilpegs_server.record.event_log import LogEntry

ENTRY = LogEntry(3, 0, "feedback", '{"seq":3}', "ab" * 32)


@pytest.fixture
def audience():
    log = structlog.get_logger()
    return Audience(Counter(), Watchers(log), log)


def fail(*_):
    raise RuntimeError


def test_listeners_and_followers_hear_of_events(audience, match_key):
    heard = []
    audience.listen(lambda: heard.append("listener"))
    audience.follow(lambda match, entries: heard.append((match, entries)))
    audience.publish(match_key, [ENTRY], None)
    assert heard == ["listener", (match_key.id, [ENTRY])]


def test_failure_of_one_is_logged_and_others_hear(audience, match_key):
    heard = []
    audience.listen(fail)
    audience.listen(lambda: heard.append("listener"))
    audience.follow(fail)
    audience.follow(lambda *_: heard.append("follower"))
    with capture_logs() as logged:
        audience.publish(match_key, [ENTRY], None)
    assert heard == ["listener", "follower"]
    assert [entry["log_level"] for entry in logged] == ["error", "error"]


class Channel:
    """A connection that keeps what it is sent, or raises an error."""

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
def channel():
    return Channel()


def test_watcher_of_match_and_ladder_gets_events_once(watchers, match_key, channel):
    other = Channel()
    watchers.watch(channel, match_key.id)
    watchers.watch(channel, "tiny")
    watchers.watch(other, "tiny")
    watchers.publish(match_key, [ENTRY, ENTRY])
    assert channel.texts == other.texts == [ENTRY.text] * 2


def test_other_watchers_get_nothing(watchers, match_key, channel):
    watchers.watch(channel, "f" * 16)
    watchers.watch(channel, "classic")
    watchers.publish(match_key, [ENTRY])
    watchers.publish(replace(match_key, id="e" * 16), [ENTRY])
    assert channel.texts == []


def test_unwatch_stops_events(watchers, match_key, channel):
    watchers.watch(channel, match_key.id)
    watchers.unwatch(channel, match_key.id)
    watchers.unwatch(channel, "never watched")
    watchers.publish(match_key, [ENTRY])
    assert channel.texts == []


def test_leave_forgets_watcher(watchers, match_key, channel):
    watchers.watch(channel, match_key.id)
    watchers.watch(channel, "tiny")
    watchers.leave(channel)
    watchers.leave(channel)
    watchers.publish(match_key, [ENTRY])
    assert channel.texts == []


def test_watcher_follows_limited_topics(watchers, channel):
    assert all(watchers.watch(channel, f"topic-{number}") for number in range(MAX_TOPICS))
    assert not watchers.watch(channel, "one more")
    assert watchers.watch(channel, "topic-0")
    watchers.unwatch(channel, "topic-0")
    assert watchers.watch(channel, "one more")


def test_raising_watcher_harms_nobody(watchers, match_key, channel):
    for watcher in (Channel(OSError("broken pipe")), channel, Channel(RuntimeError())):
        watchers.watch(watcher, match_key.id)
    with capture_logs() as logs:
        watchers.publish(match_key, [ENTRY])
    assert channel.texts == [ENTRY.text]
    assert [(log["log_level"], log["exc_info"]) for log in logs] == [("error", True)] * 2


def test_finished_match_frees_watched_topic(watchers, match_key, channel):
    for number in range(2 * MAX_TOPICS):
        match = replace(match_key, id=f"{number:016x}")
        assert watchers.watch(channel, match.id)
        watchers.publish(match, [ENTRY._replace(type="match_over")])
    assert len(channel.texts) == 2 * MAX_TOPICS
