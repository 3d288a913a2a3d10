"""`evilpegs leaderboard`."""

import pytest

from evilpegs.output import console
from evilpegs.standings import Standing
from evilpegs.standings_table import bars, show_standings
from evilpegs_server.ladders import load_ladders
from evilpegs_server.leaderboard import Row

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


def test_the_document(run, server, played):
    document = run("leaderboard", "--database", server.database, "--json").document
    standing = standings_by_id(document)["classic"]
    assert set(standing) == {"ladder", "rules", "codemaker", "guess_limit", "rows"}
    row = row_of(standing, "minimax")
    assert set(row) == ROW
    guesses = [game["guesses"] for game in played[0]["matches"][0]["games"]]
    assert (row["games"], row["mean"], row["worst"]) == (10, sum(guesses) / 10, max(guesses))
    assert row["histogram"] == [[score, guesses.count(score)] for score in sorted(set(guesses))]
    assert row["rank"] is None


def test_one_ladder(run, server, played):
    document = run("leaderboard", "--ladder", "classic-evil", "--database", server.database, "--json").document
    (standing,) = document["ladders"]
    row = row_of(standing, "minimax")
    assert (row["games"], row["mean"], row["client"]) == (4, 5.0, "minimax 0.1.0")
    assert row["rank"] >= 1


def test_practice_does_not_count(run, server, played):
    document = run("leaderboard", "--database", server.database, "--json").document
    assert not any("practice" in ladder for ladder in standings_by_id(document))


def test_the_default_database_is_the_servers(run, server, monkeypatch):
    monkeypatch.setenv("EVILPEGS_DATABASE", server.database)
    assert run("leaderboard").status == 0


def test_a_ladder_without_games(run, server):
    result = run("leaderboard", "--ladder", "grand", "--database", server.database)
    assert result.out == "no rated games yet; begin with: evilpegs bot minimax\n"
    document = run("leaderboard", "--ladder", "grand", "--database", server.database, "--json").document
    assert document["ladders"][0]["rows"] == []


@pytest.mark.parametrize(
    ("ladder", "says"),
    [("clasic", "did you mean classic?"), ("zzz", "evilpegs ladders"), ("classic-practice", "has no leaderboard")],
)
def test_a_ladder_that_has_none(run, server, ladder, says):
    result = run("leaderboard", "--ladder", ladder, "--database", server.database)
    assert result.status == 2
    assert says in result.complaint


@pytest.mark.parametrize("seq", [1, 2])
def test_a_record_that_is_not_one_is_named(run, evil_match, tampered, seq):
    database = tampered(f"UPDATE events SET json = '{{}}' WHERE match = :match AND seq = {seq}")
    result = run("leaderboard", "--database", database)
    assert result.status == 2
    assert result.complaint.startswith(f"the record of match {evil_match} cannot be read: ")


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
    return Row(player=player, **(defaults | figures))


def test_the_table(capsys):
    rows = [made_row("ann", rank=1, rank_worst=2), made_row("ben", rank=2, rank_worst=2), made_row("cid", games=9)]
    show_standings(console(), [Standing(load_ladders()["classic"], rows)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].rstrip() == "classic: 4x6, fixed codemaker, at most 10 guesses"
    first = lines[-3].split()
    assert first == ["1", "(1-2)", "ann", "test", "1", "200", "4.500", "4.40-4.60", "6", "100%", "12", "█", "█"]
    assert lines[-2].split()[:2] == ["2", "ben"]
    assert lines[-1].split()[:2] == ["-", "cid"]


def test_a_narrow_terminal_has_no_room_for_clients(capsys, monkeypatch):
    out = console()
    out.width = 80
    show_standings(out, [Standing(load_ladders()["classic"], [made_row("a" * 20, rank=1, rank_worst=9)])])
    lines = capsys.readouterr().out.splitlines()
    assert "client" not in " ".join(lines)
    assert "…" not in " ".join(lines)
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("width", [60, 50, 40, 28])
def test_player_and_mean_are_always_readable(capsys, width):
    out = console()
    out.width = width
    show_standings(out, [Standing(load_ladders()["classic"], [made_row("a" * 20, rank=1, rank_worst=9)])])
    lines = capsys.readouterr().out.splitlines()
    assert "a" * 20 in lines[-1]
    assert "4.500" in lines[-1]
    assert "…" not in " ".join(lines)
    assert all(len(line) <= width for line in lines)


def test_what_occurred_is_never_blank():
    row = made_row("ann", histogram=((2, 1), (4, 1000), (5, 500)))
    assert bars(row, 1, 6) == " ▁ █▄ "
