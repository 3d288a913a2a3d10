"""Topics of the feed: names that round-trip, and ids that cannot break out of their level."""

import pytest

from evilpegs_protocol.topics import FeedTopics, ParsedTopic, parse_topic

MATCH = "00112233445566aa"
TOPICS = FeedTopics("hall-2")


def test_topics_are_named():
    assert TOPICS.state == "evilpegs/v1/hall-2/state"
    assert TOPICS.event(MATCH) == f"evilpegs/v1/hall-2/match/{MATCH}/event"
    assert TOPICS.result(MATCH) == f"evilpegs/v1/hall-2/match/{MATCH}/result"
    assert TOPICS.leaderboard("classic") == "evilpegs/v1/hall-2/ladder/classic/leaderboard"
    assert TOPICS.ladder_result("classic") == "evilpegs/v1/hall-2/ladder/classic/result"
    assert TOPICS.live("classic") == "evilpegs/v1/hall-2/ladder/classic/live"


def test_topics_are_parsed():
    assert parse_topic(TOPICS.state) == ParsedTopic("state", "hall-2")
    assert parse_topic(TOPICS.event(MATCH)) == ParsedTopic("event", "hall-2", match=MATCH)
    assert parse_topic(TOPICS.result(MATCH)) == ParsedTopic("result", "hall-2", match=MATCH)
    assert parse_topic(TOPICS.leaderboard("x")) == ParsedTopic("leaderboard", "hall-2", ladder="x")
    assert parse_topic(TOPICS.live("x")) == ParsedTopic("live", "hall-2", ladder="x")


@pytest.mark.parametrize(
    "topic",
    ["", "evilpegs/v1/a/b", "evilpegs/v1/A/state", "evilpegs/v2/a/state", "evilpegs/v1/a/match/1/event", "x/y\n"],
)
def test_other_topics_are_not_parsed(topic):
    assert parse_topic(topic) is None


@pytest.mark.parametrize("name", ["", "A", "a/b", "#", "a+", "ä", "a" * 41, "a\n"])
def test_ids_that_break_topics_are_refused(name):
    with pytest.raises(ValueError, match="1 to 40"):
        FeedTopics(name)
    with pytest.raises(ValueError, match="1 to 40"):
        TOPICS.live(name)
