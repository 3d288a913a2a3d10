"""`evilpegs leaderboard`."""

import csv
import io
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from evilpegs.commands.leaderboard.comma_separated import write_rows, write_table
from evilpegs.commands.leaderboard.results import GAME_COLUMNS, MATCH_COLUMNS, game_cells, match_cells
from evilpegs.errors import SERVER_PACKAGES
from evilpegs.kit.standings_table import (
    FEW_GAMES,
    NO_RANK,
    NOT_DECIDED,
    legend,
    score_bars,
    shorten_client,
    show_standings,
)
from evilpegs.output import console
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.file import derived_path
from evilpegs_server.storage.derived.games import GameResult
from evilpegs_server.storage.log.ladders import store_ladders
from support.classic_games import CLASSIC, GAMES, classic_match
from support.patience import PATIENCE
from support.stored_matches import StoredPlay, store, store_players
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("measured_children")

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
    "solved_low",
    "solved_high",
    "adjusted_mean",
    "adjusted_low",
    "adjusted_high",
    "adjusted_deviation",
    "adjusted_games",
    "version",
    "versions",
    "all_games",
    "all_matches",
    "kind",
    "undecided",
    "score",
    "placed",
}
HEAD = {"ladder", "rules", "codemaker", "guess_limit", "ranked_from", "placed_from", "rows", "places"}
PEOPLE = "UPDATE players SET kind = 'human' WHERE name = 'minimax'"


def standings_by_id(document):
    return {standing["ladder"]: standing for standing in document["ladders"]}


def row_of(standing, player):
    (row,) = [row for row in standing["rows"] if row["player"] == player]
    return row


def test_leaderboard_json_has_documented_keys(run, server, played):
    document = run("leaderboard", "--database", server.database, "--json").document
    standing = standings_by_id(document)["classic"]
    assert set(standing) == HEAD
    assert (standing["ranked_from"], standing["placed_from"]) == (100, 10)
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
    assert (row["games"], row["mean"], row["client"]) == (4, 5.0, "minimax 0.2.0")
    assert row["rank"] is None, "four games are too few"


def test_leaderboard_excludes_practice(run, server, played):
    document = run("leaderboard", "--database", server.database, "--json").document
    assert not any("practice" in ladder for ladder in standings_by_id(document))


def test_leaderboard_reads_database_from_environment(run, server, monkeypatch):
    monkeypatch.setenv("EVILPEGS_DATABASE", server.database)
    assert run("leaderboard").status == 0


def test_leaderboard_without_games_suggests_bot(run, server):
    result = run("leaderboard", "--ladder", "grand", "--database", server.database)
    assert result.out.endswith("evilpegs bot minimax\n")
    large = run("leaderboard", "--ladder", "monster", "--database", server.database)  # which minimax refuses
    assert large.out.endswith("evilpegs bot sampled --ladder monster\n")
    assert len(result.out.splitlines()) == 1
    document = run("leaderboard", "--ladder", "grand", "--database", server.database, "--json").document
    assert document["ladders"][0]["rows"] == []


@pytest.mark.parametrize("seq", [1, 2])
def test_leaderboard_leaves_out_broken_match(run, server, played, tampered, seq):
    evil = ("leaderboard", "--ladder", "classic-evil", "--json", "--database")
    assert run(*evil, server.database).document["ladders"][0]["rows"]
    database = tampered(f"UPDATE events SET json = '{{}}' WHERE match = :match AND seq = {seq}")
    result = run(*evil, database)
    assert result.status == 0
    assert result.document["ladders"][0]["rows"] == []
    assert "1 match" in result.err


def test_leaderboard_makes_results_again(run, on_disk):
    """Results follow from the events: what was written into the derived file is gone with it."""
    database = f"sqlite:///{on_disk / 'games.sqlite3'}"
    engine = open_database(database)
    store_players(engine)
    store(engine, *classic_match(1))
    engine.dispose()
    command = ("leaderboard", "classic", "--json", "--database", database)
    first = run(*command).document
    assert [row["games"] for row in first["ladders"][0]["rows"]] == [len(GAMES)]
    with closing(sqlite3.connect(derived_path(database))) as connection, connection:
        connection.execute("UPDATE games SET guesses = 1")
    assert run(*command).document != first
    derived_path(database).unlink()
    assert run(*command).document == first


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
        "rank": None,
        "rank_worst": None,
    }
    return LeaderboardRow(player=player, **(defaults | figures))


