"""`evilpegs replay`."""

import io

import pytest
from rich.console import Console

from evilpegs.commands.replay import show_match
from evilpegs.replaying import ReplayedGame, ReplayedMatch, ReplayedTurn
from evilpegs_game.analysis import analyze
from evilpegs_game.candidates import LiveSets, Turn
from evilpegs_game.codes import format_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules

MATCH = {"match", "ladder", "rules", "codemaker", "player", "client", "at", "events", "over", "flaw", "games"}
GAME = {"game", "outcome", "guesses", "elapsed_ms", "secret", "nonce", "turns"}
TURN = {"turn", "code", "black", "white", "candidates", "method", "took_ms", "left_ms", "analysis"}


def test_the_document(run, server, evil_match):
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


def test_the_table(run, server, evil_match):
    result = run("replay", evil_match, "--database", server.database)
    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0] == f"match {evil_match}: minimax (minimax 0.1.0) on classic-evil"
    assert lines[2].startswith("game 1: solved, 5 guesses in ")
    assert lines[3].split()[3:6] == ["left", "bits", "expected"]
    assert lines[5].split()[:5] == ["1", "1", "1", "2", "2"]
    assert any(line.startswith("bits: what the feedback told") for line in lines)
    assert "chance" not in result.out
    assert lines[-1] == "the chain of 30 hashes holds"


def test_against_a_fixed_secret_chance_is_told(run, server, played):
    match = played[0]["matches"][0]["match"]
    assert "chance: how likely" in run("replay", match, "--database", server.database).out


def test_without_analysis(run, server, evil_match):
    result = run("replay", evil_match, "--no-analysis", "--database", server.database)
    assert "candidates left  ms" in result.out
    assert "regret" not in result.out
    document = run("replay", evil_match, "--no-analysis", "--database", server.database, "--json").document
    turns = document["games"][0]["turns"]
    assert (turns[0]["candidates"], turns[-1]["candidates"]) == (256, 1)
    assert {turn["analysis"] for turn in turns} == {None}


@pytest.fixture(scope="module")
def uncounted():
    """A turn with so many codes left that counting them takes long."""
    history = tuple(Turn(tuple((peg * step) % 14 for peg in range(12)), Feedback(1, 4)) for step in range(1, 5))
    *_, last = analyze(Rules(12, 14), history, LiveSets())
    assert last.before is None
    return ReplayedTurn(4, format_code(last.guess), *last.feedback, None, None, 9, None, last)


@pytest.mark.parametrize(("flaw", "is_told"), [(None, True), ("event 3 was changed", False)])
def test_what_takes_long_to_count_is_left_empty(uncounted, flaw, is_told):
    game = ReplayedGame(1, None, 1, 9, None, None, (uncounted,))
    match = ReplayedMatch("m", "colossus", "12x14", "fixed", "ann", "bot 1", 0, 5, False, flaw, (game,))
    out = io.StringIO()
    show_match(Console(file=out, width=120), match)
    assert ("--thorough takes its time" in out.getvalue()) == is_told


def test_thorough_and_none_contradict_each_other(run):
    result = run("replay", "last", "--thorough", "--no-analysis")
    assert (result.status, result.out) == (2, "")
    assert "leave one of them out" in result.complaint


def test_the_beginning_of_an_id_is_enough(run, server, evil_match):
    result = run("replay", evil_match[:9].upper(), "--no-analysis", "--database", server.database, "--json")
    assert result.document["match"] == evil_match


def test_the_newest_match(run, server, played):
    run("bot", "minimax", "--server", server.url, "--ladder", "classic-practice", "--name", "newest")
    document = run("replay", "last", "--no-analysis", "--database", server.database, "--json").document
    assert (document["player"], document["ladder"]) == ("newest", "classic-practice")


def test_an_id_that_is_none(run, server):
    result = run("replay", "xyz", "--database", server.database)
    assert result.status == 2
    assert "no match begins with 'xyz'" in result.complaint


def test_a_beginning_of_several(run, server, played):
    result = run("replay", "", "--database", server.database)
    assert result.status == 2
    assert "more than one match" in result.complaint


CHANGE = "UPDATE events SET json = replace(json, '\"turn\":1', '\"turn\":2') WHERE match = :match AND seq = 3"


@pytest.mark.parametrize(
    ("statement", "flaw"),
    [
        (CHANGE, "event 3 was changed"),
        ("DELETE FROM events WHERE match = :match AND seq = 4", "event 4 is missing"),
        ("UPDATE events SET hash = hash || 'x' WHERE match = :match AND seq = 5", "event 5 was changed"),
    ],
)
def test_a_broken_chain_is_told(run, evil_match, tampered, statement, flaw):
    result = run("replay", evil_match, "--no-analysis", "--database", tampered(statement))
    assert result.status == 1
    assert f"the chain of hashes is broken: {flaw}" in result.out


def test_a_record_that_is_not_one(run, evil_match, tampered):
    database = tampered("UPDATE events SET json = '{}' WHERE match = :match AND seq = 2")
    result = run("replay", evil_match, "--database", database)
    assert result.status == 2
    assert "cannot be read: event 2 was changed" in result.complaint
