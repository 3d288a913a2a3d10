"""Account for the processor time of a server: what a guess, an event that is shown and a request cost, and whom.

    python -m bench.server.costs [--rate 1000] [--streams 500] [--requests 200] [--seconds 8]

Bots guess in open loop, on a fresh server each time: read by nobody, followed by streams, asked for a leaderboard,
with a feed, and all of it at once. The seconds of each process are read from /proc. What one more thing costs is the
difference to the server that nobody reads, over the number of these things. The same is done by a plain loop of the
same library in the same run, because processors differ: bytes written to sockets of uvloop, a body that uvicorn sends
as it is, a message that paho publishes, an event that SQLite reads and adds up.

What machines carry is computed from the account of all of it, in the same proportions: each event loop has one
processor, and `FULL` of each is used. With --apart the game has the first processor for itself, the show the next, and
everybody else the last, like machines beside one another; where there are two, the others are beside the show.
"""

import argparse
import asyncio
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from statistics import median
from urllib.parse import urlsplit

import paho.mqtt.client as paho
import uvloop
from paho.mqtt.enums import CallbackAPIVersion

from bench.command import MissingProgramError, Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import (
    FEEDBACK,
    Usage,
    bind,
    broker,
    child,
    children,
    evilpegs,
    idle_seconds,
    is_show,
    loop_and_threads,
    niced,
)
from bench.server.readers import WARM_UP_SECONDS, request_of, start_readers

PATH = "/api/v1/ladders/classic/leaderboard"
NOBODY, ONE, FEED, ALL = "nobody reads", "one stream", "feed", "all of it"
ASKED, REQUESTS = "one request", "requests"
"""Requests per second; a leaderboard that changes is made again for the first of them."""
LONG, STREAMS = "long, one", "long, all"
"""The streams of matches that do not end, because to open one takes as much time as some hundred events."""
LONG_LADDER = "[ladders.long]\nrules = '4x6'\ncodemaker = 'fixed'\nguess_limit = 10\ngames = 100\n"
BUSY_SHARE = 0.05
"""With less of the processors idle, the machine is the limit of what is measured besides."""
PLAIN = 20_000
OPTIONS = (
    Option("connections", 100, 5, "bots"),
    Option("rate", 1000.0, 100.0, "guesses per second of all bots"),
    Option("streams", 500, 10, "streams of matches"),
    Option("requests", 200, 20, "requests per second for a leaderboard"),
    Option("seconds", 8.0, 1.5, "seconds of a round"),
    Option("rounds", 2, 1, "rounds of each kind"),
    Option("apart", False, help="give the game, the show and all others processors of their own"),
)
FULL = 0.7
"""Of a processor: with more, what arrives waits for what is done."""
MACHINES = (2, 4, 16)
"""Their processors."""
LOOPS = ("game: loop", "show: loop")
BARE_SITE = """
import asyncio, socket, uvicorn, uvloop
body = b"x" * 3000
head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3000")]}
async def app(scope, receive, send):
    await send(head)
    await send({"type": "http.response.body", "body": body})
listener = socket.create_server(("127.0.0.1", 0))
print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
config = uvicorn.Config(app, http="h11", interface="asgi3", ws="none", lifespan="off", log_config=None)
uvloop.run(uvicorn.Server(config).serve([listener]))
"""


class Account:
    """What the processes of a server used in rounds of one kind, in seconds by process, and what was done meanwhile."""

    def __init__(self):
        self.seconds = 0.0
        self.used, self.done = Counter(), Counter()
        self.idle, self.asked = [], []

    def add(self, seconds, used, done, idle):
        self.seconds += seconds
        self.used.update(used)
        self.done.update(done)
        self.idle.append(idle)

    def show(self):
        """The processor seconds of the show process, without those of its worker."""
        return self.used["show: loop"] + self.used["show: threads"]

    def row(self, kind):
        """Return the line of the table: thousandths of one processor."""
        shares = "".join(f"{1000 * self.used[name] / self.seconds:>10.0f}" for name in Usage.names)
        return f"{kind:<14}{shares}{100 * min(self.idle):>9.0f} %"


async def play(server, options, ladder):
    """Play, and return the seconds, what was used in them, how many guesses, and the idle share of the machine."""
    load = Load(server.url, options.connections, options.connections / options.rate, ladder=ladder)
    playing = asyncio.create_task(run(load, options.seconds))
    await load.until(lambda: load.counting)
    before, began, idle = Usage.of(server.pid), time.perf_counter(), idle_seconds()
    own = time.process_time()
    await load.until(lambda: not load.counting)
    seconds = time.perf_counter() - began
    used = Usage.of(server.pid) - before
    used["bots"] = time.process_time() - own
    share = (idle_seconds() - idle) / seconds / os.cpu_count()
    answered = load.answered
    await playing
    return seconds, used, answered, share