def made_standings(*rows, places=()):
    terms = {"rules": "4x6", "codemaker": "fixed", "guess_limit": 10, "ranked_from": 100, "placed_from": 10}
    return LeaderboardDocument(ladder="classic", **terms, rows=rows, places=places)


def shown(capsys, width, *rows, places=()):
    """Return the lines that are printed for a terminal of this width."""
    out = console()
    out.width = width
    show_standings(out, [made_standings(*rows, places=places)])
    return capsys.readouterr().out.splitlines()


def test_leaderboard_table_shows_ranks_and_figures(capsys):
    rows = [
        made_row("ann", rank=1, rank_worst=2),
        made_row("ben", rank=3, rank_worst=3),
        made_row("cid", games=90),
        made_row("dan", games=9, placed=False),
    ]
    lines = shown(capsys, 120, *rows, places=(1, 2, 3, 4))
    assert lines[0].split()[:3] == ["classic:", "4x6,", "fixed"]
    table, legend = lines[: lines.index("")], lines[lines.index("") + 1 :]
    undecided, first, second, unranked, third, few, fourth = (line.split() for line in table[-7:])
    assert first == ["1", "(1-2)", "ann", "test", "1", "200", "4.500", "4.40-4.60", "6", "100%", "12", "█", "█"]
    assert second[:2] == ["3", "ben"]
    assert third[:6] == ["(3)", "cid", "test", "1", "90", "(4.500)"]
    assert fourth[:6] == ["-", "dan", "test", "1", "9", "(4.500)"]
    assert (undecided, unranked, few) == (NOT_DECIDED.split(), NO_RANK.split(), FEW_GAMES.split())
    assert [line.split(":")[0] for line in legend] == ["1 (1-2)", "(3)", "-", "self-reported"]
    assert ("100 games on classic" in legend[1], "10 games" in legend[2]) == (True, True)


def test_rows_that_are_not_decided_stand_under_one_heading(capsys):
    ranks = [(1, 2), (1, 2), (3, 3), (4, 6), (4, 6), (5, 6)]
    lines = shown(capsys, 120, *(made_row(f"bot-{n}", rank=n, rank_worst=worst) for n, worst in ranks))
    words = [line.split()[0] for line in lines[-len(ranks) - 2 - 3 : -3]]
    assert words == ["not", "1", "1", "3", "not", "4", "4", "5"]


def test_legend_says_how_many_games_a_rank_takes_on_each_ladder(capsys):
    others = {"blitz": 100, "classic-evil": 20, "classic-people": 20}
    boards = [made_standings(made_row("ann"), places=(1,))]
    boards += [boards[0].model_copy(update={"ladder": name, "ranked_from": games}) for name, games in others.items()]
    (line,) = [line for line in legend(boards) if line.startswith("(1): ")]
    assert "100 games on classic, blitz and 20 games on classic-evil, classic-people" in line
    of_older_server = boards[0].model_copy(update={"ranked_from": None})
    assert not [line for line in legend([of_older_server]) if line.startswith("(1): ")]


def test_legend_explains_only_what_is_shown(capsys):
    lines = shown(capsys, 120, made_row("ann", rank=1, rank_worst=1))
    assert [line.split()[:2] for line in lines[-3:]] == [["1", "ann"], [], ["self-reported:", "what"]]
    assert shown(capsys, 120, made_row("ann"))[-2].startswith("-: ")


def test_adjusted_means_without_rank_are_in_brackets(capsys):
    lines = shown(capsys, 120, made_row("ann", adjusted_mean=4.25), places=(1,))
    (row,) = [line.split() for line in lines if "ann" in line]
    assert [cell for cell in row if cell.startswith("(")] == ["(1)", "(4.250)", "(4.500)"]


@pytest.mark.parametrize("width", [120, 40])
def test_headings_of_groups_stay_in_narrow_tables(capsys, width):
    lines = [line.strip() for line in shown(capsys, width, made_row("a" * 20, rank=1, rank_worst=9))]
    assert NOT_DECIDED in lines


