"""`evilpegs replay`."""

import asyncio
import io
import json
import re
from itertools import pairwise

import pytest
from rich.console import Console

from evilpegs.database import open_for_reading
from evilpegs.kit.match_table import CHANCE_LEGEND, EVIL_LEGEND, LEGEND, show_match
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.rules import Rules
from evilpegs_protocol.fields import Program
from evilpegs_protocol.record import Record
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_server.record.recorded_match import MatchReplay
from evilpegs_server.site.analysis import MatchAnalyses
from support.analyzed_turns import analyze, analyzed_turn
from support.fake_server import FakePool
from support.printed import numbers_in
from support.workspaces import new_workspace

MATCH = {"match", "ladder", "rules", "codemaker", "player", "client", "at", "events", "over", "flaw", "games"}
GAME = {"game", "outcome", "guesses", "elapsed_ms", "secret", "nonce", "turns"}
TURN = {"turn", "code", "black", "white", "candidates", "method", "took_ms", "left_ms", "analysis"}


@pytest.fixture(scope="module")
def shown(run_once, server, evil_match):
    """The match on classic-evil, as the command prints it."""
    return run_once("replay", evil_match, "--database", server.database)


@pytest.fixture(scope="module")
def short(run_once, server, tmp_path_factory):
    """The ids of matches of one game, on classic-practice and on classic-evil-practice."""
    bot = ("bot", "minimax", "--server", server.url, "--name", "short", "--json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("short")))
        documents = [
            run_once(*bot, "--ladder", name).document for name in ("classic-practice", "classic-evil-practice")
        ]
    return [document["matches"][0]["match"] for document in documents]


def test_replay_json_has_documented_keys(run, server, evil_match):
    document = run("replay", evil_match, "--database", server.database, "--json").document
    assert set(document) == MATCH
    assert (document["match"], document["codemaker"], document["player"]) == (evil_match, "evil", "minimax")
    assert (document["over"], document["flaw"], document["events"]) == (True, None, 30)
    assert len(document["games"]) == 4
    game = document["games"][0]
    assert set(game) == GAME
    assert (game["outcome"], game["guesses"], len(game["nonce"])) == ("solved", 5, 64)
    assert all(set(turn) == TURN for turn in game["turns"])
    first, last = game["turns"][0], game["turns"][-1]
    assert (first["code"], first["candidates"]) == ("1122", 256)
    assert (last["code"], last["black"], last["candidates"]) == (game["secret"], 4, 1)
    first, second, *_ = [turn["analysis"] for turn in game["turns"]]
    assert (first["before"], first["after"], first["parts"], first["largest"]) == (1296, 256, 13, 256)
    assert second["before"] == 256
    assert first["bits"] == pytest.approx(2.3399, abs=1e-4)
    assert [best["code"] for best in first["best"]] == ["1122", "1122", "1123", "1234", "1123"]


def test_replay_of_server_and_of_database_equal_analysis_of_server(run, server, short):
    *_, match = short
    document = run("replay", match, "--database", server.database, "--json").document
    assert run("replay", match.upper(), "--server", server.url, "--json").document == document

    async def analyze_there():
        with open_for_reading(server.database) as engine:
            return json.loads(await MatchAnalyses(engine, FakePool(new_workspace())).text(match))

    assert asyncio.run(analyze_there()) == document


def test_replay_shows_turns_and_chain(shown, evil_match):
    lines = shown.out.splitlines()
    assert shown.status == 0
    assert {evil_match, "0.2.0"} <= numbers_in(lines[0])
    assert lines[0].endswith(" classic-evil")
    assert {"1", "5"} <= numbers_in(lines[2])
    assert lines[5].split()[:5] == ["1", "1", "1", "2", "2"]
    assert numbers_in(lines[-1]) == {"30"}


def unwrapped(text):
    """Return the text on one line."""
    return " ".join(text.split())


def heading(printed):
    """Return the words of the first table heading in a printed match."""
    lines = printed.splitlines()
    return next(line for line, below in pairwise(lines) if set(below) == {"─"}).split()


def test_replay_of_fixed_secret_shows_chances(run, server, shown, short):
    fixed, evil = run("replay", short[0], "--database", server.database).out, shown.out
    assert unwrapped(LEGEND + CHANCE_LEGEND) in unwrapped(fixed)
    assert unwrapped(EVIL_LEGEND) in unwrapped(evil)
    assert heading(evil) == ["turn", "guess", "feedback", "left", "needed", "best", "lost", "ms"]
    assert heading(fixed) == ["turn", "guess", "feedback", "left", "bits", "expected", "chance", "best", "regret", "ms"]
    assert "%" in fixed
    assert "%" not in evil


def test_replay_without_analysis_counts_candidates(run, server, evil_match):
    result = run("replay", evil_match, "--no-analysis", "--database", server.database)
    assert unwrapped(LEGEND) not in unwrapped(result.out)
    assert [line.split()[-2] for line in result.out.splitlines() if "●●●●" in line] == ["1"] * 4
    document = run("replay", evil_match, "--no-analysis", "--database", server.database, "--json").document
    turns = document["games"][0]["turns"]
    assert (turns[0]["candidates"], turns[-1]["candidates"]) == (256, 1)
    assert {turn["analysis"] for turn in turns} == {None}


@pytest.fixture(scope="module")
def uncounted():
    """A turn with so many codes left that counting them takes long."""
    history = tuple(Turn(tuple((peg + step) % 34 for peg in range(16)), Feedback(1, 4)) for step in range(2))
    *_, last = analyze(Rules(16, 34), history)
    assert last.candidates_before is None
    return analyzed_turn(4, last, took_ms=9)


@pytest.mark.parametrize(("flaw", "is_hinted"), [(None, True), ("event 3 was changed", False)])
def test_replay_hints_at_thorough_for_uncounted_turns(uncounted, flaw, is_hinted):
    started = MatchStarted.model_construct(
        match="0" * 16, player="ann", client=Program(name="bot", version="1"), ladder="colossus", codemaker="fixed"
    )
    match = MatchReplay(Record(started, [uncounted.turn]), 5, flaw, ((uncounted.analysis,),), analyzed=True)
    out = io.StringIO()
    show_match(Console(file=out, width=120), match)
    assert ("--thorough" in out.getvalue()) == is_hinted


def test_replay_finds_match_by_prefix(run, server, evil_match):
    result = run("replay", evil_match[:15].upper(), "--no-analysis", "--database", server.database, "--json")
    assert result.document["match"] == evil_match


def test_replay_last_is_newest_match(run, server, played):
    run("bot", "minimax", "--server", server.url, "--ladder", "classic-practice", "--name", "newest")
    document = run("replay", "last", "--no-analysis", "--database", server.database, "--json").document
    assert (document["player"], document["ladder"]) == ("newest", "classic-practice")


def test_replay_lists_matches_of_ambiguous_prefix(run, server, played):
    match_id = played[0]["matches"][0]["match"]
    result = run("replay", match_id[:2], "--database", server.database)
    assert (result.status, result.out) == (2, "")
    listed = re.findall(rf"\b[0-9a-f]{{{len(match_id)}}}\b", result.complaint)
    assert len(listed) == len(set(listed)) >= 2
    for match in listed:
        found = run("replay", match, "--no-analysis", "--database", server.database, "--json")
        assert found.document["match"] == match


CHANGE = "UPDATE events SET json = replace(json, '\"turn\":1', '\"turn\":2') WHERE match = :match AND seq = 3"


@pytest.mark.parametrize(
    ("statement", "event"),
    [
        (CHANGE, "3"),
        ("DELETE FROM events WHERE match = :match AND seq = 4", "4"),
        ("UPDATE events SET hash = hash || 'x' WHERE match = :match AND seq = 5", "5"),
    ],
)
def test_replay_names_event_that_breaks_chain(run, evil_match, tampered, statement, event):
    database = tampered(statement)
    result = run("replay", evil_match, "--no-analysis", "--database", database)
    assert result.status == 1
    document = run("replay", evil_match, "--no-analysis", "--database", database, "--json").document
    assert numbers_in(document["flaw"]) == {event}
    assert result.out.splitlines()[-1].endswith(document["flaw"])


def test_replay_refuses_unreadable_event(run, evil_match, tampered):
    database = tampered("UPDATE events SET json = '{}' WHERE match = :match AND seq = 2")
    result = run("replay", evil_match, "--database", database)
    assert (result.status, result.out) == (2, "")
    assert numbers_in(result.complaint) == {evil_match, "2"}


# From a server


def test_record_from_server_equals_that_from_database(run, server, played, tmp_path):
    match = played[0]["matches"][0]["match"]
    assert run("replay", match, "--server", server.url, "--record", "served.jsonl").status == 0
    assert run("replay", match, "--database", server.database, "--record", "stored.jsonl").status == 0
    assert (tmp_path / "served.jsonl").read_bytes() == (tmp_path / "stored.jsonl").read_bytes()
    assert run("verify", "served.jsonl").status == 0


def test_last_match_of_server_is_over(run, server, played):
    document = run("replay", "last", "--server", server.url, "--no-analysis", "--json").document
    assert (document["over"], document["flaw"]) == (True, None)


def test_replay_from_server_without_matches_is_one_line(run, server, monkeypatch):
    async def none(_):
        return None

    monkeypatch.setattr(ServerReader, "newest_match", none)
    result = run("replay", "last", "--server", server.url)
    assert (result.status, result.out) == (2, "")
    assert "ws://" in result.complaint
