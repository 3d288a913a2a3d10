"""Servers for tests of clients: a listener for scripted conversations, and a tiny honest server that plays."""

import hashlib
import json
from collections import Counter
from contextlib import asynccontextmanager
from io import StringIO
from itertools import count
from random import Random

import pytest
from rich.console import Console
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.connection.tokens import TokenFile
from evilpegs_clients.play.app import run_terminal
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.commitment import commitment, secret_index, tie_index
from evilpegs_protocol.record import GENESIS
from support.leftovers import no_thread_left
from support.patience import PATIENCE
from support.person import StoppedClock, Typed

TOKEN = "ab" * 32
CLIENT = ClientInfo(name="test", version="1")


class HonestMatch:
    """A match and its record, by a plain and slow codemaker written from the protocol page."""

    def __init__(
        self,
        rules="3x4",
        codemaker="fixed",
        tie=None,
        clock=None,
        games=1,
        guess_limit=8,
        practice=False,
        match="00112233445566aa",
        player="ann",
        tie_nonces=None,
    ):
        self.rules = Rules.parse(rules)
        self.match, self.codemaker, self.tie, self.clock = match, codemaker, tie, clock
        self.games, self.guess_limit, self.practice = games, guess_limit, practice
        self.tie_nonces = tie_nonces
        self.codes = [code_at(index, self.rules) for index in range(self.rules.size)]
        self.events, self.ends, self.game = [], [], 0
        self._add(
            "match_started",
            player=player,
            client={"name": "test", "version": "1"},
            ladder="tiny-practice" if practice else "tiny",
            rules=rules,
            pegs=self.rules.pegs,
            colors=self.rules.colors,
            symbols=format_code(range(self.rules.colors)),
            repeats=self.rules.repeats,
            guess_limit=guess_limit,
            codemaker=codemaker,
            tie=tie,
            clock=clock,
            games=games,
            rated=not practice,
            **({} if tie_nonces is None else {"tie_nonces": tie_nonces}),
        )
        self._open()

    def _add(self, kind, **fields):
        event = {"type": kind, "match": self.match, "seq": len(self.events) + 1, "at": 1000 + len(self.events)}
        self.events.append(event | fields)

    def nonce(self):
        return hashlib.sha256(f"nonce {self.match} {self.game}".encode()).hexdigest()

    def _open(self):
        self.game += 1
        self.turn, self.state, self.client_nonce, self.elapsed = 0, "ready", None, 0
        self.live, self.left = self.codes, self.clock and self.clock["base_ms"]
        sealed = commitment(self.match, self.game, str(self.rules), self.nonce())
        self._add("game_started", game=self.game, commitment=sealed, ready_by_ms=60_000)

    def ready(self, nonce=None):
        self.state, self.turn, self.client_nonce = "turn", 1, nonce
        index = secret_index(self.nonce(), nonce, self.match, self.game, self.rules.size)
        self.secret = self.codes[index]

    def guess(self, text, took_ms=40):
        code = parse_code(text, self.rules)
        counts = Counter(feedback(code, other) for other in self.live)
        given = feedback(code, self.secret) if self.codemaker == "fixed" else self._evil(counts)
        self.live = [other for other in self.live if feedback(code, other) == given]
        self.elapsed += took_ms
        if self.clock:
            self.left = max(0, self.left - took_ms) + self.clock["increment_ms"]
        fields = {"game": self.game, "turn": self.turn, "code": format_code(code), "took_ms": took_ms}
        if self.practice:
            fields["candidates"] = len(self.live)
            fields["parts"] = [[b, w, counts[b, w]] for b, w in sorted(counts)]
        self._add("feedback", black=given.black, white=given.white, left_ms=self.left, **fields)
        self.turn += 1
        if given == (self.rules.pegs, 0):
            self.end("solved")
        elif self.turn > self.guess_limit:
            self.end("unsolved")
        return given

    def _evil(self, counts):
        ending = Feedback(self.rules.pegs, 0)
        counts = {given: size for given, size in counts.items() if given != ending} or counts
        tied = sorted(given for given, size in counts.items() if size == max(counts.values()))
        return tied[self.tie_index(len(tied)) if self.tie == "largest/seeded" else 0]

    def tie_index(self, tied):
        share = None if self.tie_nonces is None else self.client_nonce or ""
        return tie_index(self.nonce(), self.match, self.game, self.turn, tied, share)

    def end(self, outcome):
        self._end_game(outcome)
        if self.game < self.games:
            self._open()
        else:
            self._finish()

    def give_up(self):
        """Resign every game left; games that were not opened have no nonce."""
        self._end_game("resigned")
        for game in range(self.game + 1, self.games + 1):
            nothing = {"guesses": 0, "elapsed_ms": 0, "secret": None, "nonce": None}
            self._add("game_over", game=game, outcome="resigned", **nothing)
            self.ends.append(("resigned", 0, 0))
        self._finish()

    def _end_game(self, outcome):
        if outcome == "flagged" and self.clock:
            self.elapsed += self.left + 1
        guesses = max(0, self.turn - 1)
        secret = None
        if self.turn:
            secret = format_code(self.secret if self.codemaker == "fixed" else self.live[0])
        fields = {"client_nonce": self.client_nonce} if self.client_nonce else {}
        fields |= {"guesses": guesses, "elapsed_ms": self.elapsed, "secret": secret, "nonce": self.nonce()}
        self._add("game_over", game=self.game, outcome=outcome, **fields)
        self.ends.append((outcome, guesses, self.elapsed))

    def _finish(self):
        self.state = "over"
        outcomes, guesses, elapsed = zip(*self.ends, strict=True)
        summary = {"outcomes": list(outcomes), "guesses": list(guesses), "elapsed_ms": sum(elapsed)}
        self._add("match_over", head=self.head(), **summary)

    def head(self):
        head = GENESIS
        for event in self.events:
            head = hashlib.sha256((head + canonical(event)).encode()).hexdigest()
        return head

    def summary(self):
        """Return what `welcome` says of an open match."""
        client = self.events[0]["client"]
        return {"match": self.match, "seq": len(self.events), "ladder": self.events[0]["ladder"], "client": client}

    def offer(self):
        """Return what `welcome` says of the ladder."""
        names = ("rules", "codemaker", "tie", "clock", "guess_limit", "games", "rated")
        return {"id": self.events[0]["ladder"]} | {name: self.events[0][name] for name in names}

    def open_turn(self):
        if self.state != "turn":
            return []
        where = {"match": self.match, "game": self.game, "turn": self.turn, "left_ms": self.left}
        return [{"type": "turn", **where}]


