"""Which leaderboards are published, and when."""

import asyncio
from types import SimpleNamespace

import pytest

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.documents import Documents
from evilpegs_server.representation import Representation
from support.fake_server import SERVER_LADDERS
from support.waiting import until

RATED = {f"evilpegs/v1/hall/ladder/{ladder.id}/leaderboard" for ladder in SERVER_LADDERS.values() if ladder.rated}


class Texts:
    """Leaderboards that the test sets."""

    def __init__(self):
        self.text_of_tiny, self.is_filled, self.read, self.asked = b"standings", True, 0, 0

    @property
    def filled(self):
        self.asked += 1
        return self.is_filled

    async def shown(self, info):
        assert self.is_filled
        self.read += 1
        return Representation(self.text_of_tiny if info.id == "tiny" else b"standings")


class KeptMessages(list):
    """A client that keeps its messages."""

    async def deliver(self, message):
        assert message.is_retained
        self.append((message.topic, message.payload))


@pytest.fixture
def texts():
    return Texts()


@pytest.fixture
async def sent(texts, engine):
    """Publish documents meanwhile; the value is what the broker has received."""
    sent, follower = KeptMessages(), SimpleNamespace(sent=0)
    documents = Documents(FeedTopics("hall"), SERVER_LADDERS, (), engine, follower, texts, period_seconds=0.001)
    publishing = asyncio.create_task(documents.publish(sent))
    yield sent
    publishing.cancel()
    await asyncio.wait([publishing])


async def test_all_leaderboards_are_published_once_then_changes(texts, sent):
    await until(lambda: texts.read > 3 * len(RATED))
    assert sorted(sent) == [(topic, b"standings") for topic in sorted(RATED)]
    texts.text_of_tiny = b"others"
    await until(lambda: len(sent) > len(RATED))
    assert sent[len(RATED) :] == [("evilpegs/v1/hall/ladder/tiny/leaderboard", b"others")]


async def test_no_leaderboard_is_published_while_stored_games_are_counted(texts, sent):
    texts.is_filled = False
    await until(lambda: texts.asked > 3)
    assert sent == []
    texts.is_filled = True
    await until(lambda: len(sent) == len(RATED))
