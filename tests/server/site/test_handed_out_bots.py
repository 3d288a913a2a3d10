"""The bots that the site hands out, with the address of the server in them."""

import ast
import json
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException

from evilpegs_server.hosts import PublicAddress
from evilpegs_server.site.routes import get_bot, handed_out_bot

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
