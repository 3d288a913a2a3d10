"""Measure the time of one page of the list of matches, for each kind of filter, on a database of a million matches.

    python -m bench.server.match_lists [--matches 1000000] [--pages 300] [--database FILE]

The database is invented: matches of 2 games on all built-in ladders by 500 players with 8 client versions each. One
player has half of the matches, and one ladder a third. Pages are asked for at random places of each list, and some
filters match nothing although each of their parts matches many. With --database the file is kept and used again.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path

from sqlalchemy import text

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import percentiles, seconds_of
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.browse import MatchFilter, list_matches, list_shown_players
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.log.archive import load_last_event_id

PLAYERS = 500
STEP_MS = 1_000
FIRST_MS = 1_700_000_000_000
LIMIT = 100
WANTED_MS = 20.0
OPTIONS = (
    Option("matches", 1_000_000, 2_000),
    Option("pages", 300, 5, "pages of each list"),
    Option("database", None, help="a file to make, or to use again"),
)
COUNT = "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < :count) "
TABLES = (
    "INSERT INTO players SELECT n, 'player-' || n, 'player' || n, 'bot', printf('%064x', n), 0 FROM series"
    " WHERE n <= :players",
    # A player plays versions 1 to 8, except that player-7 never plays version 3, and player-9 plays on one ladder only.
    "INSERT INTO matches (number, id, player, ladder, seed, started_at, over, client) SELECT n, printf('%016x', n),"
    " player, ladder, zeroblob(32), :first + n * :step, 1, 'bot ' || version FROM ("
    " SELECT n, player, CASE WHEN player = 9 OR n % 3 = 0 THEN 'classic' ELSE json_extract(:ladders,"
    " '$[' || (n * 7 % json_array_length(:ladders)) || ']') END AS ladder,"
    " CASE WHEN player = 7 THEN 1 ELSE 1 + n * 13 % 8 END AS version FROM ("
    " SELECT n, CASE WHEN n % 2 THEN 1 + n * 31 % :players ELSE 1 END AS player FROM series))",
    "INSERT INTO events (match, seq, at, type, json, hash) SELECT n, game, :first + n * :step, 'game_over',"
    " json_object('game', game, 'outcome', 'solved', 'guesses', 0, 'elapsed_ms', 900), '' FROM series,"
    " (SELECT 1 AS game UNION ALL SELECT 2)",
)


def build(engine, matches, ladders):
    """Fill an empty database."""
    parameters = {"players": PLAYERS, "first": FIRST_MS, "step": STEP_MS, "ladders": json.dumps(ladders)}
    with engine.begin() as connection:
        for statement in TABLES:
            used = {name: value for name, value in parameters.items() if f":{name}" in statement}
            connection.execute(text(statement.replace(" SELECT", f" {COUNT} SELECT", 1)), used | {"count": matches})


def place(number):
    """Return the start and the id of a match, after which a page begins."""
    return FIRST_MS + number * STEP_MS, f"{number:016x}"


def filters(matches, ladders, rng):
    """Return a function per kind of filter that draws one filter of this kind."""

    def before():
        return rng.choice([None, place(rng.randrange(1, matches))])

    def since():
        return FIRST_MS + rng.randrange(matches) * STEP_MS

    def player():
        return f"player-{rng.choice([1, rng.randint(1, PLAYERS)])}"

    def client():
        return f"bot {rng.randint(1, 8)}"

    return {
        "none": lambda: MatchFilter(before=before()),
        "ladder": lambda: MatchFilter((rng.choice(ladders),), before=before()),
        "several ladders": lambda: MatchFilter(tuple(rng.sample(ladders, 8)), before=before()),
        "player": lambda: MatchFilter(player=player(), before=before()),
        "client": lambda: MatchFilter(client=client(), before=before()),
        "since": lambda: MatchFilter(since=since(), before=before()),
        "player and client": lambda: MatchFilter(player=player(), client=client(), before=before()),
        "ladder, player, client, since": lambda: MatchFilter(
            (rng.choice(ladders),), player(), client(), since(), before()
        ),
        "unknown ladder": lambda: MatchFilter(("nowhere",), before=before()),
        "unknown player": lambda: MatchFilter(player="nobody", before=before()),
        "unknown client": lambda: MatchFilter(client="nobody 1", before=before()),
        "no such intersection: player, client": lambda: MatchFilter(player="player-7", client="bot 3", before=before()),
        "no such intersection: player, ladder": lambda: MatchFilter(("super",), "player-9", before=before()),
        "since the last match": lambda: MatchFilter(player=player(), since=FIRST_MS + (matches + 1) * STEP_MS),
        "the last page": lambda: MatchFilter(player=player(), before=place(rng.randint(2, 300))),
    }


def show(name, call, pages):
    """Call for each page, print a row, and return the p99 in milliseconds."""
    rows = []
    p50, p99 = percentiles([1000 * seconds_of(lambda: rows.append(len(call()))) for _ in range(pages)], 50, 99)
    print(f"{name:38} p50 {p50:6.2f} ms  p99 {p99:6.2f} ms  {sum(rows) / pages:5.1f} rows", flush=True)
    return p99


def measure_pages(engine, matches, pages, ladders):
    """Time the pages of each kind of list, and return the figures."""
    rng = random.Random(1)
    slowest = [
        show(name, lambda draw=draw: list_matches(engine, draw(), LIMIT), pages)
        for name, draw in filters(matches, ladders, rng).items()
    ]
    after = [f"player-{rng.randint(1, PLAYERS)}" for _ in range(pages)]
    players = show("players", lambda: list_shown_players(engine, after.pop(), LIMIT), pages)
    return [
        Figure("page of the list of matches, slowest filter, p99", max(slowest), "ms", WANTED_MS),
        Figure("page of the list of players, p99", players, "ms", WANTED_MS),
    ]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Build the database unless it is there, derive the results of its games, and time its pages."""
    ladders = sorted(load_ladders())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(options.database or f"{folder}/bench.sqlite3")
        is_new, url = not path.exists(), f"sqlite:///{path}"
        engine = open_database(url)
        if is_new:
            took = seconds_of(lambda: build(engine, options.matches, ladders))
            print(f"built {options.matches:,} matches in {took:.0f} s, {path.stat().st_size / 2**20:,.0f} MiB")
        last = load_last_event_id(engine)
        engine.dispose()
        derived = DerivedFile(url)
        try:
            print(f"derived results in {seconds_of(lambda: derived.follow(last)):.0f} s")
            print(f"{LIMIT} rows per page, {options.pages} pages each")
            return measure_pages(derived.engine, options.matches, options.pages, ladders)
        finally:
            derived.close()


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
