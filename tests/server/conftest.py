"""A small ladder, matches on a fake clock played by hand or at random, and a house with fake connections."""

import asyncio
import copy
import itertools
import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
import structlog
from hypothesis import strategies as st
from sqlalchemy import event

from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.fields import Program
from evilpegs_server.clock import TimeControl
from evilpegs_server.codemaking import Codemaking
from evilpegs_server.events import Fact, TurnOpened
from evilpegs_server.ladders import Ladder
from evilpegs_server.lobby import Lobby
from evilpegs_server.match import Match, RefusedError, State
from evilpegs_server.reception import House
from evilpegs_server.session import Session
from evilpegs_server.storage.archive import load_open_matches, load_players
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.writer import Writer
from evilpegs_server.tasks import carry_out
from evilpegs_server.transcript import Identity
from support.reckoners import reckoner

TINY = Ladder(
    id="tiny",
    rules=Rules(2, 3),
    codemaker="fixed",
    tie=None,
    clock=TimeControl(10_000, 1_000),
    guess_limit=4,
    games=2,
    rated=True,
)
"""Codes of 2x3 are 11 to 33; 14 is none."""
SOLVED, MISSED = Feedback(2, 0), Feedback(0, 1)
TRANSIENT = {"_wake_at", "_pending", "_took_ms", "_strikes"}
"""What a match does not keep over a restart."""


class Play:
    """A match on a fake clock; its player is told of each turn as soon as it opens."""

    def __init__(self, ladder):
        self.match, self.now, self.facts, self.steps = Match(ladder), 0.0, [], []
        self._take(self.match.start(self.now))

    def do(self, command, *args):
        """Call a method of the match at this moment; what happened."""
        return self._take(getattr(self.match, command)(*args, self.now))

    def wait(self, ms):
        self.now += ms
        return self

    def begin(self, nonce=None):
        return self.do("ready", self.match.game, nonce)

    def guess(self, text):
        return self.do("guess", *self.match.place, text)

    def answer(self, text, given=MISSED):
        self.guess(text)
        return self.do("reply", given)

    def snapshot(self):
        return snapshot(self.match)

    def _take(self, events):
        self.facts += [event for event in events if isinstance(event, Fact)]
        if any(isinstance(event, TurnOpened) for event in events):
            self.match.turn_sent(self.now)
        self.steps.append((len(self.facts), durable(self.match)))
        return events


def snapshot(match):
    """Everything a match knows."""
    return copy.deepcopy(vars(match) | {"clock": vars(match.clock)})


def durable(match):
    """What a match knows that a restart must bring back. A guess without its reply was never made."""
    known = {name: value for name, value in snapshot(match).items() if name not in TRANSIENT}
    known["clock"].pop("_started")
    return known | {"state": State.TURN if match.state is State.THINKING else match.state}


LADDERS = st.builds(
    lambda clock, limit, games: replace(TINY, clock=clock, guess_limit=limit, games=games, rated=clock is not None),
    st.sampled_from([None, TimeControl(5_000, 0), TimeControl(10_000, 1_000)]),
    st.integers(1, 4),
    st.integers(1, 3),
)
MOVES = st.sampled_from(
    ["ready", "miss", "miss", "miss", "solve", "think", "illegal", "repeat", "future", "fail", "resign", "resign all"]
    + ["timeout"] * 2
)


def step(play, move, text):
    """One move of anyone at a match that may refuse it. A command waits while the codemaker thinks."""
    match = play.match
    if match.state is State.THINKING:
        return play.do("fail") if move == "fail" else play.do("reply", SOLVED if move == "solve" else MISSED)
    match move:
        case "ready":
            return play.begin(text)
        case "miss" | "solve":
            return play.answer(text, SOLVED if move == "solve" else MISSED)
        case "think":
            return play.guess(text)
        case "illegal":
            return play.guess("14")
        case "repeat":
            return play.do("guess", 1, 1, text)
        case "future":
            return play.do("guess", play.match.game, play.match.turn + 1, text)
        case "resign" | "resign all":
            return play.do("resign", play.match.game if move == "resign" else None)
        case "timeout":
            play.now = max(play.now, match.deadline() or 0)
            return play.wait(1).do("handle_timeout")


