"""Server-sent events of a real server: matches followed while they are played, and streams that go on."""

import asyncio
import contextlib
import json

import httpx
import pytest

from support.patience import PATIENCE
from support.servers import dial
from support.threaded_server import server_in_thread


@contextlib.asynccontextmanager
async def stream(url, status=200, **headers):
    """Open a stream during the block; yield an iterator of its events as (kind, id, data)."""
    async with (
        httpx.AsyncClient(timeout=PATIENCE) as client,
        client.stream("GET", url, headers={name.replace("_", "-"): value for name, value in headers.items()}) as answer,
    ):
        assert answer.status_code == status
        yield _events(answer)


async def _events(answer):
    fields = {}
    async for line in answer.aiter_lines():
        name, _, value = line.partition(":")
        if name:
            fields[name] = value.strip()
        elif line == "" and ("data" in fields):
            yield fields.get("event", "message"), fields.get("id"), json.loads(fields.get("data", "null"))
            fields = {}


async def take(events, count, match=None):
    """Return the next events, with ``match`` those of this match: the server has played others before."""
    taken = []
    async with asyncio.timeout(PATIENCE):
        while len(taken) < count:
            event = await anext(events)
            if match in {None, event[2].get("match")}:
                taken.append(event)
    return taken


async def take_all(events):
    async with asyncio.timeout(PATIENCE):
        return [event async for event in events]


async def ask(url, method="GET"):
    """Return the answer to a request that has an end."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        return await client.request(method, url)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with server_in_thread(f"sqlite:///{tmp_path_factory.mktemp('streams') / 'a.sqlite3'}") as running:
        yield running


@pytest.fixture
async def ann(server):
    async with dial(server.url) as player:
        await player.hello()
        yield player


async def test_match_is_followed_to_its_end(server, ann):
    match = await ann.play("classic-evil-practice")
    url = f"{server.site_url}api/v1/matches/{match}/events"
    async with stream(url) as events:
        assert [data["type"] for _, _, data in await take(events, 2)] == ["match_started", "game_started"]
        feedback = await ann.guess(match, 1, 1, "1122")
        [(_, event_id, data)] = await take(events, 1)
        assert (data["code"], data["black"], data["white"]) == ("1122", feedback["black"], feedback["white"])
        await ann.ask("match_over", type="resign", match=match)
        assert [data["type"] for _, _, data in await take_all(events)][-1] == "match_over"
    record = (await ask(f"{server.site_url}api/v1/matches/{match}/record")).text.splitlines()
    async with stream(url) as events:
        assert [data for _, _, data in await take_all(events)] == [json.loads(line) for line in record]
    async with stream(url, last_event_id=event_id) as events:
        assert [data for _, _, data in await take_all(events)] == [json.loads(line) for line in record[3:]]
    last = f"{event_id.split('-')[0]}-{len(record)}"
    async with stream(url, 204, last_event_id=last) as events:
        assert await take_all(events) == []


async def test_ladder_and_all_are_followed_from_now_on_and_go_on(server, ann):
    ladders = f"{server.site_url}api/v1/ladders"
    async with (
        stream(f"{ladders}/classic-evil-practice/events") as ladder,
        stream(f"{ladders}/classic/events") as other,
        stream(f"{server.site_url}api/v1/events") as everything,
    ):
        places = [await take(events, 1) for events in (ladder, other, everything)]
        match = await ann.play("classic-evil-practice")
        await ann.guess(match, 1, 1, "1122")
        seen = [await take(events, 3, match) for events in (ladder, everything)]
        assert seen[0] == seen[1]
        assert [data["type"] for _, _, data in seen[0]] == ["match_started", "game_started", "feedback"]
    async with stream(f"{ladders}/classic-evil-practice/events", last_event_id=places[0][0][1]) as ladder:
        assert await take(ladder, 3, match) == seen[0]
    for foreign in ("0-1", "0" * 1000):
        async with stream(f"{ladders}/classic-evil-practice/events", last_event_id=foreign) as ladder:
            assert [kind for kind, _, _ in await take(ladder, 1)] == ["reset"]


async def test_client_of_http_1_0_gets_a_stream_without_chunks(server, ann):
    """nginx speaks HTTP/1.0 to what is behind it, unless it is configured otherwise."""
    match = await ann.play("classic-evil-practice")
    url = httpx.URL(server.site_url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(f"GET /api/v1/matches/{match}/events HTTP/1.0\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE):
        head = await reader.readuntil(b"\r\n\r\n")
        begun = await reader.readuntil(b"data: ")
        await ann.ask("match_over", type="resign", match=match)
        rest = await reader.read()
    writer.close()
    assert b"transfer-encoding" not in head.lower()
    fields = [line.partition(": ") for line in (begun + rest).decode().splitlines() if not line.startswith(":")]
    assert {name for name, _, _ in fields} == {"", "id", "data"}
    types = [json.loads(value)["type"] for name, _, value in fields if name == "data"]
    assert (types[0], types[-1]) == ("match_started", "match_over")


async def test_connection_is_used_again_after_a_stream(server, ann):
    match = await ann.play("classic-evil-practice")
    await ann.ask("match_over", type="resign", match=match)
    async with httpx.AsyncClient(timeout=PATIENCE, base_url=server.site_url) as client:
        answers = [await client.get(f"api/v1/matches/{match}/{what}") for what in ("events", "record")]
        addresses = {answer.extensions["network_stream"].get_extra_info("client_addr") for answer in answers}
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(addresses) == 1


async def test_fixed_secret_and_nonce_are_in_no_stream_before_the_end(server, ann):
    async with stream(f"{server.site_url}api/v1/events") as events:
        await take(events, 1)
        match = await ann.play("grand-practice")
        await ann.guess(match, 1, 1, "112233")
        before = await take(events, 3, match)
        await ann.ask("game_over", type="resign", match=match, game=1)
        [(_, _, over)] = await take(events, 1, match)
    assert over["secret"]
    assert not any(over["nonce"] in json.dumps(data) for _, _, data in before)
    assert not any("secret" in data or "nonce" in data for _, _, data in before)


@pytest.mark.parametrize("path", ["matches/nothing", "ladders/nothing"])
async def test_stream_of_nothing_is_not_found(server, path):
    answer = await ask(f"{server.site_url}api/v1/{path}/events")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


async def test_head_of_stream_has_no_body(server):
    answer = await ask(f"{server.site_url}api/v1/events", "HEAD")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")


async def test_stream_over_the_limit_is_refused(tmp_path):
    with server_in_thread(f"sqlite:///{tmp_path}/a.sqlite3", site_streams=0) as server:
        answer = await ask(f"{server.site_url}api/v1/events")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_streams_are_neither_stored_nor_transformed(server):
    url = f"{server.site_url}api/v1/events"
    async with httpx.AsyncClient(timeout=PATIENCE) as client, client.stream("GET", url) as answer:
        opened = answer.headers["cache-control"]
    assert opened == (await ask(url, "HEAD")).headers["cache-control"] == "no-store, no-transform"
