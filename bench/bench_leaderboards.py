"""The time in which a starting server counts the games of all stored matches, and how the event loop fares meanwhile.

    python bench/bench_leaderboards.py [--matches 100000]

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

from evilpegs_protocol.canonical import chain
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.rating.leaderboards import LiveLeaderboards
from evilpegs_server.rating.value_curves import curve_hashes
from evilpegs_server.storage.database import open_database
from evilpegs_server.work.interpreter import tune_gc_and_gil

PLAYERS, GAMES, GUESSES = 300, 4, 5
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
    """Await ``work``; return its result and the lateness meanwhile."""
    lateness = []
    noting = asyncio.create_task(note_lateness(lateness))
    result = await work
    noting.cancel()
    return result, sorted(lateness)


def resident_mib():
    """Return the memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def show(name, seconds, late):
    print(
        f"{name:32} {seconds:6.2f} s   loop late: p50 {late[len(late) // 2]:.2f} ms"
        f"  p99 {late[int(len(late) * 0.99)]:.2f} ms  max {late[-1]:.2f} ms"
    )


async def measure(engine, matches, events, rng):
    live = LiveLeaderboards(engine, load_ladders(), structlog.get_logger())
    before = resident_mib()
    _, late = await with_lateness(asyncio.sleep(2))
    show("idle", 2, late)
    start = time.perf_counter()
    await live.start()
    rows, late = await with_lateness(live.rows("classic"))
    took = time.perf_counter() - start
    show(f"filling, {matches * GAMES / took:,.0f} games/s", took, late)
    print(
        f"{matches * GAMES:,} games; memory grew by {resident_mib() - before:.0f} MiB (wanted: 10^6 in 10 s, 500 MiB)"
    )
    start = time.perf_counter()
    while not live.is_verified:
        await live.update()
    show(f"verifying {events:,} events", time.perf_counter() - start, late)
    with engine.begin() as connection:
        insert_matches(connection, range(matches + 1, matches + 101), rng)
    start = time.perf_counter()
    _, late = await with_lateness(live.update())
    show("update of 100 matches", time.perf_counter() - start, late)
    print(f"{len(rows)} rows on classic; memory grew by {resident_mib() - before:.0f} MiB")
    await live.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=100_000)
    options = parser.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.sqlite3"
        engine = open_database(f"sqlite:///{path}")
        build(engine, options.matches, rng)
        events = options.matches * (1 + GAMES * (GUESSES + 1))
        print(f"{options.matches:,} matches, {events:,} events, {path.stat().st_size / 2**20:,.0f} MiB")
        with tune_gc_and_gil():
            uvloop.run(measure(engine, options.matches, events, rng))
        engine.dispose()


if __name__ == "__main__":
    main()
