"""`ServerReader` at sites that answer as they should, are busy or cut off, or are no evilpegs sites at all."""

import json
from contextlib import aclosing, asynccontextmanager

import pytest

from evilpegs_clients.connection.server_reader import NotFoundError, ServerReader
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_clients.errors import ConnectionLostError, ServerUnreachableError
from support.scripted_site import ScriptedSite, Stream, event, running_site

MATCH = "00112233445566aa"
BOARD = "/api/v1/ladders/tiny/leaderboard"
NEWEST = "/api/v1/matches?over=true&limit=1"
NOBODY = "ws://127.0.0.1:1/v1"
EVENTS = "/api/v1/events"
STANDINGS = {"ladder": "tiny", "rules": "2x3", "codemaker": "fixed", "guess_limit": 4, "rows": []}


@pytest.fixture
def reader_at(retry_policy, monkeypatch, tmp_path):
    """Open a reader at a scripted site; events of the connection are appended to ``news``."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    @asynccontextmanager
    async def reader_at(site, news=None):
        async with running_site(site) as url:
            append = (news if news is not None else []).append
            async with ServerReader(url, "reader", retry_policy, append) as reader:
                yield reader

    return reader_at


async def test_documents_are_read(reader_at, honest_match):
    record = "".join(f"{json.dumps(each | {'newer': 'field'})}\n" for each in honest_match(match=MATCH).events)
    answers = {BOARD: STANDINGS, NEWEST: {"matches": [{"match": MATCH}]}, f"/api/v1/matches/{MATCH}/record": record}
    async with reader_at(ScriptedSite(answers | {"/api/v1/live?limit=2&ladder=tiny": {"matches": []}})) as reader:
        assert (await reader.standings("tiny")).rows == ()
        assert await reader.newest_match() == MATCH
        assert await reader.record(MATCH) == record.splitlines()
        assert await reader.live_matches("tiny", 2) == []


async def test_first_of_several_addresses_that_answers_is_read(retry_policy, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    site = running_site(ScriptedSite({NEWEST: {"matches": []}}))
    async with site as url, ServerReader(f"{NOBODY},{url}", "reader", retry_policy, print) as reader:
        assert await reader.newest_match() is None
        assert reader.server == url


async def test_newest_match_of_empty_server_is_none(reader_at):
    async with reader_at(ScriptedSite({NEWEST: {"matches": []}})) as reader:
        assert await reader.newest_match() is None


async def test_names_are_quoted(reader_at):
    site = ScriptedSite()
    async with reader_at(site) as reader:
        with pytest.raises(NotFoundError):
            await reader.standings("../x?y")
    assert site.requests == ["/api/v1/ladders/../x?y/leaderboard"]


async def test_busy_site_is_asked_again(reader_at):
    site, news = ScriptedSite({BOARD: [503, 503, STANDINGS]}), []
    async with reader_at(site, news) as reader:
        assert (await reader.standings("tiny")).ladder == "tiny"
    assert [type(each) for each in news] == [Reconnecting, Reconnecting, Reconnected]
    assert len(site.requests) == 3


async def test_site_that_stays_busy_is_given_up(reader_at, retry_policy):
    site = ScriptedSite({BOARD: 503})
    async with reader_at(site) as reader:
        with pytest.raises(ConnectionLostError, match="problem 503"):
            await reader.standings("tiny")
    assert len(site.requests) == 1 + retry_policy.attempts


@pytest.mark.parametrize("answer", ["no JSON", [[1]], {"rows": 7}, 500, 418])
async def test_other_answer_is_refused_in_one_line(reader_at, answer):
    async with reader_at(ScriptedSite({BOARD: answer})) as reader:
        with pytest.raises(ServerUnreachableError) as caught:
            await reader.standings("tiny")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("answer", ["no JSON", [[1]], {"matches": 7}, {"matches": [7]}])
async def test_other_list_is_refused_in_one_line(reader_at, answer):
    async with reader_at(ScriptedSite({NEWEST: answer})) as reader:
        with pytest.raises(ServerUnreachableError) as caught:
            await reader.newest_match()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("record", ["no JSON", "[]", '{"type":"match_over"}', "\x1b[2J"])
async def test_other_record_is_refused_in_one_line(reader_at, record):
    async with reader_at(ScriptedSite({f"/api/v1/matches/{MATCH}/record": record})) as reader:
        with pytest.raises(ServerUnreachableError) as caught:
            await reader.record(MATCH)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("url", ["http://[", "file:///etc/passwd", "nothing", "http://127.0.0.1:99999/"])
async def test_address_that_is_no_site_is_refused_in_one_line(reader_at, url):
    site = ScriptedSite()
    site.public_url = url
    with pytest.raises(ServerUnreachableError) as caught:
        async with reader_at(site) as reader:
            await reader.newest_match()
    assert str(caught.value).isprintable()


async def test_server_without_site_is_named(reader_at):
    with pytest.raises(ServerUnreachableError, match="ws://"):
        async with reader_at(ScriptedSite(has_site=False)):
            pass


async def test_site_that_nobody_serves_is_named_at_once(reader_at, sleeps):
    site = ScriptedSite()
    site.public_url = "http://127.0.0.1:1/"
    async with reader_at(site) as reader:
        with pytest.raises(ServerUnreachableError, match=r"127\.0\.0\.1:1/"):
            await reader.standings("tiny")
    assert sleeps == []


class TestFollow:
    async def test_stream_goes_on_after_last_event_and_ends_with_204(self, reader_at):
        site = ScriptedSite({EVENTS: [Stream(event(4, "{}", "place"), event(5, "a")), Stream(event(6, "b")), 204]})
        news = []
        async with reader_at(site, news) as reader:
            seen = [(each.event, each.data) async for each in reader.follow(EVENTS)]
        assert seen == [("place", "{}"), ("message", "a"), ("message", "b")]
        assert site.resumed == ["", "log-5"]
        assert [type(each) for each in news] == [Reconnecting, Reconnected, Reconnecting]

    async def test_heartbeats_are_no_events(self, reader_at):
        site = ScriptedSite({EVENTS: [Stream(":\n\n", event(1, "a"), ":\n\n"), 204]})
        async with reader_at(site) as reader:
            assert [each.data async for each in reader.follow(EVENTS)] == ["a"]

    async def test_unknown_path_is_not_found(self, reader_at):
        async with reader_at(ScriptedSite()) as reader:
            with pytest.raises(NotFoundError):
                await anext(reader.follow(EVENTS))

    async def test_other_content_is_given_up(self, reader_at, retry_policy, sleeps):
        async with reader_at(ScriptedSite({EVENTS: STANDINGS})) as reader:
            with pytest.raises(ServerUnreachableError):
                await anext(reader.follow(EVENTS))
        assert len(sleeps) == retry_policy.attempts

    async def test_many_short_streams_are_no_failure(self, reader_at, retry_policy):
        """Each one brings something, so that attempts are counted anew."""
        count = 3 * retry_policy.attempts
        site = ScriptedSite({EVENTS: [*(Stream(event(number, str(number))) for number in range(count)), 204]})
        async with reader_at(site) as reader, aclosing(reader.follow(EVENTS)) as stream:
            assert [each.data async for each in stream] == [str(number) for number in range(count)]
