"""`evilpegs check-client` against clients in other languages: right ones, and wrong ones."""

import os
import shlex
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from evilpegs_server import server
from evilpegs_server.site.routes import handed_out_bot
from support.local_worker import LocalWorker
from support.patience import PATIENCE

SUPPORT = Path(__file__).parents[2] / "support"
WRONG_CLIENT = SUPPORT / "wrong_client.js"
SCRIPTS = [
    "cut after a feedback",
    "cut before ready",
    "restart of the server",
    "notice draining",
    "resumed while thinking",
    "429 at connect",
    "503 at connect",
    "unknown field",
    "unknown event",
    "fragmented frames",
    "unknown error code",
    "rate_limited",
    "notice seat_taken",
    "clock that runs out",
    "silence",
]
FAULTS = {
    *("cut before ready", "unknown event", "unknown error code", "rate_limited"),
    *("notice seat_taken", "clock that runs out"),
}


@pytest.fixture
def check(run, monkeypatch):
    """Check a client; return the result, and the checks of its document by name.

    A client that does not want its seat back in ``quiet`` seconds is right, and so is a ``pause`` in seconds before it
    comes back. Options with the value True have none.
    """
    monkeypatch.setattr(server, "WorkerProcess", LocalWorker)
    bench, scripts = (import_module(f"evilpegs.commands.check_client.{name}") for name in ("bench", "scripts"))

    def check(*words, quiet=0.2, pause=0.05, thinking=0.2, **options):
        monkeypatch.setattr(scripts, "QUIET_SECONDS", quiet)
        monkeypatch.setattr(scripts, "THINKING_SECONDS", thinking)
        monkeypatch.setattr(scripts, "RETRY_MS", round(1_000 * pause))
        monkeypatch.setattr(bench, "PAUSE_SECONDS", pause)
        limits = {"silence": 0.2, "patience": min(PATIENCE, 3600)} | options
        more = [f"--{name}" if value is True else f"--{name}={value}" for name, value in limits.items()]
        result = run("check-client", shlex.join(map(str, words)), *more, "--json")
        return result, {each["name"]: each for each in result.document["checks"]} if result.out else {}

    return check


def failed(checks):
    return {name for name, each in checks.items() if each["failed"]}


def test_wrong_client_is_wrong_in_its_ways(check, lone_node):
    result, checks = check(*lone_node, WRONG_CLIENT, "{url}", quiet=PATIENCE)
    assert list(checks) == SCRIPTS
    assert failed(checks) == FAULTS == {name for name, each in checks.items() if each["verdict"] == "wrong"}
    assert (result.status, result.document["failed"]) == (1, len(FAULTS))


@pytest.mark.full
@pytest.mark.parametrize(
    ("language", "ladder"), [("py", "classic"), ("py", "classic-evil-practice"), ("js", "bulls-and-cows")]
)
def test_handed_out_bot_is_right(request, check, tmp_path, language, ladder):
    """It keeps tokens in a file, which later servers take. After one game of practice it checks the whole record."""
    (tmp_path / f"bot.{language}").write_text(handed_out_bot(language, "ws://127.0.0.1:1/v1"))
    command = request.getfixturevalue("lone_python" if language == "py" else "lone_node")
    result, checks = check(*command, f"bot.{language}", "{url}", "{ladder}", ladder=ladder, pause=1.0)
    assert (result.status, failed(checks)) == (0, set()), result.out


@pytest.fixture
def check_plain(check, lone_python, tmp_path):
    """Check the plain client after a text in it was replaced by another."""

    def check_plain(old="", new="", **options):
        text = (SUPPORT / "plain_client.py").read_text()
        assert not old or text.count(old) == 1
        (tmp_path / "plain.py").write_text(text.replace(old, new) if old else text)
        return check(*lone_python, "plain.py", "{url}", "{ladder}", **options)

    return check_plain


def test_plain_client_is_right(check_plain):
    result, checks = check_plain()
    assert (result.status, list(checks), failed(checks)) == (0, SCRIPTS, set()), result.out


WELCOME, STARTED = "        if self.match:", '        self.match = event["match"]'
READY, PAUSE, END = '        if event["state"] == "ready":', "    time.sleep(0.2)", 'sys.exit(event["message"])'
FORGET = f"        self.possible = getattr(self, 'codes', [])\n{WELCOME}"
PINGS = f'{STARTED}\n        [self.send(type="ping", c=c) for c in range(1000)]'
EARLY = f'        if event["state"] == "thinking":\n            self.on_turn(event | {{"turn": 2}})\n{READY}'
FRAMES = "for text in (frame for _ in itertools.count() for frame in socket.recv_streaming()):"
FAULTY = {
    "a crash": ("unknown error code", END, '{}[event["code"]]', "KeyError"),
    "no pause after 429": ("429 at connect", PAUSE, "   ", "10 times"),
    "no pause after 503": ("503 at connect", PAUSE, "   ", "10 times"),
    "a game forgotten": ("restart of the server", WELCOME, FORGET, "1111 again"),
    "a flood of pings": ("unknown field", STARTED, PINGS, "requests_per_second"),
    "a guess while the server thinks": ("resumed while thinking", READY, EARLY, "thinking"),
    "a request too early": ("rate_limited", END, 'self.send(type="play", ladder=LADDER)', "asked again"),
    "frames taken for messages": ("fragmented frames", "for text in socket:", FRAMES, "crashed"),
}