def error(code, message="no", **fields):
    return {"type": "error", "code": code, "message": message, "fatal": False, **fields}


class TinyServer:
    """A server that plays any number of matches of one kind, honestly by default.

    ``fault(request)`` may return "lose" (cut the connection before the request is read), "swallow" (cut it after
    the request is obeyed, before the answer), or messages to answer instead. ``cheat(event)`` may change a message
    before it is sent.
    """

    def __init__(self, match_type=HonestMatch, **kind):
        self.match_type, self.kind = match_type, kind
        self.matches, self.requests, self.known = {}, [], {}
        self.connections, self.client = 0, None
        self.fault = lambda request: None
        self.cheat = lambda event: event
        self.sockets = []

    async def converse(self, socket):
        self.connections += 1
        self.sockets.append(socket)
        try:
            async for text in socket:
                request = json.loads(text)
                self.requests.append(request)
                fault = self.fault(request)
                if fault == "lose":
                    return socket.transport.abort()
                answers = fault if isinstance(fault, list) else self.answer(request)
                if fault == "swallow":
                    return socket.transport.abort()
                for place, answer in enumerate(answers):
                    message = self.cheat(dict(answer))
                    await socket.send(json.dumps(message if place else message | {"re": request["id"]}))
        except ConnectionClosed:
            pass

    def answer(self, request):
        return getattr(self, "_" + request["type"])(request)

    def sent(self, kind):
        return [request for request in self.requests if request["type"] == kind]

    def _hello(self, request):
        self.client = request["client"]
        token = request.get("token")
        if token is not None and token not in self.known:
            return [error("auth_failed")]
        name = request.get("name", "guest-1") if token is None else self.known[token]
        if token is None and name in self.known.values() and name != "guest-1":
            return [error("name_taken", "that name is taken; choose another")]
        fields = {} if token else {"token": hashlib.sha256(name.encode()).hexdigest()}
        self.known |= {fields["token"]: name} if fields else {}
        still = [match for match in self.matches.values() if match.state != "over"]
        return [
            {
                "type": "welcome",
                "player": name,
                "kind": request.get("kind", "guest"),
                "open": [match.summary() for match in still],
                "ladders": [match.offer() for match in still[:1]],
                "limits": {"frame_bytes": 4096, "nesting": 8, "open_matches": 8, "requests_per_second": 100},
                "server": {"name": "tiny", "version": "1"},
                **fields,
            }
        ]

    def _ping(self, request):
        return [{"type": "pong", "c": request["c"]}]

    def _play(self, request):
        name = f"{len(self.matches):016x}"
        self.matches[name] = match = self.match_type(match=name, **self.kind)
        match.events[0]["client"] = self.client
        return list(match.events)

    def _ready(self, request):
        match = self.matches[request["match"]]
        match.ready(request.get("nonce"))
        return match.open_turn()

    def _guess(self, request):
        match = self.matches[request["match"]]
        where = request["game"], request["turn"]
        event = [e for e in match.events if e["type"] == "feedback" and (e["game"], e["turn"]) == where]
        if event:
            return event
        if where != (match.game, match.turn):
            return [error("stale_turn", expected={"game": match.game, "turn": match.turn})]
        seen = len(match.events)
        try:
            match.guess(request["code"])
        except GameError as why:
            return [error("illegal_code", str(why))]
        return match.events[seen:] + match.open_turn()

    def _resign(self, request):
        match = self.matches[request["match"]]
        seen = len(match.events)
        if "game" in request:
            match.end("resigned")
        else:
            match.give_up()
        return match.events[seen:]

    def _hint(self, request):
        match = self.matches[request["match"]]
        code = format_code(match.live[0])
        return [{"type": "hint", "match": match.match, "code": code, "candidates": len(match.live), "why": "why"}]

    def _resume(self, request):
        match = self.matches[request["match"]]
        head = {"type": "resumed", "match": match.match, "seq": len(match.events), "state": match.state}
        return [head | {"game": match.game}, *match.events[request["seq"] :], *match.open_turn()]


