"""`evilpegs round`: what an operator sees and what the command refuses; tests of the server play rounds."""

import csv
import json
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from evilpegs.commands.round import RESULTS
from evilpegs.output import console, print_table
from evilpegs_protocol.rounds import RoundEntrant, RoundResult
from evilpegs_server.leaderboard.round_results import SETTLED_MS
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.rounds import load_rounds
from support.matches import TINY
from support.stored_matches import StoredPlay, store, store_players


@pytest.fixture(autouse=True)
def engine(monkeypatch, tmp_path, run, empty_database):
    """A database with two players, which the commands find by themselves."""
    shutil.copy(empty_database, tmp_path)
    url = f"sqlite:///{tmp_path}/games.sqlite3"
    engine = open_database(url)
    monkeypatch.setenv("EVILPEGS_DATABASE", url)
    run("players", "add", "anna", "bert", "--tokens", "-")
    yield engine
    engine.dispose()


def opened(run, *options, name="final"):
    return run("round", "open", name, "--ladder", "classic", *options)


def shown(run, name="final"):
    (document,) = json.loads(run("round", "status", name, "--json").out)["rounds"]
    return document


def test_round_has_the_terms_of_its_ladder(run, engine):
    assert "final is open for 2 entrants, 250 games each" in opened(run, "--closes", "2030-01-01", "--sealed").err
    (stored,) = load_rounds(engine)
    assert (stored.base, stored.games, stored.sealed) == ("classic", 250, True)
    document = shown(run)
    assert (document["ladder"]["id"], document["ladder"]["rules"], document["state"]) == ("final", "4x6", "open")
    assert [each["player"] for each in document["entrants"]] == ["anna", "bert"]


def test_adversaries_play_fewer_games(run, engine):
    run("round", "open", "evil", "--ladder", "classic-evil")
    assert load_rounds(engine)[0].games == 20


def test_entrants_are_named_or_in_a_file(run):
    opened(run, "anna", name="one")
    Path("class.csv").write_text("name\nbert\n")
    opened(run, "--from", "class.csv", name="two")
    assert [[each["player"] for each in shown(run, name)["entrants"]] for name in ("one", "two")] == [
        ["anna"],
        ["bert"],
    ]
    assert "admitted 1 entrant" in run("round", "admit", "one", "bert").err
    assert len(shown(run, "one")["entrants"]) == 2


def test_banned_and_hidden_players_are_no_entrants_unless_named(run):
    run("players", "add", "carl", "dora", "--tokens", "-")
    run("players", "ban", "carl")
    run("players", "hide", "dora")
    assert "for 2 entrants" in opened(run).err
    assert "for 1 entrant," in opened(run, "carl", name="other").err


def test_names_of_other_scripts_can_be_in_a_file(run):
    run("players", "rename", "anna", "Änne")
    Path("class.csv").write_text("Änne\n")
    assert "for 1 entrant," in opened(run, "--from", "class.csv").err


def test_closed_round_stays_closed(run):
    opened(run)
    assert "final is closed; it is over" in run("round", "close", "final").err
    assert "closed already" in run("round", "extend", "final", "2030-01-01").complaint
    assert shown(run)["state"] == "over"


@pytest.fixture
def berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("when", "meant"),
    [("2031-03-30T02:30", "2031-03-30T03:30+02:00"), ("2031-10-26T02:30", "2031-10-26T02:30+01:00")],
)
def test_time_that_is_skipped_or_comes_twice_needs_a_zone(run, berlin, when, meant):
    assert meant in opened(run, "--closes", when).complaint
    assert opened(run, "--closes", f"{when}+01:00").status == 0
    assert when in run("round", "extend", "final", when).complaint


@pytest.mark.parametrize(("when", "zone"), [("2031-03-30T03:30", "+02:00"), ("2031-10-26T03:30", "+01:00")])
def test_closing_time_is_printed_with_its_zone(run, berlin, when, zone):
    printed = f"{when.replace('T', ' ')}{zone}"
    assert f"until {printed};" in opened(run, "--closes", when).err
    assert f"closes at {printed};" in run("round", "extend", "final", when).err


def test_exclusion_from_a_closed_round_is_taken_back(run):
    opened(run)
    run("round", "close", "final")
    before = shown(run)
    run("round", "exclude", "final", "anna", "--reason", "by mistake")
    assert {each["player"]: each["excluded"] for each in shown(run)["entrants"]} == {"anna": "by mistake", "bert": None}
    assert "admitted 1 entrant" in run("round", "admit", "final", "anna").err
    after = shown(run)
    assert before | {"changed": after["changed"]} == after
    assert (before["changed"], after["changed"] > before["closes"]) == (None, True)
    assert "the operator last changed who is in the results at " in run("round", "status", "final").out


