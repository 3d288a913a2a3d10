"""The audience: everybody in it hears of events, whatever the others do."""

from collections import Counter

import pytest
import structlog
from structlog.testing import capture_logs

from evilpegs_server.play.audience import Audience
from evilpegs_server.play.watchers import Watchers
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
