"""`evilpegs check-client` against clients in other languages: right ones, and one that is wrong in five ways."""

import shlex
from importlib import import_module
from pathlib import Path

import pytest

from evilpegs_server import server
from evilpegs_server.site.routes import handed_out_bot
from support.local_worker import LocalWorker
from support.patience import PATIENCE

WRONG_CLIENT = Path(__file__).parents[2] / "support" / "wrong_client.js"
SCRIPTS = [
    "cut after a feedback",
    "cut before ready",
    "restart of the server",
    "notice draining",
    "unknown field",
    "unknown event",
    "unknown error code",
    "notice seat_taken",
    "clock that runs out",
    "0.2 s of silence",
]
FAULTS = {"cut before ready", "unknown event", "unknown error code", "notice seat_taken", "clock that runs out"}


@pytest.fixture
def check(run, monkeypatch):
    """Check a client; return the result, and of each script whether it was right and what the line says.

    A client that does not want its seat back in ``quiet`` seconds is right.
    """
    monkeypatch.setattr(server, "WorkerProcess", LocalWorker)

    def check(*words, quiet=0.2, **options):
        monkeypatch.setattr(import_module("evilpegs.commands.check_client.scripts"), "QUIET_SECONDS", quiet)
        limits = {"silence": 0.2, "patience": min(PATIENCE, 3600)} | options
        more = [f"--{name}={value}" for name, value in limits.items()]
        result = run("check-client", shlex.join(map(str, words)), *more)
        lines = [line.split(maxsplit=1) for line in result.out.splitlines()[:-1]]
        return result, {rest.partition(":")[0]: (verdict, rest) for verdict, rest in lines}

    return check


def test_wrong_client_is_wrong_in_five_ways(check, lone_node):
    result, verdicts = check(*lone_node, WRONG_CLIENT, "{url}", quiet=PATIENCE)
    assert list(verdicts) == SCRIPTS
    assert {name for name, (verdict, _) in verdicts.items() if verdict == "WRONG"} == FAULTS
    assert all("it should" in line for _, line in verdicts.values())
    assert result.status == 1
    assert result.out.splitlines()[-1].startswith("5 of 10")


@pytest.mark.full
@pytest.mark.parametrize(
    ("language", "ladder"), [("py", "classic"), ("py", "classic-evil-practice"), ("js", "bulls-and-cows")]
)
def test_handed_out_bot_is_right(request, check, tmp_path, language, ladder):
    """It keeps tokens in a file, which later servers take. After one game of practice it checks the whole record."""
    (tmp_path / f"bot.{language}").write_text(handed_out_bot(language, "ws://127.0.0.1:1/v1"))
    command = request.getfixturevalue("lone_python" if language == "py" else "lone_node")
    result, verdicts = check(*command, f"bot.{language}", "{url}", "{ladder}", ladder=ladder)
    assert (result.status, [verdict for verdict, _ in verdicts.values()]) == (0, ["right"] * 10), result.out


def write_client(path, *body):
    """Write a client in Python that reads the address from the environment."""
    lines = [
        "import json, os, sys",
        "from websockets.sync.client import connect",
        "server = os.environ['EVILPEGS_SERVER']",
    ]
    path.write_text("\n".join([*lines, *body]))


HELLO = "{'type': 'hello', 'client': {'name': 'c', 'version': '1'}}"


def test_client_that_does_nothing_is_wrong_everywhere(check, lone_python, tmp_path):
    """A short patience finds the same, and a message that is no JSON is the server's to refuse."""
    write_client(
        tmp_path / "idle.py",
        "with connect(server) as socket:",
        "    socket.send('nonsense')",
        f"    socket.send(json.dumps({HELLO}))",
        "    assert os.environ['EVILPEGS_LADDER'] == 'classic-evil'",
        "    for message in socket: print(message, flush=True)",
    )
    result, verdicts = check(*lone_python, "idle.py", ladder="classic-evil", patience=0.05)
    assert {verdict for verdict, _ in verdicts.values()} == {"WRONG"}
    assert result.status == 1


@pytest.mark.parametrize(
    ("body", "fact"),
    [("sys.exit('no luck today')", "no luck today"), ("os.kill(os.getpid(), 9)", "signal 9")],
)
def test_client_that_never_connects_is_a_mistake(check, lone_python, tmp_path, body, fact):
    write_client(tmp_path / "lost.py", body)
    result, _ = check(*lone_python, "lost.py")
    assert (result.status, result.out) == (2, "")
    assert "{url}" in result.complaint
    assert fact in result.complaint


def test_shell_characters_are_pointed_out(run):
    result = run("check-client", "true | cat")
    assert result.status == 2
    assert " | " in result.err.splitlines()[0]
