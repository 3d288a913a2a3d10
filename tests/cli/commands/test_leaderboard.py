"""`evilpegs leaderboard`."""

import hashlib
import re
import sqlite3
from contextlib import closing

import pytest

from evilpegs.commands.leaderboard import Standing, score_bars, show_standings
from evilpegs.output import console
from evilpegs_protocol.canonical import GENESIS
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.scoring.leaderboard import LeaderboardRow

ROW = {
    "player",
    "client",
    "games",
    "mean",
    "low",
    "high",
    "worst",
    "solved",
    "p95_ms",
    "mean_ms",
    "histogram",
    "rank",
    "rank_worst",
}


def standings_by_id(document):
    return {standing["ladder"]: standing for standing in document["ladders"]}


def row_of(standing, player):
    (row,) = [row for row in standing["rows"] if row["player"] == player]
    return row


def test_leaderboard_json_has_documented_keys(run, server, played):
    document = run("leaderboard", "--database", server.database, "--json").document
    standing = standings_by_id(document)["classic"]
    assert set(standing) == {"ladder", "rules", "codemaker", "guess_limit", "rows"}
    row = row_of(standing, "minimax")
    assert set(row) == ROW
    guesses = [game["guesses"] for game in played[0]["matches"][0]["games"]]
    assert (row["games"], row["mean"], row["worst"]) == (10, sum(guesses) / 10, max(guesses))
    assert row["histogram"] == [[score, guesses.count(score)] for score in sorted(set(guesses))]
    assert row["rank"] is None


def test_leaderboard_of_one_ladder(run, server, played):
    document = run("leaderboard", "--ladder", "classic-evil", "--database", server.database, "--json").document
    (standing,) = document["ladders"]
    row = row_of(standing, "minimax")
    assert (row["games"], row["mean"], row["client"]) == (4, 5.0, "minimax 0.1.0")
    assert row["rank"] >= 1


def test_leaderboard_excludes_practice(run, server, played):
    document = run("leaderboard", "--database", server.database, "--json").document
    assert not any("practice" in ladder for ladder in standings_by_id(document))


def test_leaderboard_reads_database_from_environment(run, server, monkeypatch):
    monkeypatch.setenv("EVILPEGS_DATABASE", server.database)
    assert run("leaderboard").status == 0


def test_leaderboard_without_games_suggests_bot(run, server):
    result = run("leaderboard", "--ladder", "grand", "--database", server.database)
    assert result.out.endswith("evilpegs bot minimax\n")
    assert len(result.out.splitlines()) == 1
    document = run("leaderboard", "--ladder", "grand", "--database", server.database, "--json").document
    assert document["ladders"][0]["rows"] == []


@pytest.mark.parametrize(
    ("ladder", "named"),
    [
        ("clasic", "'clasic'.* classic[?]"),
        ("zzz", "'zzz'.*evilpegs ladders"),
        ("classic-practice", "^classic-practice "),
    ],
)
def test_leaderboard_refuses_ladder_without_one(run, server, ladder, named):
    result = run("leaderboard", "--ladder", ladder, "--database", server.database)
    assert result.status == 2
    assert re.search(named, result.complaint)


@pytest.mark.parametrize("seq", [1, 2])
def test_leaderboard_leaves_out_broken_match(run, server, played, tampered, seq):
    evil = ("leaderboard", "--ladder", "classic-evil", "--json", "--database")
    assert run(*evil, server.database).document["ladders"][0]["rows"]
    database = tampered(f"UPDATE events SET json = '{{}}' WHERE match = :match AND seq = {seq}")
    result = run(*evil, database)
    assert result.status == 0
    assert result.document["ladders"][0]["rows"] == []
    assert "1 match" in result.err


def test_leaderboard_names_unreadable_match(run, evil_match, tampered):
    """The chain of hashes holds, but an event is none of a match."""
    forged = hashlib.sha256((GENESIS + "{}").encode()).hexdigest()
    database = tampered(f"UPDATE events SET json = '{{}}', hash = '{forged}' WHERE match = :match AND seq = 1")
    number = "(SELECT number FROM matches WHERE id = ?)"
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(f"DELETE FROM events WHERE match = {number} AND seq > 1", [evil_match])
    result = run("leaderboard", "--database", database)
    assert result.status == 2
    assert evil_match in result.complaint


def made_row(player, **figures):
    defaults = {
        "client": "test 1",
        "games": 200,
        "mean": 4.5,
        "low": 4.4,
        "high": 4.6,
        "worst": 6,
        "solved": 1.0,
        "p95_ms": 12,
        "mean_ms": 3.0,
        "histogram": ((4, 100), (6, 100)),
    }
    return LeaderboardRow(player=player, **(defaults | figures))


def test_leaderboard_table_shows_ranks_and_figures(capsys):
    rows = [made_row("ann", rank=1, rank_worst=2), made_row("ben", rank=2, rank_worst=2), made_row("cid", games=9)]
    show_standings(console(), [Standing(load_ladders()["classic"], rows)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["classic:", "4x6,", "fixed"]
    first = lines[-3].split()
    assert first == ["1", "(1-2)", "ann", "test", "1", "200", "4.500", "4.40-4.60", "6", "100%", "12", "█", "█"]
    assert lines[-2].split()[:2] == ["2", "ben"]
    assert lines[-1].split()[:2] == ["-", "cid"]


def test_narrow_leaderboard_leaves_out_clients(capsys, monkeypatch):
    out = console()
    out.width = 80
    show_standings(out, [Standing(load_ladders()["classic"], [made_row("a" * 20, rank=1, rank_worst=9)])])
    lines = capsys.readouterr().out.splitlines()
    assert "client" not in " ".join(lines)
    assert "…" not in " ".join(lines)
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("width", [60, 50, 40, 28])
def test_leaderboard_always_shows_player_and_mean(capsys, width):
    out = console()
    out.width = width
    show_standings(out, [Standing(load_ladders()["classic"], [made_row("a" * 20, rank=1, rank_worst=9)])])
    lines = capsys.readouterr().out.splitlines()
    assert "a" * 20 in lines[-1]
    assert "4.500" in lines[-1]
    assert "…" not in " ".join(lines)
    assert all(len(line) <= width for line in lines)


def test_bars_show_every_score_that_occurred():
    row = made_row("ann", histogram=((2, 1), (4, 1000), (5, 500)))
    assert score_bars(row, 1, 6) == " ▁ █▄ "
