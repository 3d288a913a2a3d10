"""`evilpegs bot`."""

import hashlib
import re
import shlex
import sys
from pathlib import Path

import pytest

from evilpegs.kit.bots import event_lines
from evilpegs_clients.bot.summary import GameSummary, MatchSummary
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_clients.verification.violation import Violation
from evilpegs_protocol.server_messages import Notice
from support.named_players import given_names


def test_bot_json_has_documented_keys(run, server):
    result = run("bot", "entropy", "--server", server.url, "--ladder", "classic-evil-practice", "--json")
    document = result.document
    assert result.status == 0
    assert set(document) == {"player", "strategy", "verified", "over_budget", "failures", "matches"}
    assert (document["strategy"], document["verified"], document["over_budget"]) == ("entropy", True, 0)
    (match,) = document["matches"]
    assert set(match) == {"match", "ladder", "verified", "findings", "not_checked", "games"}
    (game,) = match["games"]
    assert game == {"game": 1, "outcome": "solved", "guesses": 6, "verified": True, "findings": []}
    last = result.err.splitlines()[-1]
    assert all(fact in last for fact in (match["match"], "6.00", " verified"))


def test_bot_plays_rated_matches(run, server):
    result = run("bot", "most-parts", "--server", server.url, "--matches", "2")
    assert result.status == 0
    first, second = result.out.splitlines()
    assert re.findall(r"\b[0-9]+\b", first)[:3] == ["2", "20", "20"]
    assert second.startswith("verified")
    assert result.err.count("verified") == 22


def test_bot_keeps_its_name(run, server, tmp_path):
    arguments = ("bot", "lexicographic", "--server", server.url, "--ladder", "classic-practice", "--json")
    first, second = run(*arguments).document, run(*arguments).document
    assert first["player"] == second["player"] == "lexicographic-ann"
    assert Path(tmp_path / "data/evilpegs/tokens.json").stat().st_mode & 0o777 == 0o600


def test_bot_numbers_taken_default_name(run, server, tmp_path, monkeypatch):
    arguments = ("bot", "expected-size", "--server", server.url, "--ladder", "classic-practice", "--json")
    players = []
    for home in ("one", "two", "one"):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / home))
        players.append(run(*arguments).document["player"])
    assert players == ["expected-size-ann", "expected-size-ann-2", "expected-size-ann"]


def test_bot_tries_strategy_once_for_all_names(run, server, talker, tmp_path, monkeypatch):
    players = []
    for home in ("one", "two", "three"):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / home))
        result = run("bot", talker, "--server", server.url, "--ladder", "classic-practice", "--json")
        guesses = sum(game["guesses"] for match in result.document["matches"] for game in match["games"])
        assert result.err.count("thinking") == 1 + guesses
        players.append(result.document["player"])
    assert players == ["talker-ann", "talker-ann-2", "talker-ann-3"]