def test_kinds_are_shown_where_not_all_are_bots(capsys):
    bots = shown(capsys, 120, made_row("ann", kind="bot"), made_row("old"))
    assert "kind" not in " ".join(bots).split()
    mixed = shown(capsys, 120, made_row("ann", kind="bot"), made_row("ben", kind="human"))
    assert [line.split()[2] for line in mixed if {"ann", "ben"} & set(line.split())] == ["bot", "human"]


@pytest.mark.parametrize("client", ["test 1", "random-consistent 0.1.0", f"{'n' * 64} {'v' * 64}", "x" * 64 + " 1.2.3"])
@pytest.mark.parametrize("rank", [1, 1000])
def test_leaderboard_of_80_columns_keeps_clients(capsys, client, rank):
    rows = [made_row("a" * 20, client=client, rank=rank, rank_worst=9999, games=12345), made_row("bob", client=client)]
    lines = shown(capsys, 80, *rows)
    assert all(len(line) <= 80 for line in lines)
    (first,) = [line for line in lines if "a" * 20 in line]
    assert client[:6] in first
    assert (client in first) or ("…" in first and client.rpartition(" ")[2][:6] in first)
    assert {"12,345", "4.500", "4.40-4.60"} <= set(first.split())


def test_shortened_client_fits_and_keeps_version():
    client = "random-consistent 0.1.0"
    shortened = {width: shorten_client(client, width) for width in range(3, 40)}
    assert [width for width, short in shortened.items() if len(short) > width] == []
    assert {short for width, short in shortened.items() if width >= len(client)} == {client}
    assert all(shortened[width].endswith("… 0.1.0") for width in range(12, len(client)))


@pytest.mark.parametrize("width", [60, 50, 40, 28])
def test_leaderboard_always_shows_player_and_mean(capsys, width):
    lines = shown(capsys, width, made_row("a" * 20, rank=1, rank_worst=9))
    (row,) = [line for line in lines if "a" * 20 in line]
    assert "4.500" in row
    assert "…" not in " ".join(lines)
    assert all(len(line) <= width for line in lines)


def test_bars_show_every_score_that_occurred():
    row = made_row("ann", histogram=((2, 1), (4, 1000), (5, 500)))
    assert score_bars(row, 1, 6) == " ▁ █▄ "


# From a server


@pytest.mark.parametrize("ladder", [[], ["classic-evil"]])
def test_leaderboard_of_server_equals_that_of_database(run, server, played, ladder):
    def rows(place, url):
        return run("leaderboard", *ladder, place, url, "--json").document

    # The server counts luck after a match, and shows it a moment later than the database.
    wait_until(lambda: rows("--server", server.url) == rows("--database", server.database))
    assert rows("--server", server.url)["ladders"][0]["rows"]


def test_leaderboard_takes_server_from_environment(run, server, played, monkeypatch):
    monkeypatch.setenv("EVILPEGS_SERVER", server.url)
    assert run("leaderboard", "classic", "--json").document["ladders"][0]["rows"]
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1/v1")
    assert run("leaderboard", "classic").status == 2
    assert run("leaderboard", "classic", "--database", server.database).status == 0
    monkeypatch.setenv("EVILPEGS_DATABASE", server.database)
    assert run("leaderboard", "classic").status == 0


# Of a kind, and up to a time


def test_rounds_are_no_leaderboards_of_a_server(run, serve):
    server = serve()
    run("round", "open", "final", "--ladder", "classic", "--database", server.database)
    ladders = ("ladders", "--server", server.url, "--json")
    wait_until(lambda: "final" in [each["id"] for each in run(*ladders).document["ladders"]])
    assert run("leaderboard", "--server", server.url, "--json").document == {"ladders": []}
    complaint = run("leaderboard", "final", "--server", server.url).complaint
    assert "#/round/final" in complaint
    assert "final" not in run("leaderboard", "fina", "--server", server.url).complaint


def test_leaderboard_of_a_kind(run, server, played, tampered):
    source = ("leaderboard", "classic-evil", "--json", "--database")
    changed = tampered(PEOPLE)
    everybody = run(*source, changed).document
    assert row_of(everybody["ladders"][0], "minimax")["kind"] == "human"
    for kind in ("human", "bot"):
        (standing,) = run(*source, changed, "--kind", kind).document["ladders"]
        assert standing["rows"] == [row for row in everybody["ladders"][0]["rows"] if row["kind"] == kind]
    assert run("leaderboard", "--database", changed, "--kind", "bot").status == 0
    (standing,) = run("leaderboard", "classic-evil", "--server", server.url, "--kind", "bot", "--json").document[
        "ladders"
    ]
    assert row_of(standing, "minimax")["kind"] == "bot"
    (standing,) = run(*source, server.database, "--kind", "human").document["ladders"]
    assert standing["rows"] == []


