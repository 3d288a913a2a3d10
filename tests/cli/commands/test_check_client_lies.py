"""`evilpegs check-client --lies`: which lies of a server a client notices, against what it says that it verifies."""

import shlex
import sys
from xml.etree import ElementTree as ET

import pytest

from evilpegs.commands.check_client.lies import KINDS
from evilpegs_server.site.routes import handed_out_bot
from support.patience import PATIENCE

PLAYED = ["honest", *KINDS[:5], "honest evil", *KINDS[5:]]
CLIENT = """
import json, os, sys
from websockets.sync.client import connect

LADDER = os.environ["EVILPEGS_LADDER"]
with connect(os.environ["EVILPEGS_SERVER"]) as socket:
    send = lambda **message: socket.send(json.dumps(message))
    send(type="hello", client={"name": "c", "version": "1"})
    send(type="play", ladder=LADDER)
    for event in map(json.loads, socket):
        if event["type"] == "game_started":
            send(type="ready")
        elif event["type"] == "turn":
            send(type="guess", turn=event["turn"], code="1122")
        elif event["type"] == "match_over":
            sys.exit()
"""


@pytest.fixture
def lie(run):
    """Tell lies to a client; return the result and the checks of its document by name."""

    def lie(*words, **options):
        options = {"patience": min(PATIENCE, 3600)} | options
        more = [f"--{name}={value}" for name, value in options.items()]
        result = run("check-client", shlex.join(map(str, words)), "--lies", *more, "--json")
        return result, {each["name"]: each for each in result.document["checks"]}

    return lie


def with_verdict(checks, verdict):
    return {name for name, each in checks.items() if each["verdict"] == verdict}


@pytest.mark.parametrize(("language", "ladder"), [("py", "classic"), ("js", "bulls-and-cows")])
def test_handed_out_bot_notices_what_it_claims(request, lie, tmp_path, language, ladder):
    """Its first lines claim this much; the rest is shown and no fault."""
    (tmp_path / f"bot.{language}").write_text(handed_out_bot(language, "ws://127.0.0.1:1/v1"))
    command = request.getfixturevalue("lone_python" if language == "py" else "lone_node")
    claims = {"commitment", "feedback", "hash"}
    result, checks = lie(*command, f"bot.{language}", "{url}", "{ladder}", ladder=ladder, claims=",".join(claims))
    assert (result.status, list(checks)) == (0, PLAYED), result.out
    assert with_verdict(checks, "noticed") == claims
    assert with_verdict(checks, "not noticed") == set(KINDS) - claims


@pytest.mark.full
@pytest.mark.parametrize("ladder", ["classic", "classic-evil-practice"])
def test_bot_of_the_command_line_notices_every_lie(lie, ladder):
    """Its ties are drawn from both nonces on the one ladder, and are the first on the other."""
    bot = (sys.executable, "-m", "evilpegs", "bot", "minimax", "--server", "{url}", "--ladder", "{ladder}")
    result, checks = lie(*bot, "--name", "my-client", ladder=ladder, claims="all")
    assert (result.status, with_verdict(checks, "noticed")) == (0, set(KINDS)), result.out


def test_client_that_verifies_nothing_is_wrong_only_where_it_claims_to(lie, lone_python, tmp_path):
    (tmp_path / "client.py").write_text(CLIENT)
    result, checks = lie(*lone_python, "client.py")
    assert (result.status, with_verdict(checks, "noticed")) == (0, set())
    assert with_verdict(checks, "right") == {"honest", "honest evil"}
    result, checks = lie(*lone_python, "client.py", claims="hash,evil", junit="junit.xml")
    assert (result.status, {name for name, each in checks.items() if each["failed"]}) == (1, {"hash", "evil"})
    suite = ET.parse("junit.xml").getroot()
    assert {case.get("name") for case in suite if case.find("failure") is not None} == {"hash", "evil"}
    assert {case.get("name") for case in suite if case.find("skipped") is not None} == set(KINDS) - {"hash", "evil"}


def test_lie_without_occasion_is_untested(lie, lone_python, tmp_path):
    (tmp_path / "client.py").write_text(CLIENT.replace('send(type="ready")', 'send(type="resign")'))
    result, checks = lie(*lone_python, "client.py", claims="feedback")
    assert with_verdict(checks, "untested") == {"feedback", "order", "evil", "tie"}
    assert (result.status, checks["feedback"]["failed"], checks["tie"]["failed"]) == (1, True, False)


def test_client_that_fails_the_honest_match_gets_no_verdict(lie, lone_python, tmp_path):
    (tmp_path / "client.py").write_text(CLIENT.replace("sys.exit()", "sys.exit(3)"))
    result, checks = lie(*lone_python, "client.py")
    assert (result.status, with_verdict(checks, "wrong")) == (1, {"honest", "honest evil"})
    assert with_verdict(checks, "untested") == set(KINDS)


@pytest.mark.parametrize(
    ("sent", "codes"),
    [
        ("'nonsense'", ["bad_json"]),
        ("b'{}'", ["bad_json"]),
        ("json.dumps({'type': 'play', 'ladder': LADDER})", ["auth_required"]),
    ],
)
def test_lying_server_refuses_as_others_do(lie, lone_python, tmp_path, sent, codes):
    first = f"    socket.send({sent})\n    assert [json.loads(socket.recv())['code']] == {codes}\n"
    rest = '    send(type="hello", client={"name": "c", "version": "1"})\n'
    refused = [
        ("send(type='guess', turn=1, code='1122')", "not_your_match"),
        ("send(type='play', ladder='super')", "unknown_ladder"),
    ]
    lines = [f"    {send}\n    assert json.loads(socket.recv())['code'] == {code!r}\n" for send, code in refused]
    rest += "    socket.recv()\n" + "".join(lines)
    before = '    send(type="hello", client={"name": "c", "version": "1"})\n'
    assert CLIENT.count(before) == 1
    (tmp_path / "client.py").write_text(CLIENT.replace(before, first + rest))
    result, checks = lie(*lone_python, "client.py")
    assert (result.status, with_verdict(checks, "right")) == (0, {"honest", "honest evil"}), result.out
