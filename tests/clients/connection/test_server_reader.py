"""`ServerReader` at servers that answer as they should, are cut, are older, or are no evilpegs servers at all."""

import json
from contextlib import asynccontextmanager
from functools import partial

import pytest
from websockets.exceptions import ConnectionClosed

from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_clients.errors import BrokenRecordError, ServerRefusedError, ServerUnreachableError
from evilpegs_protocol.server_messages import ErrorCode

MATCH = "00112233445566aa"
LIMITS = {"frame_bytes": 4096, "nesting": 8, "open_matches": 8, "requests_per_second": 100}
ROW = {
    "player": "ann",
    "client": "x 1",
    "games": 4,
    "mean": 5.0,
    "low": None,
    "high": None,
    "worst": 5,
    "solved": 1.0,
    "p95_ms": 3,
    "mean_ms": 1.5,
    "histogram": [[5, 4]],
    "rank": None,
    "rank_worst": None,
}


def standings(page, pages, *players):
    head = {"type": "standings", "ladder": "tiny", "rules": "2x3", "codemaker": "fixed", "guess_limit": 4}
    return head | {"rows": [ROW | {"player": player} for player in players], "page": page, "pages": pages}


class ScriptedServer:
    """A server that admits guests by the tokens it knows, and answers with ``answer(request)``.

    The answer is a list of messages, or "cut" to cut the connection.
    """

    def __init__(self, answer):
        self.answer, self.requests, self.known = answer, [], set()

    async def converse(self, socket):
        try:
            async for text in socket:
                request = json.loads(text)
                self.requests.append(request)
                answers = self._hello(request) if request["type"] == "hello" else self.answer(request)
                if answers == "cut":
                    return socket.transport.abort()
                for place, message in enumerate(answers):
                    await socket.send(json.dumps(message if place else message | {"re": request["id"]}))
        except ConnectionClosed:
            pass

    def _hello(self, request):
        token = request.get("token")
        if token is not None and token not in self.known:
            return [{"type": "error", "code": "auth_failed", "message": "no", "fatal": False}]
        issued = {} if token else {"token": f"{len(self.requests):064x}"}
        self.known |= set(issued.values())
        welcome = {"type": "welcome", "player": "guest-1", "kind": "guest", "open": [], "ladders": [], "limits": LIMITS}
        return [welcome | issued | {"server": {"name": "evilpegs", "version": "0.1.0"}}]

    def sent(self, kind):
        return [request for request in self.requests if request["type"] == kind]


@pytest.fixture
def reader_at(listen, retry_policy, monkeypatch, tmp_path):
    """Open a reader at a scripted server; events of the connection are appended to ``news``."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    @asynccontextmanager
    async def reader_at(server, news=None):
        async with listen(server.converse) as url:
            append = (news if news is not None else []).append
            async with ServerReader(url, "reader", retry_policy, append) as reader:
                yield reader

    return reader_at


def cut_first(answer, kind):
    """Return an answer that cuts the connection at the first request of this kind."""
    waiting = [kind]

    def answer_or_cut(request):
        if request["type"] in waiting:
            waiting.clear()
            return "cut"
        return answer(request)

    return answer_or_cut


PAGES = {1: standings(1, 3, "ann", "bob"), 2: standings(2, 3, "bob", "cid"), 3: standings(3, 3)}


async def test_reader_joins_pages_of_standings(reader_at):
    server = ScriptedServer(lambda request: [PAGES[request.get("page", 1)]])
    async with reader_at(server) as reader:
        found = await reader.standings("tiny")
    assert [row.player for row in found.rows] == ["ann", "bob", "cid"]
    assert [request.get("page") for request in server.sent("standings")] == [None, 2, 3]


async def test_reader_repeats_request_after_cut_as_new_guest(reader_at):
    """A server forgets a guest who only reads."""
    server, news = ScriptedServer(cut_first(lambda request: [PAGES[3]], "standings")), []
    async with reader_at(server, news) as reader:
        server.known.clear()
        assert (await reader.standings("tiny")).rows == ()
    assert [type(event) for event in news] == [Reconnecting, Reconnected]
    assert [("token" in hello) for hello in server.sent("hello")] == [False, True, False]


async def test_reader_says_that_server_is_older(reader_at):
    error = {"type": "error", "code": "unknown_type", "message": "no such type", "fatal": False}
    async with reader_at(ScriptedServer(lambda request: [error])) as reader:
        for read, kind in [(partial(reader.standings, "tiny"), "standings"), (reader.newest_match, "matches")]:
            with pytest.raises(ServerRefusedError) as caught:
                await read()
            assert caught.value.code is ErrorCode.UNKNOWN_TYPE
            assert all(fact in caught.value.message for fact in ("evilpegs 0.1.0", kind))


async def test_reader_refuses_answer_of_other_type(reader_at):
    async with reader_at(ScriptedServer(lambda request: [{"type": "applause\x1b[2J"}])) as reader:
        with pytest.raises(ServerUnreachableError) as caught:
            await reader.newest_match()
    assert str(caught.value).isprintable()


async def test_newest_match_of_empty_server_is_none(reader_at):
    empty = {"type": "matches", "matches": [], "more": False}
    async with reader_at(ScriptedServer(lambda request: [empty])) as reader:
        assert await reader.newest_match() is None


def recorded(honest_match):
    match = honest_match(match=MATCH)
    match.ready()
    while match.state == "turn":
        match.guess("111")
    return match.events


def watched(events):
    def answer(request):
        if request["type"] == "unwatch":
            return [{"type": "unwatched"}]
        return [{"type": "watching", "matches": [MATCH]}, *events]

    return answer


@pytest.mark.parametrize("cut", ["nothing", "watch", "unwatch"])
async def test_record_is_whole_also_after_cut(reader_at, honest_match, cut):
    events = [event | {"newer": "field"} for event in recorded(honest_match)]
    async with reader_at(ScriptedServer(cut_first(watched(events), cut))) as reader:
        assert await reader.record(MATCH) == events
        assert await reader.record(MATCH) == events


async def test_record_with_contradiction_is_refused(reader_at, honest_match):
    events = recorded(honest_match)
    async with reader_at(ScriptedServer(watched([*events, events[1] | {"at": 0}]))) as reader:
        with pytest.raises(BrokenRecordError):
            await reader.record(MATCH)