def test_bot_that_fails_at_once_claims_no_name(run, server, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("def choose(position, rng):\n    return 1 / 0\n")
    arguments = ("--server", server.url, "--ladder", "classic-practice", "--name", "not-broken")
    assert run("bot", "broken.py", *arguments).status == 2
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    assert run("bot", "first-consistent", *arguments).status == 0


def test_bot_plays_strategy_file(run, server, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    result = run("bot", "mine.py", "--server", server.url, "--ladder", "classic-practice", "--json")
    assert result.document["player"] == "mine-ann"


def test_bot_json_excludes_strategy_output(run, server, talker):
    result = run("bot", talker, "--server", server.url, "--ladder", "classic-practice", "--json")
    assert result.document["strategy"] == "talker.py"
    assert result.err.startswith("loaded\n")
    assert "thinking" in result.err


def failing_late(statement):
    """Return a strategy file that executes a statement at its second turn, after the trial."""
    begin = "import sys\ndef choose(position, rng):\n    if position.turn == 1:\n"
    return f"{begin}        return position.first_candidate\n    {statement}\n"


def test_bot_resigns_when_strategy_exits(run, server, tmp_path):
    (tmp_path / "mine.py").write_text(failing_late("sys.exit(0)"))
    result = run("bot", "mine.py", "--server", server.url, "--ladder", "classic-practice")
    assert result.status == 2
    last = result.err.splitlines()[-1]
    assert all(fact in last for fact in ("mine.py", "turn 2", "SystemExit: 0", "line 5"))
    assert "Traceback" not in result.err
    replayed = run("replay", "last", "--database", server.database, "--no-analysis", "--json").document
    assert [game["outcome"] for game in replayed["games"]] == ["resigned"]


def test_bot_counts_one_match_in_singular(run, server):
    result = run("bot", "first-consistent", "--server", server.url, "--ladder", "classic-practice")
    assert " 1 match," in result.out
    assert " 1 game\n" in result.err


def test_bot_names_what_the_server_refuses_in_one_line(run, server):
    given_names(server.database, ["somebody"])
    result = run("bot", "minimax", "--server", server.url, "--name", "somebody", "--json")
    assert (result.status, result.out) == (2, "")
    assert {"somebody", "taken"} <= set(re.findall(r"\w+", result.complaint))


def test_bot_reports_failing_strategy_in_one_line(run, server, tmp_path):
    (tmp_path / "broken.py").write_text(failing_late("return 1 / 0"))
    result = run("bot", "broken.py", "--server", server.url, "--ladder", "classic-practice", "--json")
    assert result.status == 2
    assert "ZeroDivisionError" in result.err.splitlines()[-1]
    assert "Traceback" not in result.err
    (failure,) = result.document["failures"]
    assert (failure["match"], failure["game"]) == (result.document["matches"][0]["match"], 1)
    assert set(failure) == {"match", "game", "after", "seed", "message", "command"}
    words = shlex.split(failure["command"])
    assert words == ["evilpegs", *command_in(result.err)]
    assert str(failure["seed"]) in words


FRAGILE = """\
def choose(position, rng):
    code = position.sample(rng)[0]
    if position.turn == 3 and position.budget:
        raise ValueError(f"{position.history} {code} {rng.random()} {position.budget}")
    return code
"""


def command_in(err):
    """Return the words of the last command that reproduces a failure."""
    (*_, line) = [line for line in err.splitlines() if "evilpegs duel" in line]
    return shlex.split(line[line.index("evilpegs duel") :])[1:]


@pytest.mark.parametrize("ladder", ["classic", "classic-evil-practice"])
def test_bot_failure_is_reproduced_by_printed_command(run, server, tmp_path, ladder):
    """The message has the history, the random numbers and the budget, so only the same choice fails with it."""
    (tmp_path / "odd name.py").write_text(FRAGILE)
    result = run("bot", "odd name.py", "--server", server.url, "--ladder", ladder)
    assert result.status == 2
    (*_, failure) = re.findall(r"ValueError: .*\(line 4\)", result.err.rpartition("\n")[0].rpartition("\n")[0])
    words = command_in(result.err)
    assert failure in run(*words).complaint
    seed = words.index("--seed") + 1
    assert failure not in run(*words[:seed], str(int(words[seed]) + 1), *words[seed + 1 :]).complaint  # the control
    assert "Traceback" not in result.err


def test_bot_with_traceback_shows_frames_of_strategy(run, server, tmp_path):
    (tmp_path / "mine.py").write_text("import helper\ndef choose(position, rng):\n    return helper.divide(position)\n")
    (tmp_path / "helper.py").write_text("def divide(position):\n    return 1 / 0\n")
    result = run("bot", "mine.py", "--server", server.url, "--ladder", "classic-practice", "--traceback")
    (shown,) = re.findall(r"Traceback.*?\nZeroDivisionError: division by zero\n", result.err, re.DOTALL)
    assert re.findall(r'File "[^"]*?([^"/]+)", line (\d+)', shown) == [("mine.py", "3"), ("helper.py", "2")]


@pytest.mark.parametrize("command", [["duel"], ["evaluate", "--rules", "3x3"]])
def test_traceback_is_shown_offline(run, tmp_path, command):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return {}[position.turn]\n")
    name, *options = command
    plain, shown = run(name, "mine.py", *options), run(name, "mine.py", *options, "--traceback")
    assert (plain.status, shown.status) == (2, 2)
    assert "Traceback" not in plain.err
    assert re.findall(r'File "[^"]*?([^"/]+)", line (\d+)', shown.err) == [("mine.py", "2")]
    assert "--traceback" in plain.complaint
    assert shown.err.splitlines()[-1] == plain.err.partition("; see")[0]


@pytest.mark.parametrize(("strategy", "ladder"), [("minimax", "monster"), ("optimal", "huge")])
def test_bot_that_cannot_play_begins_no_match(run, server, strategy, ladder):
    result = run("bot", strategy, "--server", server.url, "--ladder", ladder, "--name", f"{ladder}-no")
    assert result.status == 2
    assert all(fact in result.err.splitlines()[-1] for fact in (strategy, ladder))
    replayed = run("replay", "last", "--database", server.database, "--no-analysis", "--json")
    assert replayed.status == 2 or replayed.document["player"] != f"{ladder}-no"


def test_failure_before_match_is_shown_once(run, server, tmp_path):
    (tmp_path / "raises.py").write_text("def choose(position, rng):\n    return 1 / 0\n")
    result = run("bot", "raises.py", "--server", server.url, "--ladder", "classic", "--name", "raises-once")
    reproduction, complaint = result.err.splitlines()
    assert (reproduction.count("evilpegs duel raises.py --rules 4x6"), "ZeroDivisionError" in reproduction) == (
        1,
        False,
    )
    assert ("ZeroDivisionError" in complaint, "classic" in complaint) == (True, True)
    assert "ZeroDivisionError" in run(*command_in(result.err)).complaint


def test_bot_shows_findings():
    finding = Violation("4x99", 1, 2)
    game = GameSummary("0" * 16, 1, "solved", 5, (finding,))
    match = MatchSummary("0" * 16, "classic", (game,), (finding,), 0)
    for summary in (game, match):
        verdict, found = event_lines(summary)
        assert verdict.endswith("NOT verified")
        assert found.endswith(str(finding))
    assert "NOT" not in event_lines(GameSummary("0" * 16, 1, "solved", 5, ()))[0]


def test_bot_shows_cuts_and_notices():
    (cut,) = event_lines(Reconnecting("4x99", 1, 0.25))
    assert "4x99" in cut
    assert event_lines(Reconnecting("4x99", 2, 0.25)) == []
    (back,) = event_lines(Reconnected(2))
    assert " 2 " in back
    (notice,) = event_lines(Notice(kind="draining", message="4x99"))
    assert notice.endswith("4x99")


PROGRAM = """#!{python}
import json, os, sys, time
for line in sys.stdin:
    position = json.loads(line)
    {body}
"""


@pytest.fixture
def program(tmp_path):
    """Write a program that runs a statement for each position, and return its path."""

    def write(body):
        path = tmp_path / "mybot"
        path.write_text(PROGRAM.format(python=sys.executable, body=body))
        path.chmod(0o755)
        return str(path)

    return write


ANSWER = "print(json.dumps({'code': position['symbols'][position['turn'] % 6] * position['pegs']}), flush=True)"


def test_bot_plays_with_program(run, server, program):
    result = run("bot", "--exec", program(ANSWER), "--server", server.url, "--ladder", "classic-practice", "--json")
    assert (result.status, result.document["strategy"]) == (0, "mybot")
    assert result.document["matches"][0]["games"][0]["guesses"] == 10


def test_version_of_program_is_hash_of_its_file(run, server, program):
    path = program(ANSWER)
    run("bot", "--exec", path, "--server", server.url, "--ladder", "classic-practice")
    document = run("replay", "last", "--no-analysis", "--database", server.database, "--json").document
    assert document["client"] == f"mybot {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]}"


def test_program_that_dies_loses_its_game(run, server, program):
    dies = "(sys.stderr.write('my own words'), sys.exit(5))"
    path = program(f"{ANSWER} if position['turn'] == 1 else {dies}")
    result = run("bot", "--exec", path, "--server", server.url, "--ladder", "classic-practice")
    assert result.status == 2
    assert "exit status 5" in result.err.splitlines()[-1]
    reproduction = shlex.split(next(line for line in result.err.splitlines() if "evilpegs duel" in line))
    words = reproduction[reproduction.index("duel") :]
    assert words[1:3] == ["--exec", path]
    again = run(*words)
    own_words, complaint = again.err.splitlines()
    assert (again.status, own_words, "exit status 5" in complaint) == (2, "my own words", True)


def test_new_strategy_plays_at_once(run, server, tmp_path):
    path = tmp_path / "mine.py"
    written = run("bot", "--new", path)
    assert (written.status, written.err) == (0, "")
    assert str(path) in path.read_text()
    command = written.out.split("with: evilpegs ")[1].split()
    evaluated = run(*command, "--json").document
    assert evaluated["mean"] < 4.8
    played = run("bot", path, "--server", server.url, "--ladder", "huge-practice", "--json")
    assert (played.status, played.document["matches"][0]["games"][0]["outcome"]) == (0, "solved")


def test_new_strategy_overwrites_nothing(run, tmp_path):
    (tmp_path / "there.py").write_text("kept")
    assert run("bot", "--new", "there.py").status == 2
    assert (tmp_path / "there.py").read_text() == "kept"
