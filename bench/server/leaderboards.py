"""Measure how fast results are derived from the events of all stored games, and counted for the leaderboards.

    python -m bench.server.leaderboards [--matches 100000]

The database is invented: matches of 4 games of 5 guesses on the rated built-in ladders, by 300 players. First there is
no derived file; then one is there, as at a usual start. Then the time of an update after 2,000 more guesses.
"""

import argparse
import random
import tempfile
from pathlib import Path

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import seconds_of
from evilpegs_protocol.record import chain
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.leaderboard.stored_results import StoredLeaderboards
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.log.archive import load_last_event_id

PLAYERS, GAMES, GUESSES = 300, 4, 5
DERIVING_SECONDS, COUNTING_SECONDS, WANTED_MEBIBYTES = 24.0, 10.0, 500.0
"""Wanted of a million games."""
UPDATING_SECONDS = 1.0
OPTIONS = (Option("matches", 100_000, 500),)
CURVE = curve_hashes(load_ladders().values())["classic"]
"""The hash of the curve of classic; the luck of other ladders is left out."""
FEEDBACK = (
    '{"at":1795255677661,"black":0,"code":"1122","game":1,"left_ms":61000,"match":"cb1a222aecc8fbda",'
    '"seq":13,"took_ms":%d,"turn":1,"type":"feedback","white":1}'
)
OVER = (
    '{"at":1795255677661,"client_nonce":null,"elapsed_ms":900,"game":%d,"guesses":%d,"match":"cb1a222aecc8fbda",'
    '"nonce":"' + "0" * 64 + '","outcome":"solved","secret":"1122","seq":14,"type":"game_over"}'
)


def insert_events(connection, matches, rng):
    """Insert the events of these matches, and the luck of their games."""
    rows, lucks = [], []
    for match in matches:
        kinds = [("match_started", "{}")]
        for game in range(1, GAMES + 1):
            times, guesses = [rng.randrange(1, 400) for _ in range(GUESSES)], rng.choice([4, 5, 5, 6])
            kinds += [("feedback", FEEDBACK % time) for time in times]
            kinds.append(("game_over", OVER % (game, guesses)))
            lucks.append((match, game, rng.randrange(-1_000_000, 1_000_000), CURVE))
        hashes = chain(content for _, content in kinds)
        rows += [(match, seq, 5, *kinds[seq - 1], hashes[seq - 1]) for seq in range(1, len(kinds) + 1)]
    statement = "INSERT INTO events (match, seq, at, type, json, hash) VALUES (?, ?, ?, ?, ?, ?)"
    connection.exec_driver_sql(statement, rows)
    connection.exec_driver_sql("INSERT INTO luck (match, game, luck, curve) VALUES (?, ?, ?, ?)", lucks)


def insert_matches(connection, numbers, rng):
    """Insert matches with these numbers and their events."""
    ladders = [ladder.id for ladder in load_ladders().values() if ladder.rated]
    rows = [(n, f"{n:016x}", rng.randint(1, PLAYERS), rng.choice(ladders), b"", n, 1, f"bot {n % 3}") for n in numbers]
    columns = "number, id, player, ladder, seed, started_at, over, client"
    connection.exec_driver_sql(f"INSERT INTO matches ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    insert_events(connection, numbers, rng)


def build(engine, matches, rng):
    """Fill an empty database."""
    players = [(n, f"player-{n}", f"player{n}", "bot", f"{n:064x}", 0) for n in range(1, PLAYERS + 1)]
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO players VALUES (?, ?, ?, ?, ?, ?)", players)
        for start in range(1, matches + 1, 1000):
            insert_matches(connection, range(start, min(start + 1000, matches + 1)), rng)


def resident_mib():
    """Return the memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def show(name, seconds):
    """Print a row, and return the seconds."""
    print(f"{name:34} {seconds:7.2f} s, memory {resident_mib():.0f} MiB", flush=True)
    return seconds


def verify(counting):
    """Verify all events."""
    while not counting.is_verified:
        counting.verify()


def measure_counting(engine, url, matches, rng):
    """Derive, count, verify all events, and update after some more matches."""
    games, last = matches * GAMES, load_last_event_id(engine)
    derived = DerivedFile(url)
    try:
        deriving = show(f"deriving {games:,} games", seconds_of(lambda: derived.follow(last)))
        before, counting = resident_mib(), StoredLeaderboards(derived, load_ladders())
        took = show(f"counting {games:,} games", seconds_of(lambda: counting.advance(last)))
        grown = resident_mib() - before
        show(f"verifying {last:,} events", seconds_of(lambda: verify(counting)))
        with engine.begin() as connection:
            insert_matches(connection, range(matches + 1, matches + 101), rng)
        last = load_last_event_id(engine)
        updating = show("update of 100 matches", seconds_of(lambda: counting.advance(last)))
    finally:
        derived.close()
    return [
        Figure("deriving results of a million games", deriving / games * 1e6, "s", DERIVING_SECONDS),
        Figure("counting a million stored games", took / games * 1e6, "s", COUNTING_SECONDS),
        Figure("memory of leaderboards per million games", grown / games * 1e6, "MiB", WANTED_MEBIBYTES),
        Figure("update of the leaderboards by 100 matches", updating, "s", UPDATING_SECONDS),
    ]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Build a database, and measure what a start with it costs."""
    matches, rng = options.matches, random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.sqlite3"
        url = f"sqlite:///{path}"
        engine = open_database(url)
        try:
            build(engine, matches, rng)
            events = matches * (1 + GAMES * (GUESSES + 1))
            print(f"{matches:,} matches, {events:,} events, {path.stat().st_size / 2**20:,.0f} MiB")
            return measure_counting(engine, url, matches, rng)
        finally:
            engine.dispose()


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