def test_rows_of_a_kind_keep_their_places(run, server, monkeypatch):
    async def of_both_kinds(_reader, _ladder):
        rows = [made_row("ann", kind="bot"), made_row("ben", kind="human")]
        return made_standings(*rows, places=(1, 2))

    monkeypatch.setattr(ServerReader, "standings", of_both_kinds)
    command = ("leaderboard", "classic", "--kind", "human", "--server", server.url)
    (row,) = [line for line in run(*command).out.splitlines() if "ben" in line]
    assert row.split()[:2] == ["(2)", "ben"]
    (standing,) = run(*command, "--json").document["ladders"]
    assert ([row["player"] for row in standing["rows"]], standing["places"]) == (["ben"], [2])
    (cells,) = read_csv(run(*command, "--csv").out)
    assert (cells["player"], cells["kind"], cells["place"], cells["undecided"]) == ("ben", "human", "2", "")


def test_kind_of_older_server_is_one_line(run, server, monkeypatch):
    async def without_kinds(_reader, _ladder):
        return made_standings(made_row("ann"))

    monkeypatch.setattr(ServerReader, "standings", without_kinds)
    result = run("leaderboard", "classic", "--kind", "bot", "--server", server.url)
    assert (result.status, result.out) == (2, "")
    assert "--kind" in result.complaint


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """The URL of a database with two matches of ann and one of bob, whose games end at 2 to 7 o'clock UTC."""
    url = f"sqlite:///{tmp_path_factory.mktemp('contest') / 'contest.sqlite3'}"
    engine = open_database(url)
    store_players(engine)
    for number, (player, hours) in enumerate([("ann", (2, 3)), ("bob", (4, 5)), ("ann", (6, 7))], 1):
        play = StoredPlay(number, CLASSIC, player, at=hour(hours[0]) - 60_000)
        store(engine, play.start())
        for game, (outcome, ended) in enumerate(zip(("solved", "resigned"), hours, strict=True), 1):
            store(engine, play.guess(game, 1, took_ms=7, code="1122"))
            play.at = hour(ended)
            store(engine, play.end_game(game, outcome, 1, elapsed_ms=7))
    engine.dispose()
    return url


def hour(number):
    """Return this hour of 2026-11-25, UTC, in Unix milliseconds."""
    return 1_795_564_800_000 + number * 3_600_000


