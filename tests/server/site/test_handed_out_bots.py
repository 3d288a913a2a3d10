"""The bots that the site hands out, with the address of the server in them."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException
from websockets.sync.server import serve

from evilpegs_server.hosts import PublicAddress
from evilpegs_server.site.routes import get_bot, handed_out_bot
from support.patience import PATIENCE

HOSTILE = [
    'ws://x"+__import__("os").system("true")+"/v1',
    'ws://x\\"; process.exit(9); //',
    "ws://a\nimport os\n",
    "ws://a\u2028b\u2029'`${c}</script>",
]


@pytest.mark.parametrize(("path", "only"), [("/bot.py", "import hmac\n"), ("/bot.js", "async function main")])
def test_bot_has_address_of_the_game(web, site, path, only):
    answer = web.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert only in answer.text
    assert answer.text.count(json.dumps(site.game_url)) == 1
    assert "ADDRESS" not in answer.text


def test_bot_is_for_the_host_that_the_client_used(web, site):
    other = site.game_url.replace("127.0.0.1", "localhost")
    host = site.url.removeprefix("http://").rstrip("/").replace("127.0.0.1", "localhost")
    assert json.dumps(other) in web.get("/bot.py", headers={"Host": host}).text


@pytest.mark.parametrize("host", ['x"+exit()+"', "evil.example", 'localhost";exit();"', "localhost\\"])
@pytest.mark.parametrize("path", ["/bot.py", "/bot.js"])
def test_hostile_host_is_refused(web, path, host):
    assert web.get(path, headers={"Host": host}).status_code in {400, 421}


def addresses(program):
    """Return what follows the last `else` of the first statement that assigns SERVER."""
    return [
        ast.literal_eval(node.value.orelse)
        for node in ast.parse(program).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "SERVER"
    ]


@pytest.mark.parametrize("url", HOSTILE)
def test_address_stays_a_string(url):
    """It is JSON without anything beyond ASCII, which is a string in both languages."""
    assert addresses(handed_out_bot("py", url)) == [url]
    (line,) = [line for line in handed_out_bot("js", url).split("\n") if line.startswith("const SERVER")]
    text = line.partition(" ?? ")[2].removesuffix(";")
    assert json.loads(text) == url
    assert text.isascii()


@pytest.mark.parametrize("language", ["py", "js"])
def test_one_place_marks_the_strategy(language):
    assert handed_out_bot(language, "ws://x/v1").count("YOUR STRATEGY") == 1


async def test_site_without_a_game_has_no_bot():
    site = SimpleNamespace(game_url=lambda request: PublicAddress("ws", "/v1").url_for("localhost"))
    with pytest.raises(HTTPException) as caught:
        await get_bot(site, None)
    assert caught.value.status_code == 404


@pytest.mark.parametrize(
    "sent", ["plain text", "[]", "[" * 100_000, json.dumps({"type": "welcome", "player": "x", "token": "t"})]
)
def test_what_is_no_message_ends_a_bot_in_one_line(tmp_path, sent):
    with serve(
        lambda socket: (socket.recv(), socket.send(sent)), "127.0.0.1", 0, subprotocols=["evilpegs.v1"]
    ) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        result = run_bot(tmp_path, f"ws://127.0.0.1:{server.socket.getsockname()[1]}/v1")
        server.shutdown()
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert "the server sent" in result.stderr


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.write_text('{"ws://127.0.0.1:1/v1": 1}')])
def test_tokens_that_are_none_end_a_bot_in_one_line(tmp_path, make):
    make(tmp_path / "bot_tokens.json")
    result = run_bot(tmp_path, "ws://127.0.0.1:1/v1")
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert "bot_tokens.json must be text" in result.stderr


def run_bot(folder, url):
    (folder / "bot.py").write_text(handed_out_bot("py", url))
    return subprocess.run(
        [sys.executable, "bot.py"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
