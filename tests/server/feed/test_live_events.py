"""Live events wait in a queue that is bounded by bytes, and are dropped when it is full."""

import pytest

from evilpegs_protocol.feed_topics import FeedTopics
from evilpegs_server.feed.live_events import MESSAGES_PER_STEP, LiveEvents
from evilpegs_server.record.event_log import LogEntry

MATCH = "00112233445566aa"


class SlowQueue:
    """A client whose messages are written when the test says so."""

    def __init__(self):
        self.sent, self.written = [], 0

    def send(self, topic, payload):
        self.sent.append((topic, payload))
        return Handle(self, len(self.sent))


class Handle:
    def __init__(self, queue, number):
        self.queue, self.number = queue, number

    def is_published(self):
        return self.number <= self.queue.written


class Steps(list):
    """What was to be called soon."""

    def run(self):
        while self:
            self.pop(0)()


@pytest.fixture
def steps():
    return Steps()


@pytest.fixture
def live(steps, log):
    return LiveEvents(FeedTopics("hall"), steps.append, log.logger, queue_bytes=100)


def entries(count, size=10):
    return [LogEntry(seq, 0, "feedback", "x" * size, "") for seq in range(1, count + 1)]


def test_events_are_sent_later_in_order(live, steps):
    queue = SlowQueue()
    live.start(queue)
    live.add(MATCH, entries(2))
    live.add(MATCH, entries(1, 11))
    assert queue.sent == []
    steps.run()
    topic = f"evilpegs/v1/hall/match/{MATCH}/event"
    assert queue.sent == [(topic, "x" * 10), (topic, "x" * 10), (topic, "x" * 11)]


def test_events_without_client_are_dropped(live, steps):
    live.add(MATCH, entries(1))
    queue = SlowQueue()
    live.start(queue)
    steps.run()
    assert queue.sent == []


def test_full_queue_drops_and_logs_once(live, steps, log):
    queue = SlowQueue()
    live.start(queue)
    live.add(MATCH, entries(12))
    live.add(MATCH, entries(1))
    steps.run()
    assert (len(queue.sent), live.dropped, len(log)) == (10, 3, 1)
    queue.written = 4
    live.add(MATCH, entries(5))
    steps.run()
    assert (len(queue.sent), live.dropped) == (14, 4)


def test_steps_are_short(steps, log):
    live, queue = LiveEvents(FeedTopics("hall"), steps.append, log.logger, queue_bytes=10**6), SlowQueue()
    live.start(queue)
    live.add(MATCH, entries(MESSAGES_PER_STEP + 1))
    steps.pop(0)()
    assert len(queue.sent) == MESSAGES_PER_STEP
    steps.run()
    assert len(queue.sent) == MESSAGES_PER_STEP + 1


def test_stopped_events_are_forgotten(live, steps):
    queue = SlowQueue()
    live.start(queue)
    live.add(MATCH, entries(10))
    live.stop()
    steps.run()
    live.start(queue)
    live.add(MATCH, entries(10))
    steps.run()
    assert len(queue.sent) == 10
