"""A state machine test that sends arbitrary texts to a match, through the real codec.

The texts are valid, out of order, damaged or garbage. They are decoded as in the gateway and reach the match as in the
runner: one after another, and only when the codemaker does not think. Meanwhile time passes, timers expire, replies
are late or fail, and the server restarts from the record.
"""

import json

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from evilpegs_game.codes import code_at
from evilpegs_game.feedback import feedback
from evilpegs_protocol.client_messages import Guess, Ready, Resign
from evilpegs_protocol.codec import CodecError, decode_record_event, decode_request
from evilpegs_protocol.fields import Program
from evilpegs_server.match.events import GameBegun, GameEnded, GuessAnswered, MatchEnded, NeedReply, TurnOpened
from evilpegs_server.match.match import TRANSITIONS, Match, RefusedError, State
from evilpegs_server.play.recovery import facts_from_events
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Recorder, ShownEnd
from evilpegs_server.replies.codemaking import Reply
from evilpegs_server.replies.game_secrets import MatchKey
from support.examples import share
from support.match_states import durable_state, snapshot

MATCH = "00112233445566aa"
CLIENT = Program(name="tester", version="1.0")
KINDS = st.sampled_from(["ready"] * 3 + ["guess"] * 6 + ["resign", "resign all", "hint", "resume", "ping", "foreign"])
CODES = st.sampled_from(["11", "12", "22", "33", "31"] * 3 + ["14", "", "111", "☃", "\ud800"])
OFFSETS = st.sampled_from([0] * 8 + [-1, 1, 2])
DELAYS = st.integers(0, 3_000)
GARBAGE = st.one_of(
    st.text(max_size=40),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "id", "game"]), inner),
        max_leaves=8,
    ).map(json.dumps),
    st.sampled_from(["[" * 4_000, "{" * 100_000, "9" * 4_000, '{"type":' * 20, "\0", '"\\u0000"', "1e999", "NaN"]),
)
MUTATIONS = st.tuples(
    st.sampled_from(["cut", "insert", "replace", "double"]),
    st.floats(0, 1, exclude_max=True),
    st.sampled_from(
        ['"', "{", "}", "[", ",", ":", "\\", "0", "-", "1e9", "null", "true", "\n", "é", '"type":"guess",']
    ),
)


def message(kind, game, turn, code):
    """Return a message of a client as a dict. It is not always a valid one."""
    match = {"match": MATCH}
    return {"id": "7"} | {
        "ready": {"type": "ready", "game": game, "nonce": "mine"} | match,
        "guess": {"type": "guess", "game": game, "turn": turn, "code": code} | match,
        "resign": {"type": "resign", "game": game} | match,
        "resign all": {"type": "resign"} | match,
        "hint": {"type": "hint"} | match,
        "resume": {"type": "resume", "seq": turn} | match,
        "ping": {"type": "ping", "c": turn},
        "foreign": {"type": "guess", "game": game, "turn": turn, "code": code, "match": "f" * 16},
    }[kind]


def mutate(text, mutations):
    """Return a damaged copy of a text."""
    for kind, where, inserted in mutations:
        at = int(where * len(text))
        rest = {
            "cut": "",
            "insert": inserted + text[at:],
            "replace": inserted + text[at + 1 :],
            "double": text + text[at:],
        }
        text = text[:at] + rest[kind]
    return text