@pytest.mark.parametrize(("script", "old", "new", "fact"), FAULTY.values(), ids=FAULTY)
def test_planted_fault_is_found(check_plain, script, old, new, fact):
    """The plain client without it is right, see above; the times are such that the fault comes before they are over."""
    result, checks = check_plain(old, new, script=script, pause=PATIENCE, thinking=PATIENCE)
    assert (result.status, failed(checks), list(checks)) == (1, {script}, [script])
    assert fact in checks[script]["did"]


def test_asking_again_after_retry_after_ms_is_right(check_plain):
    result, checks = check_plain('sys.exit(event["message"])', "self.socket.close()", script="rate_limited")
    assert (result.status, failed(checks)) == (0, set())
    assert "asked again" in checks["rate_limited"]["did"]


def write_client(path, *body):
    """Write a client in Python that reads the address from the environment."""
    lines = [
        "import json, os, sys",
        "from websockets.sync.client import connect",
        "server = os.environ['EVILPEGS_SERVER']",
    ]
    path.write_text("\n".join([*lines, *body]))


HELLO = "{'type': 'hello', 'client': {'name': 'c', 'version': '1'}}"


def test_client_that_ends_is_wrong_everywhere(check, lone_python, tmp_path):
    """A message that is no JSON is the server's to refuse."""
    write_client(
        tmp_path / "idle.py",
        "with connect(server) as socket:",
        "    socket.send('nonsense')",
        f"    socket.send(json.dumps({HELLO}))",
        "    assert os.environ['EVILPEGS_LADDER'] == 'classic-evil'",
        "    print(socket.recv(), socket.recv())",
    )
    result, checks = check(*lone_python, "idle.py", ladder="classic-evil")
    assert (failed(checks), result.status) == (set(SCRIPTS), 1)


@pytest.mark.parametrize("lies", [{}, {"lies": True}])
@pytest.mark.parametrize(
    ("body", "fact"), [("sys.exit('no luck today')", "no luck today"), ("os.kill(os.getpid(), 9)", "signal 9")]
)
def test_client_that_never_connects_is_a_mistake(check, lone_python, tmp_path, body, fact, lies):
    write_client(tmp_path / "lost.py", body)
    result, _ = check(*lone_python, "lost.py", **lies)
    assert (result.status, result.out) == (2, "")
    assert "{url}" in result.complaint
    assert fact in result.complaint


@pytest.mark.parametrize("lies", [{}, {"lies": True}])
def test_patience_is_also_for_the_start(check, lone_python, tmp_path, lies):
    """The client waits for what never comes."""
    os.mkfifo(tmp_path / "never")
    write_client(tmp_path / "late.py", "open('never').read()")
    result, _ = check(*lone_python, "late.py", patience=0.05, **lies)
    assert (result.status, result.out) == (2, "")
    assert "0.05 s" in result.complaint


def test_shell_characters_are_pointed_out(run):
    result = run("check-client", "true | cat")
    assert result.status == 2
    assert " | " in result.err.splitlines()[0]


def test_results_in_text_and_in_junit_xml(run, check_plain, tmp_path):
    """A file of this kind is replaced, and no other."""
    report, crash = tmp_path / "junit.xml", (END, '{}[event["code"]]')
    for _ in range(2):
        _, checks = check_plain(*crash, script="unknown error code", junit=report)
    suite = ET.parse(report).getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "1", "1")
    (case,) = suite.findall("testcase")
    assert case.get("name") == "unknown error code"
    assert "KeyError" in case.find("failure").get("message")
    command = shlex.join([sys.executable, "plain.py", "{url}", "{ladder}"])
    *lines, summary = run("check-client", command, "--script", "unknown error code").out.splitlines()
    (line,) = lines
    each = checks["unknown error code"]
    assert all(word in line for word in ("WRONG", each["name"], each["did"], each["should"]))
    assert summary.startswith("1 of 1 ")
    report.write_text("mine")
    result = run("check-client", command, "--junit", report)
    assert (result.status, report.read_text()) == (2, "mine")