@pytest.mark.parametrize(
    ("until", "games"),
    [
        ("2026-11-25T02:00Z", {}),
        ("2026-11-25T02:00:00.001Z", {"ann": 1}),
        ("2026-11-25 06:30+01:00", {"ann": 2, "bob": 2}),
        ("2026-11-25T04:59:59+00:00", {"ann": 2, "bob": 1}),
        ("2026-11-25T00:00", {"ann": 2, "bob": 1}),
        ("2026-11-25", {"ann": 2, "bob": 1}),
        ("2027-01-01", {"ann": 4, "bob": 2}),
        ("1970-01-01", {}),
        ("2999-12-31T23:59", {"ann": 4, "bob": 2}),
    ],
)
def test_until_counts_results_that_ended_before(run, contest, monkeypatch, until, games):
    """A time without a zone is of this machine, which is five hours behind UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "EST+5")
        time.tzset()
        document = run("leaderboard", "classic", "--database", contest, "--until", until, "--json").document
        listed = run("leaderboard", "classic", "--database", contest, "--until", until, "--csv", "--each", "game").out
    time.tzset()
    assert {row["player"]: row["games"] for row in document["ladders"][0]["rows"]} == games
    assert Counter(row["player"] for row in read_csv(listed)) == games


def read_csv(table):
    return list(csv.DictReader(io.StringIO(table, newline="")))


def test_csv_of_games_has_each_game(run, contest):
    table = run("leaderboard", "--database", contest, "--csv", "--each", "game").out
    assert table.split("\r\n")[0] == ",".join(GAME_COLUMNS)
    rows = read_csv(table)
    assert [(row["player"], row["game"], row["outcome"], row["guesses"], row["score"]) for row in rows[:2]] == [
        ("ann", "1", "solved", "1", "1"),
        ("ann", "2", "resigned", "1", "11"),
    ]
    assert [int(row["ended_at"]) for row in rows] == [hour(number) for number in (2, 3, 4, 5, 6, 7)]
    assert {(row["ladder"], row["kind"], row["client"], row["luck"]) for row in rows} == {
        ("classic", "bot", "bot 1", "")
    }
    assert run("leaderboard", "--database", contest, "--csv", "--each", "game", "--kind", "human").out == (
        table.partition("\r\n")[0] + "\r\n"
    )


def test_csv_of_matches_sums_up_games(run, contest):
    table = run("leaderboard", "--database", contest, "--csv", "--each", "match").out
    assert table.split("\r\n")[0] == ",".join(MATCH_COLUMNS)
    rows = read_csv(table)
    assert [row["player"] for row in rows] == ["ann", "bob", "ann"]
    first = rows[0]
    assert (first["games"], first["solved"], first["mean"], first["elapsed_ms"]) == ("2", "1", "6.0", "14")
    assert (int(first["started_at"]), int(first["ended_at"])) == (hour(2) - 60_000, hour(3))


@pytest.mark.parametrize(("each", "score"), [("game", "score"), ("match", "mean")])
def test_csv_of_results_on_ladder_of_ones_own(run, on_disk, each, score):
    """A game that was not solved counts as one guess more than the limit of that ladder."""
    url = f"sqlite:///{on_disk / 'own.sqlite3'}"
    engine = open_database(url)
    store_players(engine)
    own = replace(CLASSIC, id="friday", guess_limit=CLASSIC.guess_limit - 3)
    store_ladders(engine, {own.id: own})
    play = StoredPlay(1, own)
    store(engine, play.start())
    store(engine, play.guess(1, 1, took_ms=7, code="1122"))
    store(engine, play.end_game(1, "resigned", 1, elapsed_ms=7))
    engine.dispose()
    (row,) = read_csv(run("leaderboard", own.id, "--database", url, "--csv", "--each", each).out)
    assert (row["ladder"], row["player"], float(row[score])) == (own.id, "ann", own.guess_limit + 1)


def test_csv_of_games_agrees_with_matches_of_bots(run, server, played):
    """Those of the bot's own account, and none of practice."""
    for number, ladder in enumerate(("classic", "classic-evil")):
        source = ("leaderboard", ladder, "--database", server.database, "--csv", "--each")
        (match,) = played[number]["matches"]
        games = [row for row in read_csv(run(*source, "game").out) if row["match"] == match["match"]]
        assert [int(row["guesses"]) for row in games] == [game["guesses"] for game in match["games"]]
        (row,) = [row for row in read_csv(run(*source, "match").out) if row["match"] == match["match"]]
        assert int(row["games"]) == len(match["games"])


def test_csv_of_games_leaves_out_broken_match(run, tampered):
    database = tampered("UPDATE events SET json = '{}' WHERE match = :match AND seq = 2")
    result = run("leaderboard", "classic-evil", "--database", database, "--csv", "--each", "match")
    assert (result.status, result.out) == (0, ",".join(MATCH_COLUMNS) + "\r\n")


def test_void_game_has_no_score_and_formulas_are_disarmed():
    common = ("classic", "1" * 16, 1, "ann", "bot", "=1+1 1")
    games = [
        GameResult(*common, "void", 0, None, 10, 20, 1),
        GameResult(*common, "solved", 4, -250_000, 10, 30, 2),
    ]
    limits = {"classic": 10}
    void, solved = written(GAME_COLUMNS, *(game_cells(game, limits) for game in games))
    assert (void["score"], void["luck"], solved["score"], solved["luck"]) == ("", "", "4", "-0.25")
    assert void["client"] == "'=1+1 1"
    both, empty = written(MATCH_COLUMNS, match_cells(games, limits), match_cells(games[:1], limits))
    assert (both["games"], both["mean"], both["ended_at"], both["client"]) == ("1", "4.0", "30", "'=1+1 1")
    assert (empty["games"], empty["mean"]) == ("0", "")


