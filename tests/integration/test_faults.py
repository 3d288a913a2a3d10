"""Nodes and their database fail in every way there is, and what players saw is what the log has, once and in order.

`make faults` draws 50 faults for 60 players; the environment variables EVILPEGS_FAULTS and EVILPEGS_PLAYERS set the
numbers, EVILPEGS_SEED what is drawn. Without them each fault happens once. The control is a server that stores what is
not its own any more.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
from collections import defaultdict
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path

import pytest

from evilpegs_clients.verification.verify import verify_match
from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.queries import closing_engine, read
from support import witnesses
from support.faulty_nodes import PROGRAM, FaultyNodes
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until
from support.witnesses import Witness

FAULTS = int(os.environ.get("EVILPEGS_FAULTS", "0"))
PLAYERS = int(os.environ.get("EVILPEGS_PLAYERS", "12"))
SEED = int(os.environ.get("EVILPEGS_SEED", "1"))
OF_NODES = ("kill", "stall", "replace", "cut_before", "cut_after", "clock", "name")
OF_PLAYERS = ("token", "ban")
KINDS = (*OF_NODES, *OF_PLAYERS, "database")
CARELESS = Path(__file__).with_name("careless_node.py")
EVENTS = """
    SELECT m.id, e.seq, e.json, p.name
    FROM events AS e JOIN matches AS m ON m.number = e.match JOIN players AS p ON p.id = m.player ORDER BY m.id, e.seq
