"""A whole server without sockets: connections, a clock and a pool of tasks that tests control."""

import asyncio
import itertools
import json
from collections import Counter
from dataclasses import replace

import structlog

from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import ClockInfo
from evilpegs_server.gateway.admission import Admission
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.gateway.session import Session
from evilpegs_server.limits import RateLimit
from evilpegs_server.play.counts import ServerCounts
from evilpegs_server.play.eligibility import Eligibility
from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.play.presence import Presence
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.play.rounds import Rounds
from evilpegs_server.play.served_ladders import ServedLadders
from evilpegs_server.play.stall_free_clock import LONG_STALL_MS
from evilpegs_server.replies.capacity import ReplyCapacity
from evilpegs_server.replies.codemaking import Codemaking
from evilpegs_server.settings import Settings
from evilpegs_server.storage.engines.sqlite import SqliteStore
from evilpegs_server.storage.log.archive import load_open_matches, load_players
from evilpegs_server.storage.log.writer import Writer
from evilpegs_server.storage.reads import Reads
from evilpegs_server.work.pool import TaskPool, UnwantedError
from evilpegs_server.work.tasks import run_task
from support.matches import TINY
from support.patience import PATIENCE
from support.workspaces import new_workspace

WALL_MS = 1_700_000_000_000
"""The Unix time on the fake server, in milliseconds."""
PRACTICE = replace(TINY, id="tiny-practice", clock=None, games=1, rated=False)
SERVER_LADDERS = {
    ladder.id: ladder
    for ladder in (
        TINY,
        PRACTICE,
        replace(TINY, id="quick", clock=ClockInfo(base_ms=1, increment_ms=0)),
        # A random guess practically never hits one of these 34**16 codes.
        replace(TINY, id="long", rules=Rules(16, 34)),
        replace(TINY, id="evil", codemaker="evil", tie="largest/seeded"),
        replace(TINY, id="devil", codemaker="devil", tie="largest/seeded", exact_up_to=6),
        # With 7**6 codes replies are computed by the pool.
        replace(PRACTICE, id="slow", rules=Rules(6, 7), codemaker="evil", tie="largest", games=2, worst_work=1_000),
    )
}


class FakeClock:
    """A stand-in for `StallFreeClock` that only a test moves.

    Each reading of the wall clock moves it by ``wall_step_ms``, by default 0, or raises ``wall_error`` if that is set.
    """

    def __init__(self):
        self.ms, self.wall_error = 1_000.0, None
        self.wall_step_ms, self._wall_ms = 0, WALL_MS
        self.long_stalls_ms = self.short_stalls_ms = 0.0

    def now(self):
        return self.ms

    def wall_ms(self):
        if self.wall_error is not None:
            raise self.wall_error
        self._wall_ms += self.wall_step_ms
        return self._wall_ms

    def advance(self, ms):
        """Let ``ms`` milliseconds pass."""
        self.ms += ms

    def stall(self, ms):
        """Let the event loop stall for ``ms`` milliseconds, and count the stall as the real clock does."""
        if ms > LONG_STALL_MS:
            self.long_stalls_ms += ms
        else:
            self.short_stalls_ms += ms
            self.ms += ms


class FakeCodemaking(Codemaking):
    """The real codemaking, except that a test may let it fail.

    ``before_reply`` may be set to a function that is called with the `GameSecrets` before each reply, and may raise an
    error.
    """

    before_reply = None

    def compute_reply(self, ladder, secrets, history, guess):
        if self.before_reply is not None:
            self.before_reply(secrets)
        return super().compute_reply(ladder, secrets, history, guess)


class BrokenPart:
    """A stand-in for any part of the server that fails at every use."""

    def __getattr__(self, name):
        message = f"broken {name}"
        raise RuntimeError(message)