def written(columns, *rows):
    table = io.StringIO()
    write_table(table, columns, rows)
    return read_csv(table.getvalue())


# For programs and for screens


def test_csv_reads_back_as_rows(run, server, played):
    table = run("leaderboard", "--database", server.database, "--csv").out
    assert table.endswith("\r\n")
    read = list(csv.DictReader(io.StringIO(table, newline="")))
    ladders = run("leaderboard", "--server", server.url, "--json").document["ladders"]
    rows = [
        row | {"ladder": each["ladder"], "place": place}
        for each in ladders
        for row, place in zip(each["rows"], each["places"], strict=True)
    ]
    assert len(read) == len(rows)
    for cells, row in zip(read, rows, strict=True):
        assert {name: cells[name] for name in ("ladder", "player", "client")} == {
            name: row[name] for name in ("ladder", "player", "client")
        }
        assert (cells["kind"], cells["place"], cells["undecided"]) == (row["kind"], str(row["place"]), "")
        for name in ("rank", "rank_worst", "games", "mean", "low", "high", "worst", "solved", "p95_ms", "mean_ms"):
            assert (None if cells[name] == "" else float(cells[name])) == row[name]
        assert cells["histogram"] == " ".join(f"{score}:{games}" for score, games in row["histogram"])


def test_csv_quotes_and_disarms_names_of_clients():
    standings = made_standings(made_row("ann", client='a,"b" 1'), made_row("bob", client="=1+1 1"))
    table = io.StringIO()
    write_rows(table, [standings])
    lines = table.getvalue().split("\r\n")
    # other programs read columns by their places
    assert lines[0].startswith("ladder,rank,rank_worst,player,client,games,mean,low,high,worst,solved,p95_ms,mean_ms,")
    assert lines[0].split(",")[13:21] == [
        "histogram",
        "solved_low",
        "solved_high",
        *(f"adjusted_{x}" for x in ("mean", "low", "high", "deviation", "games")),
    ]
    assert lines[0].endswith(",version,versions,all_games,all_matches,kind,place,undecided,score,placed")
    assert lines[1].startswith('classic,,,ann,"a,""b"" 1",200,')
    assert lines[2].startswith("classic,,,bob,'=1+1 1,200,")


def wait_for_games(child, games):
    """Wait for a row of the player mini with this number of games; rows of matches under way may come before it."""
    while ["mini", "minimax", "0.2.0", games] != child.next_line().split()[1:5]:
        pass


@pytest.mark.full
def test_refreshed_leaderboard_prints_new_versions_and_outlives_its_server(run, start, serve):
    """The server forgets the reader, and another match is played after its restart."""
    server = serve()
    bot = ("bot", "minimax", "--ladder", "classic-evil", "--name", "mini", "--server", server.url)
    sources = (("--server", server.url), ("--database", server.database))
    assert run(*bot).status == 0
    of_server, of_database = (start("leaderboard", "classic-evil", *source, "--refresh", "0.5") for source in sources)
    for games in ("4", "8"):
        for child in (of_server, of_database):
            wait_for_games(child, games)
        assert run(*bot).status == 0
    result = of_database.end(signal.SIGINT)
    assert (result.status, result.err) == (130, "")
    assert server.end(signal.SIGTERM).status == 0
    port = server.url.split(":")[-1].removesuffix("/v1")
    site_port = server.site.rstrip("/").split(":")[-1]
    again = start("serve", "--port", port, "--site-port", site_port, "--database", server.database)
    assert again.next_line().endswith(server.url)
    assert run(*bot).status == 0
    wait_for_games(of_server, "16")
    result = of_server.end(signal.SIGINT)
    assert result.status == 130
    assert len(result.err.splitlines()) >= 2


WITHOUT_EXTRA = f"""
import sys
sys.modules.update(dict.fromkeys({sorted(SERVER_PACKAGES)!r}))
from evilpegs.main import main
for words in (["leaderboard"], ["replay", "last", "--no-analysis"], ["ladders"]):
    assert main([*words, "--server", sys.argv[1]]) == 0
"""


def test_readers_of_server_work_without_extra(server, played):
    """A process that cannot import what only the extra `server` installs."""
    command = [sys.executable, "-c", WITHOUT_EXTRA, server.url]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (result.returncode, result.stderr) == (0, "")