"""


def find_defects(rows, witnesses):
    """Compare the log, rows of match, number, event and player, with what the players saw; return what is wrong."""
    log, owners = defaultdict(list), {}
    for match, _, text, player in rows:
        log[match].append(json.loads(text))
        owners[match] = player
    defects = [f"{each.name}: {complaint}" for each in witnesses for complaint in each.complaints]
    for match, events in log.items():
        events.sort(key=lambda event: event["seq"])
        if [event["seq"] for event in events] != list(range(1, len(events) + 1)):
            defects.append(f"{match}: {[event['seq'] for event in events]}")
        defects += [f"{match}: {problem}" for problem in verify_match(events)]
        if events[-1]["type"] != "match_over":
            defects.append(f"{match} of {owners[match]} has not ended: {events[-1]}")
    for each in witnesses:
        for match, seen in each.seen.items():
            if owners.get(match) != each.name:
                defects.append(f"{match} of {each.name} is under the name {owners.get(match)}")
            defects += [f"not once in the log: {event}" for event in seen.values() if log[match].count(event) != 1]
    return defects


async def fail(system, players, kinds, rng):
    """Let faults happen, some of them at the same time; each begins after the players have heard more."""
    running = {}

    async def happen(kind, subject):
        try:
            print(f"{kind} {' '.join(each.name for each in subject)}", flush=True)  # make faults shows it
            await getattr(system, kind)(*subject)
        finally:
            for each in subject:
                each.is_busy = False

    for kind in kinds:
        await heard(players, rng.randint(10, 60), running)
        if kind == "database":
            subject = ()
        elif kind in OF_PLAYERS:
            # two new tokens at once may be printed in another order than they are stored
            there = [each for each in players if each.token and not each.is_banned and not each.gets_token]
            subject = (rng.choice(there),)
        else:
            while len(free := [each for each in system.nodes.values() if not each.is_busy]) < 2:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                await heard(players, 0, running)
            subject = (rng.choice(free),)
            subject[0].is_busy = True
        running[asyncio.create_task(happen(kind, subject))] = kind
    await asyncio.gather(*running)


async def heard(players, more, running):
    """Wait until the players have heard ``more`` events; raise what a fault that is over has raised."""
    before = sum(each.heard for each in players)
    await until(lambda: sum(each.heard for each in players) >= before + more)
    for each in [each for each in running if each.done()]:
        del running[each]
        each.result()


@pytest.fixture
async def honest(server, monkeypatch):
    """The log of a match, and a player who saw it."""
    monkeypatch.setattr(witnesses, "THINK_SECONDS", 0)
    monkeypatch.setattr(witnesses, "LONG_THINK_SECONDS", 0)
    url = server.url
    player = Witness("annette", random.Random(1), lambda: [url])
    playing = asyncio.create_task(player.play())
    await heard([player], 2, {})
    player.is_leaving = True
    await playing
    with closing_engine(open_existing_database(server.database)) as engine:
        rows = read(engine, EVENTS)
    assert find_defects(rows, [player]) == []
    return rows, player


def forget(rows, player):
    del rows[3]


def forget_the_end(rows, player):
    del player.seen[rows[0][0]][rows.pop()[1]]


def repeat(rows, player):
    rows.append(rows[3])


def give_away(rows, player):
    rows[:] = [(*row[:3], "eve") for row in rows]


def see_another(rows, player):
    player.seen[rows[0][0]][3] = player.seen[rows[0][0]][3] | {"turn": 9}


def think_for_nothing(rows, player):
    retime(rows, player, thought=5.0, passed=6.0)


def lose_time(rows, player):
    retime(rows, player, thought=0.0, passed=0.5)


def retime(rows, player, thought, passed):
    """Let the first turn, which took a second, begin ``passed`` seconds ago; the player thought for ``thought``."""
    event = next(json.loads(text) for _, _, text, _ in rows if '"type":"feedback"' in text) | {"took_ms": 1000}
    place = event["match"], event["game"], event["turn"]
    player.thought[*place, event["code"]] = thought
    player.said[*place[:2], place[2] - 1] = 0.0
    player.judge_time(event, passed)


async def test_check_finds_each_defect(honest):
    for forge in (forget, forget_the_end, repeat, give_away, see_another, think_for_nothing, lose_time):
        rows, player = deepcopy(honest)
        forge(rows, player)
        assert find_defects(rows, [player]), forge.__name__


@pytest.fixture
async def system(postgres_cluster, postgres_url, on_disk):
    async with FaultyNodes(postgres_cluster, postgres_url, on_disk) as running:
        yield running


class Script:
    """A connection on which each message comes when its turn has come; ``said`` has what was sent."""

    def __init__(self, *messages):
        self.messages, self.said, self.heard_at = list(messages), [], 0.0

    async def say(self, **message):
        self.said.append(message)

    async def hear(self, *types):
        assert not types or self.messages[0]["type"] in types
        return deepcopy(self.messages.pop(0))


async def test_player_leaves_match_that_only_a_node_left_behind_has_open():
    """A node that was stopped says hello with a match which has ended on another meanwhile."""
    events = [{"type": kind, "match": "m", "seq": seq} for seq, kind in enumerate(("match_started", "match_over"), 1)]
    welcome = {"type": "welcome", "player": "witness1", "open": []}
    offered = welcome | {"open": [{"match": "m", "seq": 1}]}
    resumed = {"type": "resumed", "match": "m", "seq": 2, "state": "over", "game": 1}
    player = Witness("witness1", random.Random(1), list)
    player.is_leaving, player.match = True, "m"
    for messages in ((welcome, {**resumed, "state": "turn"}, *events), (offered, resumed), (welcome,)):
        await player.visit(Script(*messages))
    assert (player.match, player.has_left, player.heard, player.complaints) == (None, True, 2, [])


async def test_no_fault_shows_in_what_players_saw(system, on_disk):
    rng = random.Random(SEED)
    kinds = rng.choices(KINDS, k=FAULTS) if FAULTS else rng.sample(KINDS, len(KINDS))
    players = [
        Witness(f"witness{number}", random.Random(f"{SEED} {number}"), system.addresses) for number in range(PLAYERS)
    ]
    copy = on_disk / "copy.sqlite3"
    command = f"-m evilpegs database follow {copy} --database {system.url}"
    follower = await asyncio.create_subprocess_exec(sys.executable, *command.split(), stdout=asyncio.subprocess.PIPE)
    playing = [asyncio.create_task(each.play()) for each in players]
    try:
        async with asyncio.timeout(PATIENCE):
            assert b"has all" in await follower.stdout.readline()
        await fail(system, players, kinds, rng)
        for each in players:
            each.is_leaving = True
        _, staying = await asyncio.wait(playing, timeout=PATIENCE + 60)
        stuck = [each for each, task in zip(players, playing, strict=True) if task in staying]
        assert not stuck, "\n".join(f"{each.name} does not leave {each.match}: {[*each.trace]}" for each in stuck)
        await asyncio.gather(*playing)

        async def is_over():
            if not await system.read("SELECT 1 FROM owners"):
                return True
            # a match of which its player never heard began after they had left
            await asyncio.gather(*(each.play() for each in players))
            return False

        with suppress(pytest.fail.Exception):  # what has not ended is among the defects
            await until(is_over)
        rows = await system.read(EVENTS)
        await copied(follower, copy, rows)
    finally:
        for each in playing:
            each.cancel()
        if follower.returncode is None:
            follower.kill()
        await follower.wait()
    defects = find_defects(rows, players)
    logged = [line for each in system.nodes.values() for line in each.log.read_text().splitlines()]
    defects += [line for line in logged if "Traceback" in line or "exc_info" in line or "exception" in line]
    assert not defects, "\n".join(defects)
    assert sum(each.heard for each in players) > 20 * PLAYERS


async def copied(follower, copy, rows):
    """Wait until the copy, which was written all the time, has what the log has."""
    expected = sorted((match, seq, text) for match, seq, text, _ in rows)
    of_copy = "SELECT m.id, e.seq, e.json FROM events AS e JOIN matches AS m ON m.number = e.match ORDER BY 1, 2"

    def is_copied():
        assert follower.returncode is None
        with closing(sqlite3.connect(copy)) as database:
            return database.execute(of_copy).fetchall() == expected

    await until(is_copied)
    follower.send_signal(signal.SIGTERM)
    assert await follower.wait() == 0


@pytest.mark.parametrize("program", [PROGRAM, CARELESS], ids=["server", "control"])
async def test_stopped_node_that_goes_on_answers_no_guess(postgres_cluster, postgres_url, on_disk, program):
    """Its match is played elsewhere then. The log takes two events of one number here: the epoch alone must do it."""
    async with FaultyNodes(postgres_cluster, postgres_url, on_disk, program, ("one", "two")) as system:
        async with await system.connect() as connection:
            await connection.execute("ALTER TABLE events DROP CONSTRAINT pk_events")
        one, two = system.nodes["one"], system.nodes["two"]
        async with dial(one.url) as left:
            await left.hello("annette")
            match = await left.play("classic-evil")
            one.send(signal.SIGSTOP)
            await left.say(type="guess", match=match, game=1, turn=1, code="1122")
            await system.until_adopted(one)
            async with dial(two.url) as right:
                await right.hello(token=left.token)
                await right.ask("resumed", type="resume", match=match, seq=0)
                await right.hear("turn")
                right_heard = await right.guess(match, 1, 1, "1234")
                one.send(signal.SIGCONT)
                left_heard = await left.hear("feedback", "error")
                await right.ask("match_over", type="resign", match=match)
        rows = await system.read(EVENTS)
    assert right_heard["type"] == "feedback"
    is_control = program == CARELESS
    assert left_heard["type"] == ("feedback" if is_control else "error")
    assert bool(find_defects(rows, [])) == is_control
