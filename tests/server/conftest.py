"""A small ladder, matches on a fake clock, and strategies that play them at random."""

import copy
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.fields import Program
from evilpegs_server.clock import TimeControl
from evilpegs_server.events import Fact, TurnOpened
from evilpegs_server.ladders import Ladder
from evilpegs_server.match import Match, RefusedError, State
from evilpegs_server.storage.database import open_database
from evilpegs_server.transcript import Identity

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