class FakePool:
    """A pool that runs its tasks at once or, while ``paused`` is True, when `run_pending` is called.

    ``submitted`` lists the player and the expected cost of every task. ``replacements`` maps a class of tasks to a task
    that is run in place of each of them. Its clock shows ``seconds``.
    """

    def __init__(self, workspace):
        self.paused, self.submitted, self.replacements, self.seconds = False, [], {}, 0.0
        self._workspace, self._tasks = workspace, []

    def submit(self, player, cost, task, done, is_wanted=lambda: True):
        self.submitted.append((player, cost))
        self._tasks.append((self.replacements.get(type(task), task), done, is_wanted))
        if not self.paused:
            self.run_pending()

    run = TaskPool.run

    def clock(self):
        return self.seconds

    def drop_unwanted(self):
        for _, done, _ in [each for each in self._tasks if not each[2]()]:
            asyncio.get_running_loop().call_soon(done, UnwantedError())
        self._tasks = [each for each in self._tasks if each[2]()]

    def run_pending(self):
        """Run every waiting task; the results are delivered in the next iteration of the event loop."""
        while self._tasks:
            task, done, is_wanted = self._tasks.pop(0)
            outcome = run_task(task, self._workspace)[0] if is_wanted() else UnwantedError()
            asyncio.get_running_loop().call_soon(done, outcome)


class FakeChannel:
    """A stand-in for a connection that keeps the texts sent to it, and the code and reason with which it was closed.

    ``before_send`` may be set to a function that is called with the texts of each write. While ``lost`` is True, texts
    are dropped. ``over_limit`` is what the channel reports about the limits of its address.
    """

    def __init__(self):
        self.sent, self.close_code, self.close_reason, self.inbox = [], None, None, asyncio.Queue()
        self.before_send, self.lost, self.over_limit = None, False, False

    def send(self, texts):
        if self.before_send is not None:
            self.before_send(texts)
        if self.lost:
            return
        self.sent += texts
        for text in texts:
            self.inbox.put_nowait(json.loads(text))

    def close(self, code, reason):
        self.close_code, self.close_reason = code, reason

    def is_over_limit(self):
        return self.over_limit

    @property
    def sent_types(self):
        """The types of all messages sent so far."""
        return [json.loads(text)["type"] for text in self.sent]


async def no_pause(_seconds):
    """Answer at once, also a wrong token."""


class FakeClient:
    """A client on a fake connection that numbers its requests, so that their answers can be counted."""

    def __init__(self, server, ticket, pause):
        self.server, self.channel = server, FakeChannel()
        per_second = server.services.settings.requests_per_second
        rate = RateLimit(per_second, 2 * per_second, server.clock.now())
        self.session = Session(server.services, self.channel, rate, None, ticket, pause)
        self.request_ids = []
        self._numbers = itertools.count(1)

    async def send_frame(self, frame):
        """Deliver the text of a frame to the server without changes."""
        await self.session.handle_frame(frame, self.server.clock.now())

    async def send(self, **message):
        """Send a request and return its id."""
        self.request_ids.append(f"q{next(self._numbers)}")
        await self.send_frame(json.dumps({"id": self.request_ids[-1]} | message))
        return self.request_ids[-1]

    async def receive(self, *types, re=None):
        """Return the next message that has one of ``types`` and answers the request ``re``, as far as these are given.

        Other messages are skipped.
        """
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self.channel.inbox.get()
                if (not types or message["type"] in types) and (re is None or message.get("re") == re):
                    return message

    async def request(self, **message):
        """Send a request and return its direct answer."""
        return await self.receive(re=await self.send(**message))

    async def error_code(self, **message):
        """Send a request that must be answered with an error, and return the code of the error."""
        answer = await self.request(**message)
        assert answer["type"] == "error"
        assert answer["message"].isprintable()
        return answer["code"]

    async def hello(self, name=None, token=None):
        """Send `hello` with a new name, with a token, or without arguments as a guest; return the answer."""
        fields = {"token": token} if token else {"name": name, "kind": "bot"} if name else {}
        return await self.request(type="hello", client={"name": "tester", "version": "1.0"}, **fields)

    async def play(self, ladder, *, ready=True):
        """Begin a match and its first game, and return the id of the match."""
        match = (await self.request(type="play", ladder=ladder))["match"]
        if ready:
            await self.request(type="ready", match=match, game=1, nonce="mine")
        return match

    async def guess(self, match, turn, code, game=1):
        """Send a guess and return its direct answer."""
        return await self.request(type="guess", match=match, game=game, turn=turn, code=code)

    def assert_each_request_was_answered_once(self):
        answers = Counter(message["re"] for message in map(json.loads, self.channel.sent) if "re" in message)
        assert answers == Counter(self.request_ids)