def test_open_matches_need_a_server_to_end(run, engine):
    opened(run)
    store_players(engine)
    store(engine, StoredPlay(1, replace(TINY, id="final")).start())
    assert "start the server" in run("round", "close", "final").err
    assert shown(run)["state"] == "closing"


def test_round_is_extended(run):
    opened(run, "--closes", "2029-01-01")
    before = shown(run)["closes"]
    run("round", "extend", "final", "2030-01-01")
    assert shown(run)["closes"] - before == 365 * 86_400_000


def test_results_are_a_table_and_csv(run, engine):
    """Nobody played: equal entrants share the place, and who is excluded has none."""
    opened(run, "--games", "5")
    run("round", "exclude", "final", "bert", "--reason", "=copied")
    run("round", "close", "final")
    table = run("round", "status", "final").out
    assert re.search(r"1 +anna +11\.000 +5 +5 +5", table)
    assert re.search(r"bert.*excluded: =copied", table)
    assert "changed" not in table
    rows = list(csv.DictReader(run("round", "status", "--csv").out.splitlines()))
    assert [(row["player"], row["place"], row["not_played"], row["excluded"]) for row in rows] == [
        ("anna", "1", "5", ""),
        ("bert", "", "", "'=copied"),
    ]
    assert re.search(r"final +over", run("round", "status").out)


def test_sealed_matches_are_replayed_for_the_operator_only(run, engine):
    opened(run, "--sealed")
    store_players(engine)
    store(engine, *StoredPlay(1, replace(TINY, id="final")).play(("solved", [5])))
    for name in ("last", f"{1:016x}"):
        assert "no match" in run("replay", name).complaint
        assert run("replay", name, "--operator", "--no-analysis").status == 0
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE rounds SET published = 1")
    assert run("replay", "last", "--no-analysis").status == 0


def test_progress_of_a_sealed_round_changes_at_full_minutes(run, engine, monkeypatch):
    store_players(engine)
    opened(run, "ann", "bob", "--sealed")
    ladder = replace(TINY, id="final")
    store(engine, *StoredPlay(1, ladder, "ann", at=59_999).play(("solved", [5])))
    store(engine, StoredPlay(2, ladder, "bob", at=60_000).start())
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE events SET at = 60000 WHERE match = 1 AND type = 'match_over'")

    def progress(now, *options):
        monkeypatch.setattr("evilpegs.commands.round.now_ms", lambda: now)
        (document,) = json.loads(run("round", "status", "final", "--json", *options).out)["rounds"]
        return [(each["progress"], each["ended"]) for each in document["entrants"]]

    assert progress(60_000 + SETTLED_MS - 1) == [("not_started", None), ("not_started", None)]
    assert progress(60_000 + SETTLED_MS) == [("playing", None), ("not_started", None)]
    assert progress(120_000 + SETTLED_MS - 1) == [("playing", None), ("not_started", None)]
    assert progress(120_000 + SETTLED_MS) == [("finished", None), ("playing", None)]
    assert progress(60_000, "--operator") == [("finished", 1), ("playing", 0)]
    hint = "--operator shows"
    assert hint in run("round", "status", "final").out
    assert hint not in run("round", "status", "final", "--operator").out
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE rounds SET sealed = false")
    assert progress(60_000) == [("finished", 1), ("playing", 0)]


def test_players_list_counts_sealed_matches_for_the_operator_only(run, engine):
    store_players(engine)
    opened(run, "ann", "--sealed")
    store(engine, *StoredPlay(1, replace(TINY, id="final")).play(("solved", [5])))

    def counted(*options):
        (row,) = [
            each
            for each in json.loads(run("players", "list", "--json", *options).out)["players"]
            if each["name"] == "ann"
        ]
        return row["matches"], row["games"], row["last_match_at"] is None

    assert counted() == (0, 0, True)
    assert counted("--operator") == (1, 0, False)


def test_table_of_a_class_fits_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    others = tuple(f"player{number}" for number in range(29))
    result = RoundResult(
        place=1,
        mean=4.4,
        games=250,
        failed=0,
        not_played=0,
        ahead_of=others,
        plays_better_than=others,
        fails_less_than=(),
    )
    print_table(
        console(), [RoundEntrant(player="anna", progress="finished", ended=250, excluded=None, result=result)], RESULTS
    )
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1].split()[-1] == "29"
