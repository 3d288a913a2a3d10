"""The examples play against a real server, each in a process of its own."""

import asyncio
import itertools
import json
import re
import socket
import subprocess
import sys
from contextlib import asynccontextmanager

import httpx
import pytest
import structlog
from structlog.stdlib import BoundLogger
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from evilpegs_server.settings import Settings
from evilpegs_server.site.routes import handed_out_bot
from support.foreign_clients import EXAMPLES
from support.in_process import running_server
from support.patience import PATIENCE


def drop(logger, method, event):
    raise structlog.DropEvent


async def run_program(tmp_path, *command):
    """Run a program in a folder of its own; return its exit status and what it prints."""
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.STDOUT}
    program = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, **pipes)
    async with asyncio.timeout(PATIENCE):
        printed, _ = await program.communicate()
    return program.returncode, printed.decode()


@asynccontextmanager
async def real_server(tmp_path):
    """Run a server and yield its address."""
    settings = Settings(site=False, host="127.0.0.1", port=0, database=f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}")
    log = structlog.wrap_logger(None, processors=[drop], wrapper_class=BoundLogger)
    async with running_server(settings, log) as server:
        yield server.url


async def played(tmp_path, *command):
    """Run a program against a real server and return what it prints."""
    async with real_server(tmp_path) as url:
        status, printed = await run_program(tmp_path, *command, url)
    assert status == 0, printed
    return printed


class Relay:
    """A TCP relay before a server. It cuts the first connection, or changes bytes that the server sends."""

    def __init__(self, url, cut_after=None, change=None):
        self.target = url
        self.cut_after = cut_after
        self.change = change
        self.connections = 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        return self, re.sub(r":\d+/", f":{port}/", self.target)

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()

    async def _pass_on(self, reader, writer):
        self.connections += 1
        left = self.cut_after if self.connections == 1 else None
        host, port = re.search(r"//(.*?):(\d+)/", self.target).groups()
        upstream_reader, upstream_writer = await asyncio.open_connection(host, port)
        sending = asyncio.create_task(self._copy(reader, upstream_writer, None, None))
        try:
            await self._copy(upstream_reader, writer, left, self.change)
        finally:
            sending.cancel()
            writer.close()
            upstream_writer.close()

    async def _copy(self, reader, writer, left, change):
        while data := await read_some(reader):
            if left is not None and (left := left - len(data)) <= 0:
                return
            writer.write(data if change is None else data.replace(*change))


async def read_some(reader):
    """Return the next bytes, none at the end of a connection, however it ended."""
    try:
        return await reader.read(4096)
    except ConnectionError:
        return b""


SOLVED = re.compile(r"[^\d\n]*\bsolved\b[^\d\n]*\b\d\b[^\d\n]*\b[1-6]{4}\n")
"""One line with the outcome, the number of guesses and the secret."""


async def test_python_example_solves_game(tmp_path):
    assert SOLVED.fullmatch(await played(tmp_path, sys.executable, str(EXAMPLES / "minimal_bot.py")))


