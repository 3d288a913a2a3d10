"""`list` and `standings`: what they answer, what they refuse, what they cost, and where they read."""

import threading
from dataclasses import replace

import pytest
from sqlalchemy import event

from evilpegs_protocol.client_messages import ListMatches, ReadStandings
from evilpegs_protocol.codec import decode_event
from evilpegs_protocol.constants import SERVER_FRAME_BYTES
from evilpegs_protocol.listings import ROWS_PER_PAGE, Standings, StandingsRow
from evilpegs_server.gateway.listings import Listings
from evilpegs_server.gateway.rate_limit import READ_PRICE
from evilpegs_server.leaderboard.row import LeaderboardRow, leaderboard_document
from evilpegs_server.play.messages import RefusedRequestError
from evilpegs_server.storage.reads import Reads
from support.fake_server import SERVER_LADDERS
from support.stored_matches import StoredPlay, store, store_players

TINY, PRACTICE = SERVER_LADDERS["tiny"], SERVER_LADDERS["tiny-practice"]
ROW = LeaderboardRow("a" * 20, "c" * 129, 10**6, 4.5, 4.25, 4.75, 25, 0.5, 10**6, 0.125, ((1, 10**6),) * 25, 1, 99)
"""A row that is as long as rows can be."""


@pytest.fixture
async def reader(engine, fake_server):
    """A guest of a server that has stored two finished matches of ann, one of bob, and an open one of eve."""
    store_players(engine)
    store(
        engine,
        *StoredPlay(1, TINY, at=1_000).play(("solved", [3, 4]), ("unsolved", [1, 1, 1, 1])),
        *StoredPlay(2, PRACTICE, "bob", "2", at=2_000).play(("solved", [9])),
        *StoredPlay(3, TINY, "eve", at=3_000).play(("solved", [9]))[:-1],
        *StoredPlay(4, TINY, at=4_000).play(("flagged", [])),
    )
    await fake_server.leaderboards.update()
    client = fake_server.connect()
    await client.hello()
    return client


async def listed(client, **wanted):
    answer = await client.request(type="list", **wanted)
    assert answer["type"] == "matches"
    return [int(match["match"], 16) for match in answer["matches"]]


class FakeLeaderboards:
    """Leaderboards that a test fills."""

    def __init__(self, *rows):
        self.filled, self.current, self.calls = True, tuple(rows), 0

    async def refresh(self):
        pass

    def version(self, ladder):
        return len(self.current)

    async def rows(self, ladder):
        self.calls += 1
        return self.current


@pytest.fixture
def listings_of(engine):
    """Return the listings of a server with these leaderboards."""
    reads = Reads()
    yield lambda leaderboards: Listings(engine, SERVER_LADDERS, leaderboards, reads)
    reads.close()


async def test_list_shows_finished_matches_newest_first(reader):
    answer = await reader.request(type="list")
    assert (answer["more"], [match["player"] for match in answer["matches"]]) == (False, ["ann", "bob", "ann"])
    assert answer["matches"][2] == {
        "match": f"{1:016x}",
        "ladder": "tiny",
        "player": "ann",
        "client": "bot 1",
        "started_at": 1_000,
        "outcomes": ["solved", "unsolved"],
        "guesses": [2, 4],
        "elapsed_ms": 11,
    }


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"ladder": "tiny"}, [4, 1]),
        ({"player": "ann"}, [4, 1]),
        ({"player": "bob", "ladder": "tiny"}, []),
        ({"player": "nobody"}, []),
        ({"before": f"{4:016x}"}, [2, 1]),
        ({"before": f"{3:016x}", "ladder": "tiny"}, [1]),
        ({"before": f"{1:016x}"}, []),
    ],
)
async def test_list_takes_filters(reader, wanted, found):
    assert await listed(reader, **wanted) == found


async def test_pages_of_list_reach_every_match(engine, reader):
    store(engine, *(step for number in range(5, 108) for step in StoredPlay(number, TINY, "eve", at=5_000).play()))
    seen, page = [], [None]
    while page:
        page = await listed(reader, player="eve", **({"before": f"{seen[-1]:016x}"} if seen else {}))
        seen += page
    assert seen == list(range(107, 4, -1))
    assert (await reader.request(type="list", player="eve"))["more"] is True


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"type": "list", "ladder": "no-such"}, "unknown_ladder"),
        ({"type": "list", "before": "f" * 16}, "not_your_match"),
        ({"type": "standings", "ladder": "no-such"}, "unknown_ladder"),
        ({"type": "standings", "ladder": "tiny-practice"}, "unknown_ladder"),
        ({"type": "standings"}, "bad_message"),
        ({"type": "standings", "ladder": "tiny", "page": 0}, "bad_message"),
    ],
)
async def test_wrong_read_is_refused(reader, wanted, code):
    assert await reader.error_code(**wanted) == code


