"""Which leaderboards are published, and when."""

from evilpegs_server.feed.documents import LadderStandings
from support.fake_server import SERVER_LADDERS

RATED = {ladder.id for ladder in SERVER_LADDERS.values() if ladder.rated}


class Texts:
    """Leaderboards that the test sets."""

    def __init__(self):
        self.version_of_tiny, self.filled = 0, True

    def version(self, ladder):
        return self.version_of_tiny if ladder == "tiny" else 0

    async def body(self, info):
        assert self.filled
        return b"standings"


async def test_all_leaderboards_are_published_once_then_changes():
    texts, published = Texts(), {}
    standings = LadderStandings(SERVER_LADDERS.values(), texts)
    assert await standings.changes(published) == dict.fromkeys(RATED, b"standings")
    assert await standings.changes(published) == {}
    texts.version_of_tiny = 1
    assert await standings.changes(published) == {"tiny": b"standings"}
    assert await standings.changes(published) == {}


async def test_no_leaderboard_is_published_while_stored_games_are_counted():
    texts, published = Texts(), {}
    texts.filled = False
    standings = LadderStandings(SERVER_LADDERS.values(), texts)
    assert await standings.changes(published) == {}
    texts.filled = True
    assert set(await standings.changes(published)) == RATED