@st.composite
def random_plays(draw):
    """Matches played by someone who does anything at any time."""
    play = Play(draw(LADDERS))
    moves = st.tuples(MOVES, st.sampled_from(["11", "12", "33"]), st.integers(0, 4_000))
    for move, text, ms in draw(st.lists(moves, max_size=30)):
        play.wait(ms)
        try:
            step(play, move, text)
        except (RefusedError, RuntimeError):
            assert play.match.state is not State.THINKING
    return play


PATIENCE = 10
"""Seconds after which a message that does not come is a failure."""
PRACTICE = replace(TINY, id="tiny-practice", clock=None, games=1, rated=False)
HOUSE_LADDERS = {
    ladder.id: ladder
    for ladder in (
        TINY,
        PRACTICE,
        replace(TINY, id="quick", clock=TimeControl(1, 0)),
        # So many codes that no guess hits the secret.
        replace(TINY, id="long", rules=Rules(16, 34)),
        replace(TINY, id="evil", codemaker="evil", tie="largest/seeded"),
        replace(TINY, id="devil", codemaker="devil", tie="largest/seeded", exact_up_to=6),
        # So many codes that replies come from the pool.
        replace(PRACTICE, id="slow", rules=Rules(6, 7), codemaker="evil", tie="largest", games=2, worst_work=1_000),
    )
}


class FairTime:
    """Fair time as a test sets it."""

    def __init__(self):
        self.ms, self.stalled_ms = 1_000.0, 0.0

    def now(self):
        return self.ms


class Pool:
    """Does its work at once, or when it is let go."""

    def __init__(self, reckoner):
        self.held, self.asked, self._reckoner, self._tasks = False, [], reckoner, []

    def submit(self, player, cost, task, done):
        self.asked.append((player, cost))
        self._tasks.append((task, done))
        if not self.held:
            self.let_go()

    def let_go(self):
        while self._tasks:
            task, done = self._tasks.pop(0)
            asyncio.get_running_loop().call_soon(done, carry_out(task, self._reckoner)[0])


class Link:
    """The far end of a connection: every text that was sent, and how it was closed."""

    def __init__(self):
        self.sent, self.closed, self.news = [], None, asyncio.Queue()

    def send(self, texts):
        self.sent += texts
        for text in texts:
            self.news.put_nowait(json.loads(text))

    def close(self, code, reason):
        self.closed = code


class Caller:
    """A client on a fake connection. Each question is counted, and so is each answer."""

    def __init__(self, building):
        self.building, self.link = building, Link()
        self.session = Session(building.house, self.link, building.fair_time.now())
        self._ids, self.asked = itertools.count(1), []

    async def take(self, frame):
        await self.session.take(frame, self.building.fair_time.now())

    async def say(self, **message):
        """Send a message; the id of its answer."""
        self.asked.append(f"q{next(self._ids)}")
        await self.take(json.dumps({"id": self.asked[-1]} | message))
        return self.asked[-1]

    async def hear(self, *types, re=None):
        """The next message, of these types or as this answer if given."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self.link.news.get()
                if (not types or message["type"] in types) and (re is None or message.get("re") == re):
                    return message

    async def ask(self, **message):
        return await self.hear(re=await self.say(**message))

    async def refusal(self, **message):
        """The code of the error that answers."""
        answer = await self.ask(**message)
        assert answer["type"] == "error"
        assert answer["message"].isprintable()
        return answer["code"]

    async def hello(self, name=None, token=None):
        fields = {"token": token} if token else {"name": name, "kind": "bot"} if name else {}
        return await self.ask(type="hello", client={"name": "tester", "version": "1.0"}, **fields)

    async def play(self, ladder, *, ready=True):
        """Begin a match and its first game; the match's id."""
        match = (await self.ask(type="play", ladder=ladder))["match"]
        if ready:
            await self.ask(type="ready", match=match, game=1, nonce="mine")
        return match

    async def guess(self, match, turn, code, game=1):
        return await self.ask(type="guess", match=match, game=game, turn=turn, code=code)

    def assert_each_was_answered_once(self):
        answers = Counter(message["re"] for message in map(json.loads, self.link.sent) if "re" in message)
        assert answers == Counter(self.asked)


