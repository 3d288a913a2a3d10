"""`evilpegs bot`."""

from pathlib import Path

import pytest

from evilpegs.bot_run import told
from evilpegs_clients.finding import Finding
from evilpegs_clients.session import Reconnecting
from evilpegs_clients.summary import GameSummary, MatchSummary
from evilpegs_protocol.server_messages import Notice


def test_the_document(run, server):
    result = run("bot", "entropy", "--server", server.url, "--ladder", "classic-evil-practice", "--json")
    document = result.document
    assert result.status == 0
    assert set(document) == {"player", "strategy", "verified", "over_budget", "matches"}
    assert (document["strategy"], document["verified"], document["over_budget"]) == ("entropy", True, 0)
    (match,) = document["matches"]
    assert set(match) == {"match", "ladder", "verified", "findings", "games"}
    (game,) = match["games"]
    assert game == {"game": 1, "outcome": "solved", "guesses": 6, "verified": True, "findings": []}
    assert f"match {match['match']} over: 1 of 1 games solved, 6.00 guesses each, verified" in result.err


def test_a_rated_match_of_ten_games(run, server):
    result = run("bot", "most-parts", "--server", server.url, "--matches", "2")
    assert result.status == 0
    first, second = result.out.splitlines()
    assert "2 matches, 20 of 20 games solved" in first
    assert second == "verified: every commitment, reply, clock and hash holds"
    assert result.err.count("verified") == 22


def test_the_name_is_kept(run, server, tmp_path):
    arguments = ("bot", "lexicographic", "--server", server.url, "--ladder", "classic-practice", "--json")
    first, second = run(*arguments).document, run(*arguments).document
    assert first["player"] == second["player"] == "lexicographic-ann"
    assert Path(tmp_path / "data/evilpegs/tokens.json").stat().st_mode & 0o777 == 0o600


def test_a_default_name_that_is_taken_gets_a_number(run, server, tmp_path, monkeypatch):
    arguments = ("bot", "expected-size", "--server", server.url, "--ladder", "classic-practice", "--json")
    players = []
    for home in ("one", "two", "one"):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / home))
        players.append(run(*arguments).document["player"])
    assert players == ["expected-size-ann", "expected-size-ann-2", "expected-size-ann"]


def test_a_strategy_of_ones_own(run, server, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    result = run("bot", "mine.py", "--server", server.url, "--ladder", "classic-practice", "--json")
    assert result.document["player"] == "mine-ann"


def test_what_a_strategy_prints_is_no_part_of_the_document(run, server, talker):
    result = run("bot", talker, "--server", server.url, "--ladder", "classic-practice", "--json")
    assert result.document["strategy"] == "talker.py"
    assert result.err.startswith("loaded\n")
    assert "thinking" in result.err


def test_a_strategy_that_exits_resigns_in_one_line(run, server, tmp_path):
    (tmp_path / "mine.py").write_text("import sys\ndef choose(position, rng):\n    sys.exit(0)\n")
    result = run("bot", "mine.py", "--server", server.url, "--ladder", "classic-practice")
    assert result.status == 2
    told = "evilpegs: strategy mine.py failed at turn 1: SystemExit: 0 (line 3); the match was resigned"
    assert result.err.splitlines()[-1] == told
    assert "Traceback" not in result.err


def test_one_match_is_one_match(run, server):
    result = run("bot", "first-consistent", "--server", server.url, "--ladder", "classic-practice")
    assert ": 1 match, 1 of 1 games solved" in result.out
    assert "classic-practice, 1 game\n" in result.err


def test_the_server_may_be_named_in_the_environment(run, server, monkeypatch):
    monkeypatch.setenv("EVILPEGS_SERVER", server.url)
    assert run("bot", "first-consistent", "--ladder", "classic-practice").status == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ladder", "clasic"], "it has: classic, classic-evil"),
        (["--name", "A"], "a name is 2 to 20"),
        (["--name", "minimax"], "taken"),
    ],
)
def test_a_refusal_is_told_in_one_line(run, server, played, arguments, says):
    result = run("bot", "minimax", "--server", server.url, *arguments, "--json")
    assert result.status == 2
    assert says in result.complaint
    assert result.out == ""


def test_a_strategy_that_fails_is_told_in_one_line(run, server, tmp_path):
    (tmp_path / "broken.py").write_text("def choose(position, rng):\n    return 1 / 0\n")
    result = run("bot", "broken.py", "--server", server.url, "--ladder", "classic-practice")
    assert result.status == 2
    assert "ZeroDivisionError" in result.err.splitlines()[-1]
    assert "Traceback" not in result.err


def test_findings_are_told():
    finding = Finding("it is not so", 1, 2)
    game = GameSummary("0" * 16, 1, "solved", 5, (finding,))
    match = MatchSummary("0" * 16, "classic", (game,), (finding,), 0)
    assert told(game) == ["  game 1: solved, 5 guesses, NOT verified", "  finding: game 1, turn 2: it is not so"]
    assert told(match)[1] == "finding: game 1, turn 2: it is not so"


def test_cuts_and_notices_are_told():
    assert told(Reconnecting("the connection was cut", 2, 0.25)) == ["the connection was cut; attempt 2 in 0.2 s"]
    assert told(Notice(kind="draining", message="soon")) == ["the server says: soon"]