@pytest.mark.parametrize("wanted", [{"type": "list"}, {"type": "standings", "ladder": "tiny"}])
async def test_reads_require_hello(fake_server, wanted):
    assert await fake_server.connect().error_code(**wanted) == "auth_required"


async def test_standings_equal_document_of_leaderboard(fake_server, reader):
    answer = await reader.request(type="standings", ladder="tiny")
    document = leaderboard_document(TINY.info(), await fake_server.leaderboards.rows("tiny"))
    rows = [row | {"histogram": [list(each) for each in row["histogram"]]} for row in document["rows"]]
    assert [row["player"] for row in rows] == ["eve", "ann"]
    assert answer == {"re": answer["re"], "type": "standings", **document, "rows": rows, "page": 1, "pages": 1}


async def test_standings_without_games_have_no_rows(reader):
    answer = await reader.request(type="standings", ladder="evil")
    assert (answer["rows"], answer["pages"]) == ([], 1)


async def test_standings_come_in_pages_that_fit(listings_of):
    rows = [replace(ROW, player=f"p{number}") for number in range(2 * ROWS_PER_PAGE + 1)]
    listings = listings_of(FakeLeaderboards(*rows))
    texts = [await listings.standings(ReadStandings(ladder="tiny", page=page, id="x" * 64)) for page in range(1, 5)]
    assert max(map(len, texts)) < SERVER_FRAME_BYTES
    answers = [decode_event(text) for text in texts]
    assert all(isinstance(answer, Standings) and answer.pages == 3 for answer in answers)
    assert [len(answer.rows) for answer in answers] == [ROWS_PER_PAGE, ROWS_PER_PAGE, 1, 0]
    assert [row.player for answer in answers for row in answer.rows] == [row.player for row in rows]


def test_row_of_protocol_begins_with_columns_of_leaderboard():
    columns = list(StandingsRow.model_fields)
    assert list(leaderboard_document(TINY.info(), [ROW])["rows"][0])[: len(columns)] == columns


async def test_text_of_standings_is_made_once_per_version(listings_of):
    leaderboards = FakeLeaderboards(ROW)
    listings = listings_of(leaderboards)
    first = [await listings.standings(ReadStandings(ladder="tiny")) for _ in range(3)]
    assert (len(set(first)), leaderboards.calls) == (1, 1)
    leaderboards.current = (ROW, replace(ROW, player="bob"))
    assert await listings.standings(ReadStandings(ladder="tiny")) != first[0]


async def test_reads_never_run_on_event_loop(engine, fake_server, reader):
    """Every statement of the database runs in another thread. The control reads on this one, and is noticed."""
    threads = set()

    def note(*_):
        threads.add(threading.get_ident())

    event.listen(engine, "before_cursor_execute", note)
    await reader.request(type="list", ladder="tiny", before=f"{4:016x}")
    await reader.request(type="standings", ladder="tiny")
    assert threads
    assert threading.get_ident() not in threads
    with engine.connect() as connection:
        connection.exec_driver_sql("SELECT 1")
    assert threading.get_ident() in threads
    event.remove(engine, "before_cursor_execute", note)


async def test_busy_reads_are_refused_for_a_moment(fake_server, reader):
    """Reads without room refuse; a ping on the same connection is answered."""
    full = Reads(max_pending=0)
    fake_server.services = replace(
        fake_server.services, listings=Listings(fake_server.engine, SERVER_LADDERS, fake_server.leaderboards, full)
    )
    client = fake_server.connect()
    await client.hello()
    for wanted in ({"type": "list"}, {"type": "standings", "ladder": "tiny"}):
        error = await client.request(**wanted)
        assert (error["code"], error["fatal"], error["retry_after_ms"]) == ("rate_limited", False, 1_000)
    assert (await client.request(type="ping", c=1))["type"] == "pong"
    full.close()


async def test_standings_being_counted_are_refused_for_a_moment(fake_server):
    client = fake_server.connect()
    await client.hello()
    error = await client.request(type="standings", ladder="tiny")
    assert (error["code"], error["retry_after_ms"]) == ("rate_limited", 1_000)
    await fake_server.leaderboards.update()
    assert (await client.request(type="standings", ladder="tiny"))["type"] == "standings"


@pytest.mark.parametrize(("wanted", "price"), [({"type": "list"}, READ_PRICE), ({"type": "ping", "c": 1}, 1)])
async def test_read_costs_more_than_ping(fake_server, wanted, price):
    """A burst of 200, of which hello has taken 1."""
    client = fake_server.connect()
    await client.hello()
    answers = [await client.request(**wanted) for _ in range(199 // price)]
    assert {answer["type"] for answer in answers} <= {"matches", "pong"}
    assert await client.error_code(**wanted) == "rate_limited"


async def test_unknown_before_is_refused_in_thread(listings_of):
    with pytest.raises(RefusedRequestError):
        await listings_of(FakeLeaderboards()).matches(ListMatches(before="f" * 16))
