"""Databases, records, proofs and tokens of earlier versions keep working."""

import json
import sqlite3
from contextlib import closing

import pytest

from evilpegs.database import open_for_reading

FACTS = ("player", "client", "games", "mean", "worst", "solved", "p95_ms", "mean_ms", "histogram")
CODEMAKERS = ["fixed", "evil", "devil"]


def test_migration_numbers_events_and_names_clients(old):
    with closing(sqlite3.connect(old / "evilpegs.sqlite3")) as connection:
        before = connection.execute("SELECT rowid, match, seq, json, hash FROM events ORDER BY rowid").fetchall()
    with open_for_reading(old.database) as engine, engine.connect() as connection:
        after = connection.exec_driver_sql("SELECT id, match, seq, json, hash FROM events ORDER BY id").all()
        clients = dict(connection.exec_driver_sql("SELECT number, client FROM matches").all())
    assert [tuple(row) for row in after] == before != []
    for _, match, seq, text, _ in before:
        if seq == 1:
            program = json.loads(text)["client"]
            assert clients.pop(match) == f"{program['name']} {program['version']}"
    assert clients == {}


def test_replay_of_old_matches_is_unchanged(old, run):
    found = {
        match: run("replay", match, "--no-analysis", "--database", old.database, "--json").out
        for match in old.expected["replay"]
    }
    assert {match: json.loads(text) for match, text in found.items()} == old.expected["replay"]


def test_results_on_leaderboard_of_old_database_are_unchanged(old, run):
    """Intervals and ranks follow newer rules; what was played does not change."""
    found = run("leaderboard", "--database", old.database, "--json")
    assert results_of(json.loads(found.out)) == results_of(old.expected["leaderboard"]) != []


def results_of(document):
    """Return the facts of each row on each ladder."""
    return [
        (standings["ladder"], *(row[fact] for fact in FACTS))
        for standings in document["ladders"]
        for row in sorted(standings["rows"], key=lambda row: row["player"])
    ]


@pytest.mark.parametrize("codemaker", CODEMAKERS)
def test_record_of_old_match_is_identical(old, run, tmp_path, codemaker):
    record = tmp_path / "record.jsonl"
    match = old.expected["finished"][codemaker]
    assert run("replay", match, "--record", record, "--database", old.database).status == 0
    assert record.read_bytes() == (old / f"{codemaker}.jsonl").read_bytes()


@pytest.mark.parametrize("codemaker", CODEMAKERS)
def test_verify_accepts_old_record(old, run, codemaker):
    assert run("verify", old / f"{codemaker}.jsonl").status == 0


@pytest.mark.parametrize("codemaker", CODEMAKERS)
def test_verify_refuses_altered_old_record(old, run, codemaker):
    """The control of the test above."""
    record = old / f"{codemaker}.jsonl"
    record.write_text(record.read_text().replace('"black":1', '"black":2', 1))
    assert run("verify", record).status == 1


def test_old_matches_are_resumed_and_go_on_and_verify(old, run, tmp_path):
    with old.walker() as walker:
        for codemaker in CODEMAKERS:
            stood = old.expected["open"][codemaker]
            resumed = walker.ask("resumed", type="resume", match=stood["match"], seq=0)
            replies = [walker.hear("feedback") for _ in stood["history"]]
            turn = walker.hear("turn")
            assert (resumed["state"], turn["game"], turn["turn"]) == ("turn", stood["game"], stood["turn"])
            assert [[reply["code"], reply["black"], reply["white"]] for reply in replies] == stood["history"]
            walker.go_on(**stood)
    for codemaker in CODEMAKERS:
        record = tmp_path / "record.jsonl"
        match = old.expected["open"][codemaker]["match"]
        assert run("replay", match, "--record", record, "--database", old.database).status == 0
        assert run("verify", record).status == 0


def test_bot_keeps_name_with_old_token_file(old, run, home):
    with old.server() as url:
        home.mkdir(parents=True)
        tokens = (old / "tokens.json").read_text().replace(old.expected["url"], url)
        (home / "tokens.json").write_text(tokens)
        played = run("bot", "minimax", "--server", url, "--ladder", "classic-practice", "--name", "minimax", "--json")
        document = json.loads(played.out)
    assert (played.status, document["player"]) == (0, "minimax")
    kept = json.loads((home / "tokens.json").read_text())
    assert kept[url]["minimax"] == old.tokens["minimax"], "the old token was enough, no name was claimed"


def test_solve_replaces_old_proof_log(old, run):
    log = old / "proof.journal"
    assert log.read_text().startswith("evilpegs journal 1\n")
    solved = run("solve", "--rules", "4x7", "--journal", log, "--out", old / "4x7.tree", "--json")
    assert json.loads(solved.out)["total"] == 11_228
    (warning,) = [line for line in solved.err.splitlines() if line.startswith("evilpegs:")]
    assert str(log) in warning
    assert log.read_text().startswith("evilpegs proof log 2 4x7 ")


def test_old_solved_positions_are_read_and_kept(old, run):
    file = old / "evilpegs.sqlite3.solved"
    before = file.read_bytes()
    duel = run("duel", "minimax", "--codemaker", "devil", "--rules", "4x6", "--solved", file, "--json")
    assert duel.status == 0
    assert duel.err == ""
    entry, heading = 18, before.index(b"\n") + 1 + 8
    after = file.read_bytes()
    old_keys = {before[at : at + 16] for at in range(heading, len(before) - 32, entry)}
    new_keys = {after[at : at + 16] for at in range(heading, len(after) - 32, entry)}
    assert old_keys
    assert old_keys <= new_keys


def test_evaluate_refuses_old_journal(old, run):
    journal = old / "evaluation.journal"
    before = journal.read_bytes()
    command = ("evaluate", "random-consistent", "--rules", "4x4", "--games", 3000, "--seed", 7, "--jobs", 2)
    refused = run(*command, "--journal", journal, "--json")
    (line,) = refused.err.splitlines()
    assert (refused.status, refused.out) == (2, "")
    assert str(journal) in line
    assert journal.read_bytes() == before


def test_evaluate_refuses_proof_log(old, run):
    log = old / "proof.journal"
    before = log.read_bytes()
    refused = run("evaluate", "random-consistent", "--rules", "4x4", "--games", 3000, "--journal", log)
    (line,) = refused.err.splitlines()
    assert refused.status == 2
    assert str(log) in line
    assert log.read_bytes() == before
