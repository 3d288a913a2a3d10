"""Which leaderboards are published, and when."""

from evilpegs_server.feed.documents import LadderStandings
from support.fake_server import SERVER_LADDERS


class Texts:
    """Leaderboards that the test sets."""

    def __init__(self):
        self.version_of_tiny, self.is_filled, self.made = 0, False, []

    def version(self, ladder):
        return self.version_of_tiny if ladder == "tiny" else 0

    async def has_rows(self, ladder):
        return self.is_filled and ladder == "tiny"

    async def body(self, info):
        self.made.append(info.id)
        return b"standings"


async def test_empty_leaderboard_is_not_published():
    texts, published = Texts(), {}
    standings = LadderStandings(SERVER_LADDERS.values(), texts)
    assert await standings.changes(published) == {}
    texts.version_of_tiny = 1
    assert await standings.changes(published) == {}
    texts.is_filled = True
    assert await standings.changes(published) == {"tiny": b"standings"}
    assert await standings.changes(published) == {}
    assert texts.made == ["tiny"]
