"""A site behind a proxy, whose settings name the URL at which others reach it."""

import json

import httpx
import pytest
import structlog
from websockets.asyncio.client import connect

from evilpegs_clients.connection.site_address import game_address
from evilpegs_server.settings import Settings
from evilpegs_server.site.responses import next_page
from support.in_process import running_server
from support.patience import PATIENCE

SITE_URL = "https://games.example/pegs"


@pytest.fixture
async def server(database):
    settings = Settings(port=0, site_port=0, site_url=SITE_URL, hosts=("club.example",), database=database)
    async with running_server(settings, structlog.get_logger()) as running:
        yield running


async def test_set_url_is_used_wherever_site_is_named(server):
    local = f"http://127.0.0.1:{server.site.port}"
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        index = await client.get(f"{local}/api/v1", headers={"host": "games.example"})
        game = await client.get(f"{local}/api/v1/game", headers={"host": "games.example"})
        page = await client.get(local, headers={"host": "games.example", "accept": "text/html"})
        redirected = await client.get(server.url.replace("ws://", "http://").removesuffix("v1"))
        others = [
            (await client.get(f"{local}/healthz", headers={"host": host})).status_code
            for host in ("club.example", "club.example:8000", "example", "pegs.games.example")
        ]
    async with connect(server.url, open_timeout=PATIENCE) as socket:
        await socket.send(json.dumps({"type": "hello", "client": {"name": "tester", "version": "1"}}))
        welcome = json.loads(await socket.recv())
    assert index.json()["links"]["ladders"] == "/pegs/api/v1/ladders"
    assert game.json()["url"] == "wss://games.example/pegs/v1"
    assert f'content="{SITE_URL}/static/' in page.text
    assert "connect-src 'self' wss://games.example;" in page.headers["content-security-policy"]
    assert server.site_url == redirected.headers["location"] == welcome["server"]["site"] == SITE_URL + "/"
    assert others == [200, 200, 421, 421]


def test_next_page_is_below_base_path():
    assert next_page("/pegs", "/list", {"a": None, "b": "x y"}, "c") == "/pegs/list?b=x+y&cursor=c"
    assert next_page("", "/list", {"cursor": "c"}, "d") == "/list?cursor=d"
    assert next_page("/pegs", "/list", {}, None) is None


async def test_server_without_site_names_none(database):
    async with running_server(Settings(port=0, site=False, database=database), structlog.get_logger()) as server:
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            plain = await client.get(server.url.replace("ws://", "http://").removesuffix("v1"))
        async with connect(server.url, open_timeout=PATIENCE) as socket:
            await socket.send(json.dumps({"type": "hello", "client": {"name": "tester", "version": "1"}}))
            welcome = json.loads(await socket.recv())
    assert plain.status_code == 404
    assert server.site_url is None
    assert welcome["server"]["site"] is None


def test_address_of_the_game_can_be_asked(site):
    assert game_address(site.url) == site.game_url