async def test_python_example_needs_no_proxy_to_this_machine(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with socket.socket() as closed:  # bound and not listening: who connects is refused
        closed.bind(("127.0.0.1", 0))
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{closed.getsockname()[1]}")
        assert SOLVED.fullmatch(await played(tmp_path, sys.executable, str(EXAMPLES / "minimal_bot.py")))


async def test_javascript_example_solves_game(tmp_path, node):
    program, folder = node
    assert SOLVED.fullmatch(await played(tmp_path, program, str(folder / "minimal_bot.js")))


@pytest.fixture(params=["py", "js"])
def complete_bot(request, tmp_path):
    """The command of each bot that a server hands out, with an address in it where nobody listens."""
    (tmp_path / f"bot.{request.param}").write_text(handed_out_bot(request.param, "ws://127.0.0.1:1/v1"))
    language = "lone_python" if request.param == "py" else "lone_node"
    return [*request.getfixturevalue(language), f"bot.{request.param}"]


async def test_complete_example_resumes_after_cut(tmp_path, complete_bot):
    """The relay cuts the connection in the middle of the match, and the bot finishes the match on the next one."""
    async with real_server(tmp_path) as url, Relay(url, cut_after=10_000) as (relay, address):
        status, printed = await run_program(tmp_path, *complete_bot, address)
    assert status == 0, printed
    assert relay.connections == 2
    assert set(re.findall(r"^game (\d+): solved", printed, re.MULTILINE)) == {str(game) for game in range(1, 11)}
    assert len(re.findall(r"^match [0-9a-f]{16}:", printed, re.MULTILINE)) == 1
    assert (tmp_path / "bot_tokens.json").stat().st_mode & 0o777 == 0o600


async def test_complete_example_uses_no_proxy_on_this_machine(tmp_path, complete_bot, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "socks_proxy"):
        monkeypatch.setenv(name, "socks5h://127.0.0.1:1")
    async with real_server(tmp_path) as url:
        status, printed = await run_program(tmp_path, *complete_bot, url)
    assert status == 0, printed


@pytest.mark.parametrize(("proxy", "fact"), [("socks5h://127.0.0.1:1", "NO_PROXY"), ("gopher://127.0.0.1:1", "gopher")])
async def test_complete_example_names_a_proxy_that_it_cannot_use(tmp_path, lone_python, monkeypatch, proxy, fact):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    program = handed_out_bot("py", "ws://example.invalid/v1").replace("(0, 1, 2, 4, 8, 16, 30, 60)", "(0,)")
    (tmp_path / "bot.py").write_text(program)
    status, printed = await run_program(tmp_path, *lone_python, "bot.py")
    assert status == 1
    assert fact in printed
    assert "Traceback" not in printed


async def test_complete_example_plays_again_with_kept_token(tmp_path, complete_bot):
    async with real_server(tmp_path) as url:
        runs = [await run_program(tmp_path, *complete_bot, url) for _ in range(2)]
    assert [status for status, _ in runs] == [0, 0]


async def test_complete_example_refuses_rules_of_too_many_codes(tmp_path, complete_bot):
    """Before a match begins, which it could not play: the next one is on another ladder."""
    async with real_server(tmp_path) as url:
        status, printed = await run_program(tmp_path, *complete_bot, url, "monster")
        assert (status, printed.count("\n")) == (1, 1), printed
        assert "monster" in printed
        status, printed = await run_program(tmp_path, *complete_bot, url, "classic")
    assert (status, "on classic" in printed) == (0, True), printed


async def test_complete_example_resumes_only_its_own_ladder(tmp_path, complete_bot):
    async with real_server(tmp_path) as url:
        assert (await run_program(tmp_path, *complete_bot, url, "classic"))[0] == 0
        token = json.loads((tmp_path / "bot_tokens.json").read_text())[url]
        async with connect(url, subprotocols=["evilpegs.v1"]) as client:
            await client.send(json.dumps({"type": "hello", "client": {"name": "x", "version": "1"}, "token": token}))
            await client.send(json.dumps({"type": "play", "ladder": "bulls-and-cows"}))
            while json.loads(await client.recv())["type"] != "game_started":
                pass
        status, printed = await run_program(tmp_path, *complete_bot, url, "classic")
        again = await run_program(tmp_path, *complete_bot, url, "bulls-and-cows")
    assert (status, re.findall(r"on (\S+)$", printed, re.MULTILINE)) == (0, ["classic"]), printed
    assert (again[0], again[1].count(" plays match "), "bulls-and-cows" in again[1]) == (0, 1, True), again


async def test_complete_example_reads_token_with_byte_order_mark(tmp_path, complete_bot):
    async with real_server(tmp_path) as url:
        runs = [await run_program(tmp_path, *complete_bot, url)]
        tokens = tmp_path / "bot_tokens.json"
        tokens.write_bytes(b"\xef\xbb\xbf" + tokens.read_bytes().replace(b"{", b"{\r\n"))
        runs.append(await run_program(tmp_path, *complete_bot, url))
    assert [status for status, _ in runs] == [0, 0]
    assert len({re.match(r"\S+ plays", printed)[0] for _, printed in runs}) == 1


@pytest.mark.parametrize(
    "text", [b"", b'"TOKEN"', b"[]", b"null", '{"ä": ""}'.encode("latin-1"), "{}".encode("utf-16"), b"{}\0"]
)
async def test_complete_example_refuses_other_text_in_one_line(tmp_path, complete_bot, text):
    (tmp_path / "bot_tokens.json").write_bytes(text)
    status, printed = await run_program(tmp_path, *complete_bot)
    assert (status, printed.count("\n")) == (1, 1)
    assert all(word in printed for word in ("bot_tokens.json", "UTF-8", '{"ws://127.0.0.1:1/v1": "TOKEN"}'))
    assert (tmp_path / "bot_tokens.json").read_bytes() == text


@pytest.mark.parametrize(
    "change",
    [(b'"type":"feedback","white":0', b'"type":"feedback","white":1'), (b'"guess_limit":10', b'"guess_limit":11')],
)
async def test_complete_example_notices_changed_bytes(tmp_path, complete_bot, change):
    """The control of the verification: a wrong feedback, and a record that does not match its hash."""
    async with real_server(tmp_path) as url, Relay(url, change=change) as (_, address):
        status, printed = await run_program(tmp_path, *complete_bot, address)
    assert (status, "cheated" in printed) == (1, True), printed


OBEYED = "\x1b]0;owned\x07\x9b31m\u202e\u2028"
"""What terminals obey: titles, colors, another direction of writing, and new lines."""
LAST_WORDS = {
    "the end": json.dumps({"type": "match_over", "match": OBEYED, "head": "0" * 64, "seq": 1, "at": 1}),
    "an error": json.dumps({"type": "error", "code": "x", "message": OBEYED}),
    "no JSON": OBEYED,
}


@asynccontextmanager
async def hostile_server(last):
    """Run a server whose messages are full of what terminals obey; it closes the first connection for such a reason."""
    game = {"match": OBEYED, "game": 1, "outcome": OBEYED, "guesses": OBEYED, "secret": None, "nonce": None}
    rules = {"symbols": "12", "pegs": 1, "repeats": True}
    messages = [
        {"type": "welcome", "token": "t", "open": []},
        {"type": "match_started", "player": OBEYED, "match": OBEYED, "ladder": OBEYED, **rules},
        {"type": "game_over", **game},
    ]
    connections = itertools.count()

    async def answer(socket):
        if not next(connections) and last == "the end":
            await socket.close(1008, OBEYED)
            return
        for message in messages:
            await socket.send(json.dumps(message))
        await socket.send(LAST_WORDS[last])
        await socket.wait_closed()

    async with serve(answer, "127.0.0.1", 0, subprotocols=["evilpegs.v1"]) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


@pytest.mark.parametrize("last", LAST_WORDS)
async def test_complete_example_prints_nothing_that_a_terminal_obeys(tmp_path, complete_bot, last):
    async with hostile_server(last) as url:
        status, printed = await run_program(tmp_path, *complete_bot, url)
    assert (status, "game 1: ?]0;owned" in printed) == (int(last != "the end"), True)
    assert [line for line in printed.split("\n") if not line.isprintable()] == []


@pytest.mark.parametrize("last", ["an error", "no JSON"])
@pytest.mark.parametrize("language", ["py", "js"])
async def test_small_example_prints_nothing_that_a_terminal_obeys(tmp_path, node, language, last):
    program, folder = node
    command = (
        [sys.executable, EXAMPLES / "minimal_bot.py"] if language == "py" else [program, folder / "minimal_bot.js"]
    )
    async with hostile_server(last) as url:
        status, printed = await run_program(tmp_path, *command, url)
    assert (status, "in ?]0;owned" in printed) == (1, True)
    assert [line for line in printed.split("\n") if not line.isprintable()] == []


async def test_bot_plays_as_its_server_hands_it_out(tmp_path, complete_bot):
    """It reaches the server by the address in it, which the request for it went to."""
    settings = Settings(host="127.0.0.1", port=0, site_port=0, database=f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}")
    log = structlog.wrap_logger(None, processors=[drop], wrapper_class=BoundLogger)
    async with (
        running_server(settings, log) as server,
        httpx.AsyncClient(base_url=server.site_url, timeout=PATIENCE) as web,
    ):
        (tmp_path / complete_bot[-1]).write_text((await web.get(f"/{complete_bot[-1]}", timeout=PATIENCE)).text)
        status, printed = await run_program(tmp_path, *complete_bot)
    assert status == 0, printed
    assert len(re.findall(r"^game \d+: solved", printed, re.MULTILINE)) == 10


def test_bare_python_has_no_other_library(lone_python):
    """The control: nothing that is installed helps the bot."""
    code = "import websockets\ntry:\n    import numpy\nexcept ImportError:\n    print('bare')"
    assert subprocess.run([*lone_python, "-c", code], capture_output=True, text=True, check=True).stdout == "bare\n"


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_javascript_packages_have_no_addresses(name):
    assert "://" not in (EXAMPLES / name).read_text()