def one_round(kind, options, account):
    """Play one round on a fresh server that is read in this way."""
    with ExitStack() as stack:
        mqtt = []
        if kind in {FEED, ALL}:
            port = stack.enter_context(broker())
            mqtt = ["--mqtt", f"mqtt://127.0.0.1:{port}"]
            received = stack.enter_context(tempfile.TemporaryFile())
            topic = ["-t", "evilpegs/v1/+/match/+/event", "-F", "%t"]
            command = ["mosquitto_sub", "-p", str(port), "-V", "5", *topic]
            stack.enter_context(niced(command, stdout=received))
        config = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".toml"))
        config.write(LONG_LADDER)
        config.flush()
        server = stack.enter_context(evilpegs(*mqtt, "--config", config.name, site=True))
        site = server.site()
        if options.apart:
            put_apart(server.pid, stack)
        output = stack.enter_context(tempfile.TemporaryFile())
        streams = {ONE: 1, LONG: 1, STREAMS: options.streams, ALL: options.streams}.get(kind, 0)
        requests = {ASKED: 1, REQUESTS: options.requests, ALL: options.requests}.get(kind, 0)
        seconds = options.seconds + WARM_UP_SECONDS
        readers = start_readers(site, seconds, streams, PATH, output, requests) if streams or requests else None
        try:
            done_in, used, guesses, idle = uvloop.run(
                play(server, options, "long" if kind in {LONG, STREAMS} else "classic")
            )
        finally:
            if readers is not None:
                readers.wait()
        if kind == NOBODY:
            account.asked.append(ask(site, next(filter(is_show, children(server.pid)))))
        output.seek(0)
        noticed = json.load(output) if readers is not None else {"requests": [], "events": 0}
        per_second = done_in / options.seconds
        done = {
            "guesses": guesses,
            "requests": len(noticed["requests"]) * per_second,
            STREAMED: noticed["events"] * per_second,
        }
        account.add(done_in, used, done, idle)


def put_apart(pid, stack):
    """Bind the processes of a server, and this one with its children, to processors of their own."""
    own = os.sched_getaffinity(0)
    first, second, *_ = cores = sorted(own)
    bind(pid, first)
    for process in children(pid):
        bind(process, second if is_show(process) else first)
    os.sched_setaffinity(0, {cores[-1]})
    stack.callback(os.sched_setaffinity, 0, own)


def plain_writes():
    """Return the microseconds to write an event to the socket of one more client."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        drain = [sys.executable, "-c", DRAIN, str(listener.getsockname()[1])]
        with subprocess.Popen(drain, stdout=subprocess.DEVNULL) as reading:
            seconds = uvloop.run(write_to([listener.accept()[0] for _ in range(CLIENTS)]))
            reading.terminate()
    return 1e6 * seconds / PLAIN


async def write_to(clients):
    """Return the seconds for `PLAIN` writes to sockets, in turn."""
    text = f"id: 0123456789abcdef-12\ndata: {FEEDBACK}\n\n".encode()
    chunk = b"%x\r\n%b\r\n" % (len(text), text)
    loop = asyncio.get_running_loop()
    transports = [(await loop.create_connection(asyncio.Protocol, sock=each))[0] for each in clients]
    began = time.process_time()
    for _ in range(PLAIN // len(transports)):
        for transport in transports:
            transport.write(chunk)
        await asyncio.sleep(0)
    used = time.process_time() - began
    for transport in transports:
        transport.close()
    await asyncio.sleep(0.1)
    return used


CLIENTS = 50
DRAIN = f"""
import selectors, socket, sys
chosen = selectors.DefaultSelector()
for _ in range({CLIENTS}):
    chosen.register(socket.create_connection(("127.0.0.1", int(sys.argv[1]))), selectors.EVENT_READ)
while chosen.get_map():
    for key, _ in chosen.select():
        if not key.fileobj.recv(1 << 16):
            chosen.unregister(key.fileobj)
