"""Which leaderboards are published, and when."""

import orjson

from evilpegs_server.feed.documents import LadderStandings
from evilpegs_server.scoring.leaderboard import LeaderboardRow
from support.fake_server import SERVER_LADDERS

ROW = LeaderboardRow("ann", "x 1", 4, 5.0, None, None, 6, 1.0, 10, 5.0, ((5, 4),))


class Leaderboards:
    """Leaderboards that the test sets."""

    def __init__(self):
        self.version_of_tiny, self.rows_of_tiny = 0, []

    async def rows(self, ladder):
        return self.rows_of_tiny if ladder == "tiny" else []

    def version(self, ladder):
        return self.version_of_tiny if ladder == "tiny" else 0


async def test_empty_leaderboard_is_not_published():
    boards, published = Leaderboards(), {}
    standings = LadderStandings(SERVER_LADDERS.values(), boards)
    assert await standings.changes(published) == {}
    boards.version_of_tiny = 1
    assert await standings.changes(published) == {}
    boards.rows_of_tiny = [ROW]
    [document] = (await standings.changes(published)).values()
    assert [row["player"] for row in orjson.loads(document)["rows"]] == ["ann"]
    assert await standings.changes(published) == {}
