"""Measure how fast a starting server counts the games of all stored matches, and how late its event loop is meanwhile.

    python -m bench.server.leaderboards [--matches 100000]

The database is invented: matches of 4 games of 5 guesses on the rated built-in ladders, by 300 players. While the
leaderboards are filled, a task on the same loop wakes every millisecond; its lateness is printed, and for comparison
that of the same task on an idle loop. Then the time of an update after 2,000 more guesses.
"""

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

import structlog
import uvloop

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import percentiles
from evilpegs_protocol.record import chain
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from evilpegs_server.work.interpreter import tune_gc_and_gil

PLAYERS, GAMES, GUESSES = 300, 4, 5
WANTED_SECONDS, WANTED_MEBIBYTES = 10.0, 500.0
"""Wanted of a million games."""
WANTED_LATE_MS = 20.0
"""The longest that anything may hold the event loop."""
IDLE_SECONDS, SETTLE_SECONDS = 2.0, 0.01
OPTIONS = (Option("matches", 100_000, 500),)
CURVE = curve_hashes(load_ladders().values())["classic"]
"""The hash of the curve of classic; the luck of other ladders is not known."""
FEEDBACK = (
    '{"at":1795255677661,"black":0,"code":"1122","game":1,"left_ms":61000,"match":"cb1a222aecc8fbda",'
    '"seq":13,"took_ms":%d,"turn":1,"type":"feedback","white":1}'
)
OVER = (
    '{"at":1795255677661,"client_nonce":null,"elapsed_ms":900,"game":1,"guesses":%d,"match":"cb1a222aecc8fbda",'
    '"nonce":"' + "0" * 64 + '","outcome":"solved","secret":"1122","seq":14,"type":"game_over"}'
)


def insert_events(connection, matches, rng):
    """Insert the events and the games of these matches."""
    rows, games = [], []
    for match in matches:
        kinds = [("match_started", "{}")]
        for game in range(1, GAMES + 1):
            times, guesses = [rng.randrange(1, 400) for _ in range(GUESSES)], rng.choice([4, 5, 5, 6])
            kinds += [("feedback", FEEDBACK % time) for time in times]
            kinds.append(("game_over", OVER % guesses))
            listed = ",".join(map(str, times))
            games.append((match, game, "solved", guesses, listed, rng.randrange(-1_000_000, 1_000_000), CURVE))
        hashes = chain(content for _, content in kinds)
        rows += [(match, seq, 5, *kinds[seq - 1], hashes[seq - 1]) for seq in range(1, len(kinds) + 1)]
    statement = "INSERT INTO events (match, seq, at, type, json, hash) VALUES (?, ?, ?, ?, ?, ?)"
    connection.exec_driver_sql(statement, rows)
    columns = "match, game, outcome, guesses, times_ms, luck, curve"
    connection.exec_driver_sql(f"INSERT INTO games ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", games)


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


async def note_lateness(lateness):
    """Append the lateness of each wake-up in milliseconds."""
    while True:
        expected = time.perf_counter() + 0.001
        await asyncio.sleep(0.001)
        lateness.append((time.perf_counter() - expected) * 1000)


async def with_lateness(work):
    """Await ``work``; return its result, its seconds, and the lateness meanwhile."""
    lateness, start = [], time.perf_counter()
    noting = asyncio.create_task(note_lateness(lateness))
    result = await work
    took = time.perf_counter() - start
    await asyncio.sleep(SETTLE_SECONDS)  # for the wake-up that the end of the work delayed
    noting.cancel()
    return result, took, lateness


def resident_mib():
    """Return the memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def show(name, seconds, late):
    """Print a row, and return the p99 of the lateness."""
    p50, p99, most = percentiles(late, 50, 99, 100)
    print(f"{name:32} {seconds:6.2f} s   loop late: p50 {p50:.2f} ms  p99 {p99:.2f} ms  max {most:.2f} ms", flush=True)
    return p99


async def start_and_rank(live):
    """Start to count, and return the rows of a ladder, which must wait for the count."""
    await live.start()
    return await live.rows("classic")


async def verify(live):
    """Update until all events are verified."""
    while not live.is_verified:
        await live.update()


async def measure_filling(engine, matches, events, rng):
    """Fill the leaderboards, verify all events, and update after some more matches."""
    live, games = LiveLeaderboards(engine, load_ladders(), structlog.get_logger()), matches * GAMES
    before = resident_mib()
    show("idle", *(await with_lateness(asyncio.sleep(IDLE_SECONDS)))[1:])
    rows, took, late = await with_lateness(start_and_rank(live))
    filling, grown = show(f"filling, {games / took:,.0f} games/s", took, late), resident_mib() - before
    print(f"{games:,} games; memory grew by {grown:.0f} MiB")
    show(f"verifying {events:,} events", *(await with_lateness(verify(live)))[1:])
    with engine.begin() as connection:
        insert_matches(connection, range(matches + 1, matches + 101), rng)
    updating = show("update of 100 matches", *(await with_lateness(live.update()))[1:])
    print(f"{len(rows)} rows on classic; memory grew by {resident_mib() - before:.0f} MiB")
    await live.close()
    return [
        Figure("counting a million stored games", took / games * 1e6, "s", WANTED_SECONDS),
        Figure("memory of leaderboards per million games", grown / games * 1e6, "MiB", WANTED_MEBIBYTES),
        Figure("event loop while leaderboards are filled, p99 late", filling, "ms", WANTED_LATE_MS),
        Figure("event loop while leaderboards are updated, p99 late", updating, "ms", WANTED_LATE_MS),
    ]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Build a database, and measure a start with it."""
    matches, rng = options.matches, random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.sqlite3"
        engine = open_database(f"sqlite:///{path}")
        build(engine, matches, rng)
        events = matches * (1 + GAMES * (GUESSES + 1))
        print(f"{matches:,} matches, {events:,} events, {path.stat().st_size / 2**20:,.0f} MiB")
        try:
            with tune_gc_and_gil():
                return uvloop.run(measure_filling(engine, matches, events, rng))
        finally:
            engine.dispose()


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