class Building:
    """A house on a database: everything of a server but its sockets."""

    def __init__(self, engine):
        loop = asyncio.get_running_loop()
        self.reckoner = reckoner()
        self.engine, self.fair_time, self.logs = engine, FairTime(), structlog.testing.LogCapture()
        self.pool = Pool(self.reckoner)
        self.log = structlog.wrap_logger(
            None,
            processors=[structlog.processors.format_exc_info, self.logs],
            wrapper_class=structlog.stdlib.BoundLogger,
        )
        self.writer = Writer(engine, loop.call_soon_threadsafe)
        self.writer.start()
        self.codemaking = Codemaking(self.reckoner, self.pool)
        self.lobby = Lobby(
            HOUSE_LADDERS, self.codemaking, self.writer, engine, self.fair_time, lambda: 1_700_000_000_000, self.log
        )
        self.house = House(
            lobby=self.lobby,
            players=load_players(engine),
            writer=self.writer,
            registration="open",
            requests_per_second=100,
            program=Program(name="evilpegs", version="0"),
            wall_ms=lambda: 1_700_000_000_000,
            log=self.log,
        )
        self.callers = []

    def restore(self):
        for stored in load_open_matches(self.engine):
            self.lobby.restore(stored)

    def call(self):
        """A new connection."""
        self.callers.append(Caller(self))
        return self.callers[-1]

    async def player(self, name="ann"):
        """A new connection that has said hello with a new name."""
        caller = self.call()
        caller.token = (await caller.hello(name))["token"]
        return caller

    def close(self):
        for runner in list(self.lobby._open.values()):
            runner.drain()
        self.writer.close()

    @property
    def logged(self):
        """What was logged; whoever looks expects it."""
        entries, self.logs.entries = self.logs.entries, []
        return entries


@pytest.fixture
async def open_building():
    """Open a building on a database; in the end nothing was logged that the test did not look for."""
    buildings = []

    def open_it(engine):
        buildings.append(Building(engine))
        return buildings[-1]

    yield open_it
    for building in buildings:
        building.close()
        for caller in building.callers:
            caller.assert_each_was_answered_once()
        assert building.logged == []


@pytest.fixture
async def building(open_building, engine):
    """A house on a new database."""
    return open_building(engine)


@pytest.fixture(scope="session")
def tiny():
    """A rated ladder: two games of 2x3 on a clock of 10+1, four guesses each."""
    return TINY


@pytest.fixture(scope="session")
def new_play():
    """Begin a match on a fake clock on this ladder, two games of `tiny` if none is given."""
    return lambda ladder=TINY, **changes: Play(replace(ladder, **changes))


@pytest.fixture(scope="session")
def ladders():
    """A strategy of small ladders, timed and untimed, of one to three games."""
    return LADDERS


@pytest.fixture(scope="session")
def plays():
    """A strategy of matches played at random, from just begun to over."""
    return random_plays()


@pytest.fixture(scope="session")
def snapshot_of():
    """Everything a match knows, to compare."""
    return snapshot


@pytest.fixture(scope="session")
def durable_of():
    """What a match knows that a restart must bring back."""
    return durable


@pytest.fixture(scope="session")
def client():
    return Program(name="tester", version="1.0")


@pytest.fixture(scope="session")
def identity(tiny):
    """A match on `tiny` with a known seed."""
    return Identity("00112233445566aa", tiny, bytes(range(32)))


@pytest.fixture
def database(tmp_path):
    """The URL of a database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}"


@pytest.fixture
def engine(database):
    """A new database, open."""
    engine = open_database(database)
    yield engine
    engine.dispose()


@pytest.fixture
def broken_disk(engine):
    """While it is on nothing can be committed."""
    disk = SimpleNamespace(on=False, error=OSError("the disk is full"))

    def fail(_connection):
        if disk.on:
            raise disk.error

    event.listen(engine, "commit", fail)
    return disk
