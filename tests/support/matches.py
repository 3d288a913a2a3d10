"""Small ladders, and matches on a fake clock that a test plays move by move or at random."""

from dataclasses import replace

from hypothesis import strategies as st

from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import ClockInfo
from evilpegs_server.match.events import Fact, TurnOpened
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import Match, RefusedError, State
from support.match_states import durable_state

TINY = Ladder(
    id="tiny",
    rules=Rules(2, 3),
    codemaker="fixed",
    tie=None,
    clock=ClockInfo(base_ms=10_000, increment_ms=1_000),
    guess_limit=4,
    games=2,
    rated=True,
)
"""A ladder whose codes are 11 to 33, so that 14 is not a code."""
SOLVED, MISSED = Feedback(2, 0), Feedback(0, 1)


class MatchDriver:
    """A match on a fake clock, in which each turn is delivered to the player at the moment it opens.

    ``facts`` has all facts so far. ``steps`` has a pair for each call: the number of facts after the call, and
    the `durable_state` of the match at that moment.
    """

    def __init__(self, ladder=TINY):
        self.match, self.now, self.facts, self.steps = Match(ladder), 0.0, [], []
        self._observe(self.match.start(self.now))

    def do(self, command, *args):
        """Call the method ``command`` of the match at this moment and return its events."""
        return self._observe(getattr(self.match, command)(*args, self.now))

    def wait(self, ms):
        """Move the clock forward by ``ms`` milliseconds and return this driver."""
        self.now += ms
        return self

    def begin(self, nonce=None):
        """Begin the game that waits for `ready`."""
        return self.do("ready", self.match.game, nonce)

    def guess(self, text):
        """Send a guess for the open turn."""
        return self.do("guess", *self.match.game_and_turn, text)

    def answer(self, text, feedback=MISSED):
        """Send a guess for the open turn and let the codemaker answer it."""
        self.guess(text)
        return self.do("reply", feedback)

    def _observe(self, events):
        self.facts += [event for event in events if isinstance(event, Fact)]
        if any(isinstance(event, TurnOpened) for event in events):
            self.match.start_clock(self.now)
        self.steps.append((len(self.facts), durable_state(self.match)))
        return events


LADDERS = st.builds(
    lambda clock, limit, games: replace(TINY, clock=clock, guess_limit=limit, games=games, rated=clock is not None),
    st.sampled_from([None, ClockInfo(base_ms=5_000, increment_ms=0), ClockInfo(base_ms=10_000, increment_ms=1_000)]),
    st.integers(1, 4),
    st.integers(1, 3),
)
"""A strategy of small ladders, timed and untimed, of one to three games."""
MOVES = st.sampled_from(
    ["ready", "miss", "miss", "miss", "solve", "think", "illegal", "repeat", "future", "fail", "resign", "resign all"]
    + ["timeout"] * 2
)


def make_move(driver, move, text):
    """Make one move, which the match may refuse, and return the events.

    While the codemaker thinks, every move becomes its reply or its failure.
    """
    match = driver.match
    if match.state is State.THINKING:
        return driver.do("fail") if move == "fail" else driver.do("reply", SOLVED if move == "solve" else MISSED)
    match move:
        case "ready":
            return driver.begin(text)
        case "miss" | "solve":
            return driver.answer(text, SOLVED if move == "solve" else MISSED)
        case "think":
            return driver.guess(text)
        case "illegal":
            return driver.guess("14")
        case "repeat":
            return driver.do("guess", 1, 1, text)
        case "future":
            return driver.do("guess", match.game, match.turn + 1, text)
        case "resign" | "resign all":
            return driver.do("resign", match.game if move == "resign" else None)
        case "timeout":
            driver.now = max(driver.now, match.deadline() or 0)
            return driver.wait(1).do("handle_timeout")


@st.composite
def random_matches(draw):
    """Draw a match that was driven with random moves, some of which it refused."""
    driver = MatchDriver(draw(LADDERS))
    moves = st.tuples(MOVES, st.sampled_from(["11", "12", "33"]), st.integers(0, 4_000))
    for move, text, ms in draw(st.lists(moves, max_size=30)):
        driver.wait(ms)
        try:
            make_move(driver, move, text)
        except (RefusedError, RuntimeError):
            assert driver.match.state is not State.THINKING
    return driver