@asynccontextmanager
async def listening(converse, **options):
    """Run a WebSocket server on a free port and give its URL."""
    options = {"subprotocols": ["evilpegs.v1"], "compression": None, "close_timeout": 1} | options
    async with serve(converse, "127.0.0.1", 0, **options) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}/v1"


class Sleeps(list):
    """A sleep that returns at once and records its length."""

    async def __call__(self, seconds):
        self.append(seconds)


@pytest.fixture
def sleeps():
    return Sleeps()


@pytest.fixture
def retry_policy(sleeps):
    return RetryPolicy(rng=Random(1), sleep=sleeps, attempts=5, timeout=PATIENCE)


@pytest.fixture
def tokens(tmp_path):
    return TokenFile(tmp_path / "tokens.json")


@pytest.fixture
def honest_match():
    return HonestMatch


@pytest.fixture
def tiny_server():
    return TinyServer


@pytest.fixture
def listen():
    return listening


@pytest.fixture
def open_session(tokens, retry_policy):
    """Open a session with a tiny server, closed at the end; notices and cuts are appended to ``news``."""

    @asynccontextmanager
    async def opened(server, name="ann", news=None):
        credentials = Credentials(CLIENT, name=name)
        async with listening(server.converse) as url:
            session = PlayerSession(url, credentials, tokens, retry_policy, (news if news is not None else []).append)
            try:
                await session.open()
                yield session
            finally:
                await session.close()

    return opened


@pytest.fixture
def output():
    """The text that a terminal prints."""
    return StringIO()


@pytest.fixture
def stopped_clock():
    return StoppedClock()


@pytest.fixture
def terminal_at(tokens, retry_policy, output, stopped_clock):
    """Serve a tiny server and give a function that plays at it, once for each call.

    The secrets of a fixed codemaker follow from the nonces of the player too, which are the same in each test.
    """

    @asynccontextmanager
    async def terminal_at(server, **options):
        console = Console(file=output, **({"width": 120} | options))
        nonces = map("nonce{}".format, count(1))
        async with listening(server.converse) as url:

            async def run(*script, name="ann", discard=lambda: False):
                prompt = Prompt(console, Typed(*script))
                prompt.discard = discard
                await run_terminal(
                    server=url,
                    ladder="tiny",
                    name=name,
                    token_file=tokens.path,
                    prompt=prompt,
                    retry_policy=retry_policy,
                    new_nonce=nonces.__next__,
                    clock=stopped_clock,
                )
                return output.getvalue().replace(url, "SERVER")

            yield run

    return terminal_at


@pytest.fixture
def play_terminal(terminal_at):
    """Play one match at a tiny server and return the printed text; the address is written as SERVER."""

    async def play(server, *script, name="ann", discard=lambda: False, **options):
        async with terminal_at(server, **options) as run:
            return await run(*script, name=name, discard=discard)

    return play
