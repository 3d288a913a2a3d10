"""`--token-from`: a player whose server has got another address."""

import json
import signal
from pathlib import Path

import pytest

from support.waiting import wait_until

PLAY = ("bot", "first-consistent", "--ladder", "classic-practice")


def test_token_of_old_address_is_found_by_option(run, serve, tmp_path):
    """The server moves to another port; its old address in the file of tokens is not its new one."""
    before = serve("--no-site")
    old = before.url
    assert run(*PLAY, "--name", "bob", "--server", old).status == 0
    before.end(signal.SIGTERM)
    new = serve("--no-site").url
    taken = run(*PLAY, "--name", "bob", "--server", new)
    assert taken.status == 2
    assert all(fact in taken.complaint for fact in ("bob", old, new, "tokens.json", f"--token-from {old}"))
    assert run(*PLAY, "--name", "bob", "--server", new, "--token-from", old).status == 0
    assert run(*PLAY, "--name", "bob", "--server", new).status == 0
    stored = json.loads(Path(tmp_path / "data/evilpegs/tokens.json").read_text())
    assert stored[old]["bob"] == stored[new]["bob"]


def test_token_of_the_operator_is_needed_once(run, server):
    """The server follows the command within a second."""
    tokens = run("players", "add", "dora", "--tokens", "-", "--database", server.database).out
    token = tokens.splitlines()[1].split(",")[1]
    play = (*PLAY, "--name", "dora", "--server", server.url)
    wait_until(lambda: run(*play, "--token", token).status == 0)
    assert run(*play).status == 0
    nameless = run(*PLAY, "--server", server.url, "--token", token)
    assert nameless.complaint == "--token is for a player with a name; add --name"
    other = run(*PLAY, "--name", "erik", "--server", server.url, "--token", f" {token}\n")
    assert other.complaint == "this token is that of dora, not of erik"
    assert run(*PLAY, "--name", "erik", "--server", server.url).status == 0  # the name was free, and is his now


def test_renamed_player_is_let_in_under_letters_of_any_script(run, server, monkeypatch):
    tokens = run("players", "add", "ines", "--tokens", "-", "--database", server.database).out
    token = tokens.splitlines()[1].split(",")[1]
    run("players", "rename", "ines", "Zoë", "--database", server.database)
    play = (*PLAY, "--name", "Zoë", "--server", server.url)
    assert "not a name: 'Zoë'" in run(*play).complaint
    wait_until(lambda: run(*play, "--token", token).status == 0)
    assert run(*play).status == 0
    with Path("/dev/null").open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert run("play", "--name", "Zoë", "--server", server.url).status == 0


@pytest.mark.parametrize(
    ("name", "token", "words"),
    [
        ("fred", "1234", "the given token is not one"),
        ("gerd", "", "the given token is not one"),
        ("hans", "A" * 64, "the given token is not one"),
        ("ivan", "0" * 64, "does not know this token; ask its operator"),
    ],
)
def test_wrong_token_claims_no_name(run, server, name, token, words):
    play = (*PLAY, "--name", name, "--server", server.url)
    result = run(*play, "--token", token)
    assert (result.status, words in result.complaint) == (2, True)
    assert token not in result.err or not token
    assert run(*play).status == 0


def test_token_of_the_environment_is_for_a_name(run, server, monkeypatch):
    monkeypatch.setenv("EVILPEGS_TOKEN", "0" * 64)
    assert "does not know this token" in run(*PLAY, "--name", "gina", "--server", server.url).complaint
    assert run(*PLAY, "--server", server.url).status == 0  # chooses its name


def test_other_name_of_this_machine_needs_no_option(run, server):
    assert run(*PLAY, "--name", "carla", "--server", server.url).status == 0
    assert run(*PLAY, "--name", "carla", "--server", server.url.replace("127.0.0.1", "localhost")).status == 0