"""


def plain_requests(per_second=None):
    """Return the microseconds of uvicorn to answer a request, one after the other or with pauses."""
    with child([sys.executable, "-c", BARE_SITE]) as server:
        return ask(server.url, server.pid, per_second)


def ask(site, pid, per_second=None):
    """Return the microseconds of a process for a request, one after the other or with pauses."""
    address = urlsplit(site)
    count = PLAIN // 10 if per_second is None else 2 * per_second
    with socket.create_connection((address.hostname, address.port)) as asking, asking.makefile("rb") as answers:
        for number in range(-100, count):
            if number == 0:
                before = sum(loop_and_threads(pid))
            if per_second is not None:
                time.sleep(1 / per_second)
            asking.sendall(request_of(PATH))
            while (line := answers.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split()[1])
            answers.read(size)
        used = sum(loop_and_threads(pid)) - before
    return 1e6 * used / count


def plain_messages():
    """Return the microseconds of paho to publish a message."""
    with broker() as port:
        client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        client.connect("127.0.0.1", port)
        while not client.is_connected():
            client.loop()
        began = time.process_time()
        for number in range(PLAIN // 4):
            client.publish(f"evilpegs/v1/0123456789abcdef/match/{number:016x}/event", FEEDBACK.encode())
        used = time.process_time() - began
        client.disconnect()
    return 1e6 * used / (PLAIN // 4)


def plain_events():
    """Return the microseconds to read an event from SQLite, and to add its fields up."""
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, match INTEGER, json TEXT)")
        rows = [(number, number // 20, FEEDBACK) for number in range(PLAIN)]
        database.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)
        total, began = Counter(), time.process_time()
        for first in range(0, PLAIN, 10):
            batch = "SELECT match, json FROM events WHERE id >= ? AND id < ?"
            for match, text in database.execute(batch, (first, first + 10)).fetchall():
                total[match] += json.loads(text)["took_ms"]
        return 1e6 * (time.process_time() - began) / PLAIN


def measure(options: argparse.Namespace) -> list[Figure]:
    """Play rounds of each kind in turn, print the account, and return what each thing costs."""
    if not (shutil.which("mosquitto") and shutil.which("mosquitto_sub")):
        raise MissingProgramError("this needs mosquitto; on Debian: apt install mosquitto mosquitto-clients")
    accounts = {kind: Account() for kind in (NOBODY, ONE, LONG, STREAMS, ASKED, REQUESTS, FEED, ALL)}
    for _ in range(options.rounds):
        for kind, account in accounts.items():
            one_round(kind, options, account)
    print("thousandths of one processor, and the idle share of all of them")
    print(f"{'':<14}{''.join(f'{name:>10}' for name in Usage.short)}{'idle':>11}")
    for kind, account in accounts.items():
        print(account.row(kind))
    if (least := min(min(account.idle) for account in accounts.values())) < BUSY_SHARE:
        print(f"the machine was the limit: only {least:.0%} of its processors was idle")
    for processors in MACHINES:
        print(f"{processors} processors carry {carried(accounts[ALL], options, processors)}")
    return costs(accounts, options.requests)


def carried(account, options, processors):
    """Return what a machine carries, as text."""
    shares = {name: used / account.seconds for name, used in account.used.items() if name != "bots"}
    factor = min(FULL * processors / sum(shares.values()), *(FULL / shares[loop] for loop in LOOPS))
    guesses, requests = (factor * account.done[each] / account.seconds for each in ("guesses", "requests"))
    streams = factor * options.streams
    return f"{guesses:,.0f} guesses and {requests:,.0f} requests per second, and {streams:,.0f} streams"


def costs(accounts, requests_per_second):
    """Return the figures, each with what a plain loop needs."""
    for account in accounts.values():
        account.done["events"] = account.done["guesses"] * EVENTS_PER_GUESS

    def more(kind, than, of):
        """Return the microseconds of the show process for one more of these things."""
        account, least = accounts[kind], accounts[than]
        extra = account.show() - least.show() * account.seconds / least.seconds
        things = account.done[of] - least.done[of] * account.seconds / least.seconds * (of != "events")
        return 1e6 * extra / things if things else float("nan")

    plain = {
        "an event": plain_events(),
        "an event on a stream": plain_writes(),
        "a request": plain_requests(),
        "a request with pauses": plain_requests(requests_per_second),
        "a message": plain_messages(),
    }
    nobody, one = accounts[NOBODY], accounts[ONE]
    for of in ("game: loop", "game: threads"):
        print(f"a guess takes {1e6 * nobody.used[of] / nobody.done['guesses']:.0f} us, {of}")
    print(f"a request with pauses takes {more(REQUESTS, ASKED, 'requests'):.0f} us of the show")
    for name, value in plain.items():
        print(f"{name} takes {value:.1f} us of a plain loop")
    return [
        Figure("show: an event followed, derived and counted", 1e6 * one.show() / one.done["events"], "us", 60.0),
        Figure("show: an event on one more stream", more(STREAMS, LONG, STREAMED), "us", 15.0),
        Figure("show: a request for an unchanged leaderboard", median(nobody.asked), "us", 150.0),
        Figure("show: a message to the broker", more(FEED, NOBODY, "events"), "us", 60.0),
    ]


STREAMED = "events of streams"
EVENTS_PER_GUESS = 1.2
"""Of a game of five guesses: its start and its end are events too."""

if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
