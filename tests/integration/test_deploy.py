"""deploy/ on PostgreSQL: through its proxy, over TLS, a match outlives its node, and players reach who can play."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections import defaultdict
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest
import pytest_asyncio

from evilpegs_clients.verification.verify import verify_match
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.queries import closing_engine, read
from support.deployment import METRICS, Deployment, Proxy, asked, take_all_streams
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

BOT = '''"""Minimax that waits before its third guess until a test lets it go on."""

from pathlib import Path

from evilpegs_game.guessing.criteria import MINIMAX
from evilpegs_game.guessing.selection import best_guess

FOLDER = Path(__file__).parent


def choose(position, rng):
    if len(position.history) == 2 and not (FOLDER / "went-on").exists():
        (FOLDER / "waits").write_text("here")
        (FOLDER / "go-on").read_text()
        (FOLDER / "went-on").touch()
    return best_guess(position, MINIMAX)
'''


on_one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def deployed(postgres_cluster, tmp_path_factory):
    """What is deployed, for all tests of this module; the last one kills a node."""
    async with Deployment(postgres_cluster.create(), tmp_path_factory.mktemp("deployed")).running() as deployment:
        yield deployment


async def get(client, url):
    """Return the JSON of the site once it has it."""

    async def answer():
        got = await client.get(url)
        return None if got.status_code in {404, 503} else got

    return (await until(answer)).json()


@on_one_loop
async def test_page_plays_through_the_proxy_and_metrics_stay_inside(deployed):
    proxy = deployed.proxy
    async with httpx.AsyncClient(verify=proxy.tls, timeout=PATIENCE) as client:
        ready = await get(client, f"{proxy.site_url}readyz")
        assert ready == {"status": "ready"}
        page = await client.get(proxy.site_url, headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["Content-Type"].partition(";")[0]) == (200, "text/html")
        assert proxy.url in (await client.get(f"{proxy.site_url}api/v1/game")).text
        for target in METRICS:
            async with asked(proxy, target) as status:
                assert status == 404
        assert (await client.get(f"{proxy.site_url}readyz", headers={"Host": "stranger.example"})).status_code == 421
    async with dial(proxy.url, ssl=proxy.tls, origin=proxy.site_url.rstrip("/")) as raw:
        await raw.hello(name=False)
        await raw.play("classic-evil-practice")


@on_one_loop
async def test_visitor_with_many_streams_keeps_nobody_out(deployed):
    await take_all_streams(deployed.proxy)


@on_one_loop
async def test_players_reach_nodes_of_which_none_is_ready(deployed, postgres_cluster):
    """After PostgreSQL was away, nodes are not ready for half a minute, and yet matches go on at once."""
    async with AsyncExitStack() as stack:
        left = []
        for each in deployed.nodes.values():
            raw = await stack.enter_async_context(dial(each.url))
            await raw.hello(name=False)
            left.append((raw, await raw.play("classic-evil-practice")))
        postgres_cluster.stop("immediate")
        try:
            for raw, match in left:
                await raw.say(type="guess", match=match, game=1, turn=1, code="1122")
                await raw.closed()
            await until(lambda: "backend nodes has no server available" in deployed.proxy.log)
        finally:
            postgres_cluster.start()
    for raw, match in left:
        async with dial(deployed.proxy.url, ssl=deployed.proxy.tls) as again:
            await again.hello(token=raw.token)
            assert (await again.ask("resumed", type="resume", match=match, seq=0))["state"] == "turn"


@on_one_loop
async def test_bot_plays_on_when_its_node_is_killed(deployed, on_disk):
    """It connects again to the same address, resumes on the other node after the lease, and finds nothing wrong."""
    (on_disk / "bot.py").write_text(BOT)
    for name in ("waits", "go-on"):
        os.mkfifo(on_disk / name)
    options = f"--ladder classic-evil --name gated --json --server {deployed.proxy.url}"
    command = f"-m evilpegs bot {on_disk}/bot.py {options}"
    environment = {"SSL_CERT_FILE": str(deployed.proxy.certificate), "XDG_DATA_HOME": str(on_disk / "bot")}
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    bot = await asyncio.create_subprocess_exec(sys.executable, *command.split(), **pipes, env=os.environ | environment)
    ended = asyncio.create_task(bot.communicate())
    with closing_engine(open_database(deployed.database)) as engine:
        waiting = asyncio.create_task(asyncio.to_thread((on_disk / "waits").read_text))
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([waiting, ended], return_when=asyncio.FIRST_COMPLETED)
        assert waiting.done(), ended.result()
        owned = "SELECT node, number, id FROM owners JOIN matches ON number = match WHERE ladder = 'classic-evil'"
        ((owner, number, match),) = read(engine, owned)
        await deployed.nodes[owner].stop(signal.SIGKILL)
        await asyncio.to_thread((on_disk / "go-on").write_text, "on")
        async with asyncio.timeout(PATIENCE):
            out, err = await ended
        assert (bot.returncode, "Traceback" in err.decode()) == (0, False), err.decode()
        rows = read(engine, "SELECT node, json FROM events WHERE match = :match ORDER BY seq", match=number)
    assert verify_match([json.loads(text) for _, text in rows]) == []
    nodes = [node for node, _ in rows]
    assert nodes[-1] != owner
    assert owner in nodes
    assert [each["verified"] for each in json.loads(out)["matches"]] == [True]
    async with httpx.AsyncClient(verify=deployed.proxy.tls, timeout=PATIENCE) as client:
        shown = await get(client, f"{deployed.proxy.site_url}api/v1/matches/{match}")
    assert shown["over"]


class _Echo(BaseHTTPRequestHandler):
    """An answer with the headers of the request."""

    def do_GET(self):
        heard = defaultdict(list)
        for name, value in self.headers.items():
            heard[name.lower()].append(value)
        body = json.dumps(heard).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_proxy_passes_on_no_address_that_a_client_claims(on_disk):
    proxy = Proxy(on_disk)
    with HTTPServer(("127.0.0.1", 0), _Echo) as echo:
        thread = threading.Thread(target=echo.serve_forever)
        thread.start()
        address = f"127.0.0.1:{echo.server_port}"
        servers = dict.fromkeys(("172.28.5.11:8765", "172.28.5.12:8765", "172.28.5.13:8000"), address)
        forged = {"X-Forwarded-For": "192.0.2.7", "Forwarded": "for=192.0.2.7"}
        try:
            with proxy.running(servers), httpx.Client(verify=proxy.tls, timeout=PATIENCE) as client:
                for path in ("", "v1"):
                    heard = client.get(proxy.site_url + path, headers=forged).json()
                    assert heard["x-forwarded-for"] == ["127.0.0.1"]
                    assert "forwarded" not in heard
                plain = client.get(f"http://localhost:{proxy.plain_port}/page")
                assert (plain.status_code, plain.headers["Location"][:8]) == (302, "https://")
        finally:
            echo.shutdown()
            thread.join()
            proxy.close()
