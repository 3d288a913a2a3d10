import pytest

from evilpegs_clients.connection.connection import ReceivedMessage
from evilpegs_clients.connection.match_view import MatchView, Phase
from evilpegs_clients.errors import BrokenRecordError, ConnectionLostError
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical, decode_event

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}


def received(message):
    return ReceivedMessage(decode_event(canonical(message)), message)


@pytest.fixture
def match(honest_match):
    """Two games of 3x4: the first solved, the second resigned before it began."""
    match = honest_match(games=2, clock=CLOCK)
    match.ready("n")
    match.guess("111")
    match.guess("".join("1234"[color] for color in match.secret))
    match.give_up()
    return match


@pytest.fixture
def view(match):
    return MatchView(match.match)


def feed(view, messages):
    return [view.apply(received(message)) for message in messages]


def turn(match, game, number):
    return {"type": "turn", "match": match.match, "game": game, "turn": number, "left_ms": 5}


def test_view_follows_match(match, view):
    phases = []
    for event in match.events:
        assert view.apply(received(event))
        phases.append(view.phase)
        if event["type"] == "game_started" and event["game"] == 1:
            feed(view, [turn(match, 1, 1)])
            assert (view.phase, view.game, view.turn, view.left_ms) == (Phase.TURN, 1, 1, 5)
    waiting, ready, over = Phase.WAITING, Phase.READY, Phase.OVER
    assert phases == [waiting, ready, waiting, waiting, waiting, ready, waiting, over]
    assert view.record == match.events
    assert view.rules == Rules(3, 4)
    assert {over.game: over.outcome for over in view.match.games_over} == {1: "solved", 2: "resigned"}
    assert view.match.over.head == match.events[-1]["head"]


def test_view_history_is_of_open_game(match, view):
    feed(view, match.events[:3])
    given = match.events[2]
    assert view.history == (Turn((0, 0, 0), Feedback(given["black"], given["white"])),)
    feed(view, match.events[3:6])
    assert view.history == ()
    assert view.game == 2


def test_view_counts_repeated_event_once(match, view):
    assert feed(view, match.events[:4]) == [True] * 4
    assert feed(view, match.events[1:4]) == [False] * 3
    assert view.record == match.events[:4]


def test_view_refuses_changed_event(match, view):
    feed(view, match.events[:4])
    with pytest.raises(BrokenRecordError, match=rf"\b3\b.*{match.match}"):
        feed(view, [match.events[2] | {"black": 2}])
    with pytest.raises(BrokenRecordError):
        feed(view, [match.events[2] | {"seq": 0}])


def test_view_notices_missing_event(match, view):
    feed(view, match.events[:2])
    with pytest.raises(ConnectionLostError, match=rf"\b3\b.*{match.match}"):
        feed(view, [match.events[3]])
    assert view.seq == 2


def test_view_ignores_other_messages(match, view):
    elsewhere = match.events[0] | {"match": "f" * 16}
    hint = {"type": "hint", "match": match.match, "code": "111", "candidates": 3, "why": "so"}
    assert feed(view, [elsewhere, hint, {"type": "pong", "c": 1}, {"type": "new"}]) == [False] * 4


@pytest.mark.parametrize(
    "change",
    [
        {"type": "game_started", "game": 1, "commitment": "0" * 64, "ready_by_ms": 1},
        {"type": "feedback", "game": 1, "turn": 1, "code": "111", "black": 0, "white": 0, "took_ms": 1, "left_ms": 1},
    ],
)
def test_view_requires_match_started_first(match, view, change):
    with pytest.raises(BrokenRecordError, match="match_started"):
        feed(view, [{"match": match.match, "seq": 1, "at": 1} | change])


def test_view_refuses_feedback_to_malformed_code(match, view):
    with pytest.raises(BrokenRecordError, match=rf"\b3\b.*{match.match}.*'9'"):
        feed(view, [*match.events[:2], match.events[2] | {"code": "9"}])
    assert view.seq == 2


def resumed(match, state, seq=None):
    seq = len(match.events) if seq is None else seq
    fields = {"ready_by_ms": 77} if state == "ready" else {}
    return {"type": "resumed", "match": match.match, "seq": seq, "state": state, "game": match.game, **fields}


def test_view_waits_while_catching_up(match, view):
    assert view.is_catching_up
    phases = []
    for message in [resumed(match, "over"), *match.events]:
        feed(view, [message])
        phases.append(view.phase)
    assert set(phases[:-1]) == {Phase.WAITING}
    assert phases[-1] is Phase.OVER
    assert not view.is_catching_up


@pytest.mark.parametrize(
    ("state", "phase"), [("ready", Phase.READY), ("turn", Phase.WAITING), ("thinking", Phase.WAITING)]
)
def test_view_takes_phase_from_resumed(match, view, state, phase):
    feed(view, match.events[:2])
    feed(view, [resumed(match, state, 2)])
    assert view.phase is phase
    assert view.ready_by_ms == (77 if state == "ready" else 60_000)
    if state == "turn":
        feed(view, [turn(match, 1, 1)])
        assert view.phase is Phase.TURN


def test_view_refuses_forgotten_events(match, view):
    feed(view, match.events[:4])
    with pytest.raises(BrokenRecordError, match=r"\b4\b.*\b3\b"):
        feed(view, [resumed(match, "turn", 3)])


def test_events_of_game_include_match_started(match, view):
    feed(view, match.events)
    assert [event["type"] for event in view.game_events(2)] == ["match_started", "game_started", "game_over"]
    assert [event["seq"] for event in view.game_events(1)] == [1, 2, 3, 4, 5]


def test_view_without_events_has_no_rules(view):
    with pytest.raises(LookupError):
        _ = view.rules