class AnyClient(RuleBasedStateMachine):
    """One match among clients, clocks and restarts whose actions are drawn at random."""

    def __init__(self, ladders):
        super().__init__()
        self.ladders = ladders
        self.now = 0.0
        self.waiting, self.nonces, self.ended = [], {}, []
        self.match_overs = 0

    @initialize(data=st.data(), secret=st.integers(0, 8))
    def begin(self, data, secret):
        self.ladder = data.draw(self.ladders)
        self.secret = code_at(secret, self.ladder.rules)
        self.event_log = EventLog(MATCH)
        self.recorder = Recorder(MatchKey(MATCH, self.ladder, b"s" * 32), self.event_log, lambda: 0)
        self.match = Match(self.ladder)
        events = self.match.start(self.now)
        self.recorder.open(events, "ann", CLIENT)
        self.watched = State.READY, self.match.game_and_turn, None

    # What clients do

    @rule(kind=KINDS, game=OFFSETS, turn=OFFSETS, code=CODES)
    def send_message(self, kind, game, turn, code):
        self.receive(json.dumps(self.next_message(kind, game, turn, code)))

    @rule(code=st.sampled_from(["11", "12", "22", "33", "31"]))
    def play_on(self, code):
        self.receive(json.dumps(self.next_message("ready" if self.match.state is State.READY else "guess", 0, 0, code)))

    @rule(kind=KINDS, code=CODES, mutations=st.lists(MUTATIONS, min_size=1, max_size=4))
    def send_damaged_message(self, kind, code, mutations):
        self.receive(mutate(json.dumps(self.next_message(kind, 0, 0, code)), mutations))

    @rule(text=GARBAGE)
    def send_garbage(self, text):
        self.receive(text)

    # What time and the server do

    @rule(ms=DELAYS)
    def wait(self, ms):
        self.now += ms

    @rule(early=st.integers(-5, 5))
    def reach_the_deadline(self, early):
        deadline = self.match.deadline()
        if deadline is not None and self.match.state is not State.THINKING:
            self.now = max(self.now, deadline + early)
            self.observe(self.match.handle_timeout(self.now))
            self.pump()

    @precondition(lambda self: self.match.state is State.THINKING)
    @rule(ms=DELAYS)
    def reply(self, ms):
        self.now += ms
        answer = feedback(self.guess, self.secret)
        self.observe(self.match.reply(answer, self.now), Reply(answer))
        self.pump()

    @precondition(lambda self: self.match.state is State.THINKING)
    @rule()
    def fail(self):
        self.observe(self.match.fail(self.now))
        self.pump()

    @precondition(lambda self: not self.match.over)
    @rule(ms=DELAYS)
    def restart(self, ms):
        self.now += ms
        self.waiting.clear()
        self.match = self.rebuild_match()
        self.match.recover(self.now, 60_000)
        self.watched = self.match.state, self.match.game_and_turn, None

    # As the runner does it

    def next_message(self, kind, game, turn, code):
        return message(kind, max(0, self.match.game + game), max(0, self.match.turn + turn), code)

    def receive(self, text):
        try:
            request = decode_request(text)
        except CodecError:
            return
        if isinstance(request, Ready | Guess | Resign) and request.match == MATCH:
            self.waiting.append((request, self.now))
            self.pump()

    def pump(self):
        while self.waiting and self.match.state is not State.THINKING:
            self.handle(*self.waiting.pop(0))

    def handle(self, request, arrived):
        before = snapshot(self.match)
        try:
            events = self.command(request, arrived)
        except RefusedError:
            self.check_unchanged(before)
        else:
            self.observe(events)

    def check_unchanged(self, before):
        assert snapshot(self.match) == before

    def command(self, request, arrived):
        match request:
            case Ready():
                return self.match.ready(request.game, request.nonce, arrived)
            case Guess():
                return self.match.guess(request.game, request.turn, request.code, arrived)
            case Resign():
                return self.match.resign(request.game, arrived)

    def observe(self, events, answer=None):
        self.check_the_transition()
        for event in events:
            match event:
                case NeedReply():
                    self.guess = event.guess
                case GameBegun():
                    self.nonces[event.game] = event.client_nonce
                case GuessAnswered() if self.ladder.clock is not None:
                    assert event.took_ms <= self.left
                    assert event.left_ms == self.left - event.took_ms + self.ladder.clock.increment_ms
                case GameEnded():
                    self.ended.append(event.game)
                case MatchEnded():
                    self.match_overs += 1
        end = self.recorder.first_shown_end(events)
        self.recorder.record(events, answer, shown=end and ShownEnd(end, "11"))
        if any(isinstance(event, TurnOpened) for event in events):
            self.now += 3
            self.match.start_clock(self.now)
        self.left = self.match.clock.left_ms

    def check_the_transition(self):
        before, after = self.watched[0], self.match.state
        assert after is before or after in TRANSITIONS[before]

    def rebuild_match(self):
        events = [decode_record_event(entry.text) for entry in self.event_log.entries]
        rebuilt, live = Match.from_facts(self.ladder, facts_from_events(self.ladder, events, self.nonces)), self.match
        assert durable_state(rebuilt) == durable_state(live)
        return rebuilt

    # What always holds

    @invariant()
    def the_clock_of_a_turn_only_falls(self):
        left = self.match.clock.left_at(self.now) if self.match.state is State.TURN else None
        turn, before = self.watched[1:]
        if left is not None and before is not None and turn == self.match.game_and_turn:
            assert left <= before
        self.watched = self.match.state, self.match.game_and_turn, left

    @invariant()
    def every_game_ends_once_and_the_match_with_the_last(self):
        assert self.ended == list(range(1, len(self.ended) + 1))
        assert self.match_overs == self.match.over == (len(self.ended) == self.ladder.games)

    def teardown(self):
        """Let the client vanish: the match must end by its clock."""
        if not hasattr(self, "match"):
            return
        self.waiting.clear()
        for _ in range(3 * self.ladder.games + 3):
            if self.match.state is State.THINKING:
                self.reply(ms=0)
            self.reach_the_deadline(early=1)
        assert self.match.over
        assert self.match.deadline() is None
        self.every_game_ends_once_and_the_match_with_the_last()
        self.rebuild_match()
        assert [entry.seq for entry in self.event_log.entries] == list(range(1, self.event_log.seq + 1))


def test_any_client_harms_no_match(ladders):
    run_state_machine_as_test(
        lambda: AnyClient(ladders),
        settings=settings(
            max_examples=share(300), stateful_step_count=40, suppress_health_check=[HealthCheck.too_slow]
        ),
    )
