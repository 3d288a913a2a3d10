"""Live events wait in a queue that is bounded by bytes, and are dropped when it is full."""

import pytest

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_connection import LiveEvents
from evilpegs_server.show.follower import FollowedEvent

MATCH = "00112233445566aa"


class SlowSink:
    """A connection whose batches are written when the test says so."""

    def __init__(self):
        self.sent, self.batches, self.written = [], 0, 0

    def send_events(self, events):
        self.sent += events
        self.batches += 1
        return self.batches


class Timer(list):
    """A call that was to be made later."""

    def call_later(self, _seconds, action):
        self.append(action)

    def run(self):
        while self:
            self.pop(0)()


@pytest.fixture
def timer():
    return Timer()


@pytest.fixture
def live(timer, log):
    return LiveEvents(FeedTopics("hall"), timer.call_later, log.logger, queue_bytes=100)


def events(count, size=10):
    return [FollowedEvent(seq, MATCH, "tiny", seq, "feedback", "x" * size) for seq in range(1, count + 1)]


def test_events_are_sent_later_in_order(live, timer):
    sink = SlowSink()
    live.start(sink)
    live.add(events(2))
    live.add(events(1, 11))
    assert sink.sent == []
    timer.run()
    topic = f"evilpegs/v1/hall/match/{MATCH}/event"
    assert sink.sent == [(topic, "x" * 10), (topic, "x" * 10), (topic, "x" * 11)]


def test_events_without_client_are_dropped(live, timer):
    live.add(events(1))
    sink = SlowSink()
    live.start(sink)
    timer.run()
    assert sink.sent == []


def test_full_sink_drops_and_logs_once(live, timer, log):
    sink = SlowSink()
    live.start(sink)
    live.add(events(12))
    live.add(events(1))
    timer.run()
    assert (len(sink.sent), live.dropped, len(log)) == (10, 3, 1)
    live.add(events(1))
    sink.written = 1
    live.add(events(11))
    timer.run()
    assert (len(sink.sent), live.dropped) == (20, 5)


def test_events_of_one_moment_are_one_batch(live, timer):
    sink = SlowSink()
    live.start(sink)
    live.add(events(3))
    live.add(events(3))
    timer.run()
    live.add(events(1))
    timer.run()
    assert (sink.batches, len(sink.sent)) == (2, 7)


def test_stopped_events_are_forgotten(live, timer):
    sink = SlowSink()
    live.start(sink)
    live.add(events(10))
    live.stop()
    timer.run()
    live.start(sink)
    live.add(events(10))
    timer.run()
    assert len(sink.sent) == 10
