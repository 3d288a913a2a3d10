"""Invented matches, stored in the same way as a server stores matches, for tests of code that reads the database."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import feedback
from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, MatchOver, MatchStarted
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.storage.log import writes
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.log.writer import Writer
from support.events import fields
from support.stores import store_for

PLAYERS = {name: Player(number, name, "bot") for number, name in enumerate(("ann", "bob", "eve"), 1)}
ADMITTED_AT = 100


def store(engine, *jobs):
    """Commit each of ``jobs``, which are lists of writes, and wait until all are committed."""
    errors = []
    writer = Writer(store_for(engine), lambda report: report())
    for job in jobs:
        writer.submit(job, errors.append)
    writer.start()
    writer.close()
    assert errors == [None] * len(jobs)


def load_events(engine, without=()):
    """Return all events, match by match in the order in which the matches began.

    Matches whose numbers are in ``without`` are left out.
    """
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT match, json FROM events ORDER BY match, seq").all()
    return [decode_record_event(text) for match, text in rows if match not in without]


def store_players(engine):
    """Store all players of `PLAYERS`."""
    store(engine, [writes.insert_player(each, f"{each.id:064x}", ADMITTED_AT) for each in PLAYERS.values()])


@dataclass
class StoredPlay:
    """A match that is played step by step; each method returns the writes of its step."""

    number: int
    ladder: object
    player: str = "ann"
    version: str = "1"
    at: int = 1_000
    log: EventLog = field(init=False)
    events: list = field(default_factory=list)

    def __post_init__(self):
        self.log = EventLog(f"{self.number:016x}")

    def start(self):
        """Begin the match and return the writes."""
        client = Program(name="bot", version=self.version)
        rules = self.ladder.rules
        opening = writes.insert_match(
            self.log.match, PLAYERS[self.player], client, self.ladder.id, bytes(range(32)), self.at
        )
        return [
            opening,
            self._add(
                MatchStarted(
                    **self._next(),
                    player=self.player,
                    client=client,
                    ladder=self.ladder.id,
                    rules=str(rules),
                    pegs=rules.pegs,
                    colors=rules.colors,
                    symbols="123",
                    repeats=True,
                    guess_limit=self.ladder.guess_limit,
                    codemaker=self.ladder.codemaker,
                    tie=self.ladder.tie,
                    clock=None,
                    games=self.ladder.games,
                    rated=self.ladder.rated,
                )
            ),
        ]

    def guess(self, game, turn, took_ms, code="11", reply=(1, 0)):
        """Answer a guess and return the writes.

        ``took_ms`` is the time that the guess took in milliseconds, and ``reply`` its blacks and whites.
        """
        black, white = reply
        feedback = FeedbackGiven(
            **self._next(), game=game, turn=turn, code=code, black=black, white=white, took_ms=took_ms, left_ms=None
        )
        return [self._add(feedback)]

    def end_game(self, game, outcome, guesses, elapsed_ms):
        """End a game and return the writes."""
        facts = {"game": game, "outcome": outcome, "guesses": guesses, "elapsed_ms": elapsed_ms}
        over = GameOver(**self._next(), **facts, secret=None, nonce=None)
        return [self._add(over)]

    def end(self):
        """End the match and return the writes."""
        over = MatchOver(**self._next(), outcomes=(), guesses=(), elapsed_ms=0, head=self.log.head)
        return [self._add(over), writes.finish_match(self.log.match)]

    def play(self, *games):
        """Return the steps of a whole match; each of ``games`` is an outcome and the times of the guesses."""
        steps = [self.start()]
        for game, (outcome, times) in enumerate(games, 1):
            steps += [self.guess(game, turn, took_ms) for turn, took_ms in enumerate(times, 1)]
            steps.append(self.end_game(game, outcome, len(times), sum(times)))
        return [*steps, self.end()]

    def play_codes(self, *games):
        """Return the steps of a whole match; each of ``games`` is a secret and the guessed codes, as text."""
        rules, steps = self.ladder.rules, [self.start()]
        for game, (secret, codes) in enumerate(games, 1):
            for turn, code in enumerate(codes, 1):
                reply = feedback(parse_code(code, rules), parse_code(secret, rules))
                steps.append(self.guess(game, turn, 10 * turn, code, reply))
            outcome = "solved" if secret in codes else "resigned"
            steps.append(self.end_game(game, outcome, len(codes), 0))
        return [*steps, self.end()]

    def _next(self):
        return {"match": self.log.match, "seq": self.log.seq + 1, "at": self.at}

    def _add(self, event):
        self.events.append(event)
        return writes.insert_events(self.log.match, [self.log.append(fields(event))])


GAMES = st.tuples(
    st.sampled_from(["solved", "solved", "unsolved", "flagged", "void"]), st.lists(st.integers(0, 5), max_size=4)
)


@st.composite
def stored_plays(draw, ladders, max_matches=6):
    """Draw matches on ``ladders`` and an order of all their steps; return the matches, and the steps in this order.

    A match may end in the middle, so that it is still open.
    """
    plays, waiting, steps = [], [], []
    for number in range(1, draw(st.integers(0, max_matches)) + 1):
        player, version = draw(st.sampled_from(sorted(PLAYERS))), draw(st.sampled_from("123"))
        play = StoredPlay(number, draw(st.sampled_from(ladders)), player, version, draw(st.integers(1_000, 1_005)))
        whole = play.play(*draw(st.lists(GAMES, max_size=3)))
        kept = draw(st.integers(1, len(whole)))
        play.events = play.events[:kept]
        plays.append(play)
        waiting.append(whole[:kept])
    while any(waiting):
        chosen = draw(st.sampled_from([index for index, rest in enumerate(waiting) if rest]))
        steps.append(waiting[chosen].pop(0))
    return plays, steps