class FakeServer:
    """Everything of a server except its sockets, on a real database.

    ``capacity``, ``settings`` and ``options`` are passed to `Codemaking`, the gateway and `MatchRegistry`.
    """

    def __init__(self, engine, capacity=None, settings=None, **options):
        loop = asyncio.get_running_loop()
        self.engine, self.clock, self.clients = engine, FakeClock(), []
        self._log_capture = structlog.testing.LogCapture()
        log = structlog.wrap_logger(
            None,
            processors=[structlog.processors.format_exc_info, self._log_capture],
            wrapper_class=structlog.stdlib.BoundLogger,
        )
        local = new_workspace()
        self.pool = FakePool(local)
        self.codemaking = FakeCodemaking(local, self.pool, capacity=capacity or ReplyCapacity())
        self.writer = Writer(SqliteStore(engine), loop.call_soon_threadsafe)
        self.writer.start()
        self.reads = Reads()
        players, settings = load_players(engine), settings or Settings()
        open_matches, wall_ms = OpenMatches(), self.clock.wall_ms
        absent, practice = settings.guest_absent_seconds, settings.max_practice_matches
        self.presence = Presence(players, open_matches, self.clock, absent_seconds=absent, max_practice=practice)
        ladders = ServedLadders(dict(SERVER_LADDERS), self.codemaking.unavailable_reason)
        self.rounds = Rounds(open_matches, ladders, engine, wall_ms, log)
        eligibility = Eligibility(ladders, open_matches, self.presence, self.rounds, ServerCounts(), wall_ms)
        self.registry = MatchRegistry(
            eligibility, self.codemaking, self.writer, engine, self.clock, wall_ms, log, **options
        )
        self.services = SessionServices(
            registry=self.registry,
            players=players,
            writer=self.writer,
            engine=engine,
            admission=Admission(settings),
            presence=self.presence,
            settings=settings,
            wall_ms=wall_ms,
            log=log,
        )

    def restore_matches(self):
        """Resume the matches that are open in the database."""
        for stored in load_open_matches(self.engine):
            self.registry.restore(stored)
        self.services.presence.restore()

    def connect(self, ticket=None, pause=no_pause):
        """Open a connection and return its client; the connection has an address only if ``ticket`` gives it one."""
        self.clients.append(FakeClient(self, ticket or self.services.admission.open(None, 0.0), pause))
        return self.clients[-1]

    async def connect_player(self, name="ann"):
        """Open a connection, claim a new name on it, and return its client."""
        client = self.connect()
        client.token = (await client.hello(name))["token"]
        return client

    async def reconnect(self, client):
        """Open another connection for the player of ``client``, and return its client."""
        again = self.connect()
        await again.hello(token=client.token)
        return again

    def close(self):
        """Stop the clocks of all matches, write what was submitted, and end the threads."""
        for runner in self.registry.open.runners:
            runner.drain()
        self.writer.close()
        self.reads.close()
        self.registry.close()

    def assert_each_refusal_was_counted(self):
        """Assert that the server counted as many refusals per error code as it sent errors to all clients."""
        sent = [json.loads(text) for client in self.clients for text in client.channel.sent]
        errors = Counter(message["code"] for message in sent if message["type"] == "error")
        assert self.registry.counts.refusals == errors

    def take_log(self):
        """Return the log entries since the last call, and forget them."""
        entries, self._log_capture.entries = self._log_capture.entries, []
        return entries
