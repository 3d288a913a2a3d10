"""The session: who may send which request, and that every request gets exactly one direct answer.

The fake clients count requests and answers. A fixture compares them at the end of every test.
"""

import json
import re
from dataclasses import replace
from importlib.metadata import version

import pytest

from evilpegs_server.limits import MAX_REFUSALS
from evilpegs_server.play.eligibility import MAX_OPEN_MATCHES
from evilpegs_server.settings import Settings
from evilpegs_server.storage.log.archive import load_players
from evilpegs_server.storage.reads import BusyError
from support.fake_server import BrokenPart
from support.waiting import until

UNKNOWN_MATCH = "f" * 16


class TestHello:
    async def test_hello_claims_name_with_token(self, fake_server):
        first = await fake_server.connect().hello("ann")
        assert (first["type"], first["player"], first["kind"], first["open"]) == ("welcome", "ann", "bot", [])
        again = await fake_server.connect().hello(token=first["token"])
        assert (again["type"], again["player"]) == ("welcome", "ann")
        assert "token" not in again

    async def test_welcome_lists_ladders_and_limits(self, ann, fake_server):
        welcome = json.loads(ann.channel.sent[0])
        assert [ladder["id"] for ladder in welcome["ladders"]] == list(fake_server.registry.ladders.known)
        assert welcome["limits"] == {
            "frame_bytes": 4096,
            "nesting": 8,
            "open_matches": MAX_OPEN_MATCHES,
            "requests_per_second": 100,
        }
        assert welcome["server"] == {"name": "evilpegs", "version": version("evilpegs"), "site": None}

    async def test_hello_without_name_admits_guest(self, fake_server):
        guest = await fake_server.connect().hello()
        assert guest["player"].startswith("guest-")
        assert guest["kind"] == "guest"
        assert (await fake_server.connect().hello(token=guest["token"]))["player"] == guest["player"]

    async def test_welcome_lists_open_matches(self, ann, fake_server):
        match = await ann.play("tiny")
        known = (await fake_server.connect().hello(token=ann.token))["open"]
        assert [(each["match"], each["seq"]) for each in known] == [(match, 2)]

    async def test_open_match_names_its_ladder_and_client(self, ann, fake_server):
        match = await ann.play("tiny")
        again = fake_server.connect()
        [known] = (await again.hello(token=ann.token))["open"]
        assert known == {"match": match, "seq": 2, "ladder": "tiny", "client": {"name": "tester", "version": "1.0"}}

    async def test_hello_works_after_refused_name(self, ann, fake_server):
        client = fake_server.connect()
        await client.hello("ann")
        assert (await client.hello("bob"))["type"] == "welcome"

    async def test_closed_registration_admits_known_players(self, ann, fake_server):
        fake_server.services = replace(fake_server.services, settings=Settings(registration="closed"))
        assert (await fake_server.connect().hello("bob"))["code"] == "auth_required"
        assert (await fake_server.connect().hello(token=ann.token))["type"] == "welcome"
        assert (await fake_server.connect().hello())["kind"] == "guest"

    async def test_hello_while_draining_is_refused(self, fake_server):
        fake_server.registry.draining = True
        assert (await fake_server.connect().hello("ann"))["code"] == "draining"

    async def test_unstored_name_is_free_again(self, fake_server, broken_disk):
        broken_disk.on = True
        assert (await fake_server.connect().hello("ann"))["code"] == "storage_unavailable"
        broken_disk.on = False
        assert (await fake_server.connect().hello("ann"))["type"] == "welcome"


HELLO = {"type": "hello", "client": {"name": "tester", "version": "1.0"}}
TO_MATCH = (
    {"type": "ready", "game": 1},
    {"type": "guess", "game": 1, "turn": 1, "code": "11"},
    {"type": "hint"},
    {"type": "resign"},
    {"type": "resume", "seq": 0},
)
REFUSED = [
    ("stranger", {"type": "play", "ladder": "tiny"}, "auth_required"),
    *(("stranger", fields, "auth_required") for fields in TO_MATCH[:2]),
    *(("stranger", fields | {"match": UNKNOWN_MATCH}, "auth_required") for fields in TO_MATCH),
    *(("stranger", HELLO | {"name": name, "kind": "bot"}, "name_taken") for name in ("ann", "a-nn")),
    *(("stranger", HELLO | {"name": name, "kind": "bot"}, "bad_name") for name in ("Ann", "guest-1", "x" * 64)),
    ("stranger", HELLO | {"token": "0" * 64}, "auth_failed"),
    ("ann", HELLO | {"name": "eve", "kind": "bot"}, "bad_message"),
    *(("bob", fields | {"match": UNKNOWN_MATCH}, "not_your_match") for fields in TO_MATCH),
    *(("bob", fields | {"match": "ann's"}, "not_your_match") for fields in TO_MATCH),
    *(("bob", fields, "not_your_match") for fields in TO_MATCH[:2]),
    *(("bob", {"type": kind, "ladder": "tiny"}, "moved") for kind in ("watch", "unwatch", "list", "standings")),
    ("ann", {"type": "hint", "match": "ann's"}, "not_practice"),
    ("ann", {"type": "guess", "match": "ann's", "game": 1, "turn": 2, "code": "11"}, "future_turn"),
    ("ann", {"type": "guess", "match": "ann's", "game": 2, "turn": 1, "code": "11"}, "future_turn"),
]
"""Who asks for what, and the code of the error. Ann plays a match, bob has none, a stranger did not say hello."""


async def test_requests_that_are_refused(ann, fake_server):
    clients = {"ann": ann, "bob": await fake_server.connect_player("bob"), "stranger": fake_server.connect()}
    match = await ann.play("tiny")
    answered = []
    for who, message, _ in REFUSED:
        named = {"match": match} if message.get("match") == "ann's" else {}
        answered.append((who, message, (await clients[who].request(**message | named)).get("code")))
    assert answered == REFUSED
    assert (await ann.guess(match, 1, "11"))["type"] == "feedback"


async def test_ping_needs_no_hello(fake_server):
    assert await fake_server.connect().request(type="ping", c=7) == {"type": "pong", "c": 7, "re": "q1"}


class TestPlay:
    async def test_play_starts_match_and_game(self, ann):
        started = await ann.request(type="play", ladder="tiny")
        assert (started["type"], started["seq"], started["player"]) == ("match_started", 1, "ann")
        assert started["client"] == {"name": "tester", "version": "1.0"}
        assert (await ann.receive())["type"] == "game_started"

    async def test_play_refuses_unknown_ladder(self, ann):
        refusal = await ann.request(type="play", ladder="tini")
        assert refusal["code"] == "unknown_ladder"
        assert all(word in refusal["message"] for word in ("'tini'", "tiny"))

    async def test_idle_guest_is_forgotten(self, fake_server):
        guest = fake_server.connect()
        await guest.hello()
        known = len(fake_server.services.players)
        guest.session.leave()
        assert len(fake_server.services.players) == known - 1
        assert len(load_players(fake_server.engine)) == 0

    async def test_playing_guest_is_stored_once(self, fake_server):
        guest = fake_server.connect()
        token = (await guest.hello())["token"]
        for _ in range(2):
            await guest.play("tiny-practice")
        guest.session.leave()
        assert len(load_players(fake_server.engine)) == 1
        assert load_players(fake_server.engine).by_token(token) == fake_server.services.players.by_token(token)

    async def test_guest_plays_practice_only(self, fake_server):
        guest = fake_server.connect()
        await guest.hello()
        assert await guest.error_code(type="play", ladder="tiny") == "auth_required"
        assert (await guest.request(type="play", ladder="tiny-practice"))["type"] == "match_started"

    async def test_ladder_of_a_kind_refuses_others(self, ann, fake_server):
        """`hello` of the test claims a name of the kind bot."""
        registry = fake_server.registry
        registry.ladders.known |= {"people": replace(registry.ladders.known["tiny"], id="people", kind="human")}
        refused = await ann.request(type="play", ladder="people")
        assert (refused["code"], "human" in refused["message"]) == ("not_an_entrant", True)
        registry.ladders.known |= {"people": replace(registry.ladders.known["people"], kind="bot")}
        assert (await ann.request(type="play", ladder="people"))["type"] == "match_started"

    async def test_open_matches_are_limited(self, ann, fake_server):
        matches = [await ann.play("tiny", ready=False) for _ in range(MAX_OPEN_MATCHES)]
        refusal = await ann.request(type="play", ladder="tiny")
        assert refusal["code"] == "too_many_matches"
        assert [match for match in matches if match not in refusal["message"]] == []
        bob = await fake_server.connect_player("bob")
        await bob.play("tiny")
        await ann.request(type="resign", match=matches[0])
        assert (await ann.request(type="play", ladder="tiny"))["type"] == "match_started"

    async def test_play_while_draining_is_refused(self, ann, fake_server):
        fake_server.registry.draining = True
        assert await ann.error_code(type="play", ladder="tiny") == "draining"


class TestGame:
    async def test_request_has_direct_answer(self, ann):
        match = await ann.play("long", ready=False)
        turn = await ann.request(type="ready", match=match, game=1)
        assert turn == {"type": "turn", "match": match, "game": 1, "turn": 1, "left_ms": 10_000, "re": "q3"}
        feedback = await ann.guess(match, 1, "1" * 16)
        assert (feedback["type"], feedback["code"], feedback["seq"]) == ("feedback", "1" * 16, 3)
        assert await ann.receive() == {"type": "turn", "match": match, "game": 1, "turn": 2, "left_ms": 11_000}
        over = await ann.request(type="resign", match=match)
        assert (over["type"], over["outcome"]) == ("game_over", "resigned")
        assert [(await ann.receive())["type"] for _ in range(2)] == ["game_over", "match_over"]

    async def test_ready_again_resends_turn(self, ann, fake_server):
        match = await ann.play("tiny")
        fake_server.clock.advance(300)
        turn = await ann.request(type="ready", match=match, game=1)
        assert (turn["type"], turn["turn"], turn["left_ms"]) == ("turn", 1, 9_700)

    async def test_repeated_guess_resends_feedback(self, ann):
        match = await ann.play("long")
        first = await ann.guess(match, 1, "1" * 16)
        again = await ann.guess(match, 1, "1" * 16)
        assert first | {"re": None} == again | {"re": None}
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="2" * 16) == "stale_turn"

    async def test_turn_error_names_expected_turn(self, ann):
        match = await ann.play("tiny")
        assert (await ann.guess(match, 2, "11"))["expected"] == {"game": 1, "turn": 1}

    async def test_illegal_code_error_counts_strikes(self, ann):
        match = await ann.play("tiny")
        errors = [await ann.guess(match, 1, "<&x>") for _ in range(2)]
        assert {(error["code"], error["fatal"]) for error in errors} == {("illegal_code", False)}
        assert not any("<" in error["message"] for error in errors)
        assert [re.findall(r"\d+", error["message"])[-1] for error in errors] == ["2", "1"]

    async def test_finished_match_can_be_resumed(self, ann, fake_server):
        match = await ann.play("tiny")
        first = await ann.guess(match, 1, "12")
        await ann.request(type="resign", match=match)
        await ann.receive("match_over")
        later = await fake_server.reconnect(ann)
        resumed = await later.request(type="resume", match=match, seq=0)
        assert resumed["state"] == "over"
        events = [await later.receive() for _ in range(resumed["seq"])]
        assert [event["seq"] for event in events] == list(range(1, resumed["seq"] + 1))
        assert (await later.guess(match, 1, "12"))["seq"] == first["seq"]
        assert await later.error_code(type="ready", match=match, game=2) == "game_over"


class TestSeat:
    async def test_resume_takes_seat_from_older_connection(self, ann, fake_server):
        match = await ann.play("tiny")
        newer = await fake_server.reconnect(ann)
        assert await newer.error_code(type="ready", match=match, game=1) == "not_your_match"
        resumed = await newer.request(type="resume", match=match, seq=1)
        assert (resumed["type"], resumed["state"], resumed["game"]) == ("resumed", "turn", 1)
        assert [(await newer.receive())["type"] for _ in range(2)] == ["game_started", "turn"]
        assert (await ann.receive("notice"))["kind"] == "seat_taken"
        assert ann.channel.close_code == 4003
        assert await ann.error_code(type="ready", match=match, game=1) == "not_your_match"
        assert (await newer.guess(match, 1, "11"))["type"] == "feedback"

    async def test_resume_on_same_connection_keeps_it(self, ann):
        match = await ann.play("tiny", ready=False)
        resumed = await ann.request(type="resume", match=match, seq=2)
        assert (resumed["state"], resumed["ready_by_ms"]) == ("ready", 60_000)
        assert ann.channel.close_code is None


async def is_refused(client):
    return (await client.request(type="ping", c=1))["type"] == "error"


class TestLeftOut:
    """Messages without a match or a game."""

    async def test_only_match_may_be_left_out(self, ann):
        await ann.request(type="play", ladder="tiny-practice")
        assert (await ann.request(type="ready"))["turn"] == 1
        assert (await ann.request(type="hint"))["type"] == "hint"
        assert (await ann.request(type="resign"))["outcome"] == "resigned"

    async def test_left_out_game_is_current_game(self, ann):
        await ann.play("tiny")
        await ann.request(type="resign", game=1)
        assert (await ann.request(type="ready"))["game"] == 2
        assert (await ann.request(type="guess", turn=1, code="11"))["game"] == 2

    async def test_match_played_here_is_meant(self, ann, fake_server):
        await ann.play("tiny")
        other = await fake_server.reconnect(ann)
        match = await other.play("tiny")
        assert (await other.request(type="guess", turn=1, code="11"))["match"] == match

    async def test_only_match_can_be_resumed(self, ann, fake_server):
        match = await ann.play("tiny")
        later = await fake_server.reconnect(ann)
        assert (await later.request(type="resume", seq=2))["match"] == match

    async def test_several_matches_need_naming(self, ann):
        for _ in range(2):
            await ann.play("tiny")
        error = await ann.request(type="guess", turn=1, code="11")
        assert (error["code"], re.findall(r"\d+", error["message"])) == ("bad_message", ["2"])

    async def test_guess_without_match_is_not_rate_limited(self, ann):
        """A legal guess on the player's turn spends no token: the bucket is empty and the guess is answered."""
        await ann.play("long")
        await until(lambda: is_refused(ann))
        assert (await ann.request(type="guess", turn=1, code="1" * 16))["type"] == "feedback"
        assert await ann.error_code(type="hint") == "rate_limited"


class TestExpected:
    async def test_expected_after_game_is_next_game(self, ann):
        match = await ann.play("tiny")
        await ann.request(type="resign", match=match, game=1)
        error = await ann.guess(match, 1, "11", game=1)
        assert (error["code"], error["expected"]) == ("game_over", {"game": 2, "turn": 0})

    async def test_finished_match_expects_nothing(self, ann):
        match = await ann.play("tiny")
        await ann.request(type="resign", match=match)
        await ann.receive("match_over")
        error = await ann.guess(match, 1, "11")
        assert (error["code"], "expected" in error) == ("game_over", False)

    async def test_not_ready_has_three_texts(self, ann):
        match = await ann.play("tiny-practice", ready=False)
        errors = [
            await ann.guess(match, 1, "11"),
            await ann.request(type="ready", match=match, game=2),
            await ann.request(type="hint", match=match),
        ]
        assert {error["code"] for error in errors} == {"not_ready"}
        assert len({error["message"] for error in errors}) == 3
        assert [error["expected"] for error in errors] == [{"game": 1, "turn": 0}] * 3


class TestHint:
    async def test_hint_on_practice_ladder(self, ann):
        match = await ann.play("tiny-practice")
        hint = await ann.request(type="hint", match=match)
        assert (hint["type"], hint["candidates"], len(hint["code"])) == ("hint", 9, 2)

    async def test_hint_needs_open_turn(self, ann):
        match = await ann.play("tiny-practice", ready=False)
        assert await ann.error_code(type="hint", match=match) == "not_ready"
        await ann.request(type="resign", match=match)
        await ann.receive("match_over")
        assert await ann.error_code(type="hint", match=match) == "game_over"


class TestUnreadable:
    async def test_unreadable_frames_get_typed_errors(self, ann):
        match = await ann.play("tiny")
        for frame, code in (
            (b'{"type":"ping","c":1}', "bad_json"),
            ("", "bad_json"),
            ("ping", "bad_json"),
            ("[" * 100, "bad_json"),
            ('{"type":"ping","type":"ping","c":1}', "bad_json"),
            ("[]", "bad_message"),
            ("{}", "bad_message"),
            ('{"type":"ping","c":"1"}', "bad_message"),
            ('{"type":"dance"}', "unknown_type"),
            ("x" * 5_000, "too_big"),
        ):
            await ann.send_frame(frame)
            error = await ann.receive("error")
            assert (frame[:50], error["code"], error["fatal"]) == (frame[:50], code, False)
        assert (await ann.guess(match, 1, "11"))["type"] == "feedback"

    async def test_error_repeats_readable_id(self, ann):
        await ann.send_frame('{"type":"dance","id":"q9"}')
        ann.request_ids.append("q9")
        assert (await ann.receive("error"))["re"] == "q9"


class TestRate:
    @pytest.fixture
    async def hasty(self, fake_server):
        """A client that may send one message per second and has spent its burst of two."""
        fake_server.services = replace(fake_server.services, settings=Settings(requests_per_second=1))
        client = await fake_server.connect_player("hasty")
        client.match = (await client.request(type="play", ladder="tiny"))["match"]
        return client

    async def test_rate_limit_error_names_limit_and_wait(self, hasty, fake_server):
        error = await hasty.request(type="ping", c=1)
        assert (error["code"], error["retry_after_ms"], error["fatal"]) == ("rate_limited", 1000, False)
        assert re.findall(r"\b(1|1000|requests_per_second)\b", error["message"]) == ["1", "1000", "requests_per_second"]
        fake_server.clock.advance(1_000)
        assert (await hasty.request(type="ping", c=1))["type"] == "pong"

    async def test_rate_limit_counts_unreadable_frames(self, hasty):
        await hasty.send_frame("no message")
        assert (await hasty.receive("error"))["code"] == "rate_limited"

    async def test_rate_limit_spares_awaited_moves(self, hasty):
        match = hasty.match
        assert (await hasty.request(type="ready", match=match, game=1))["type"] == "turn"
        assert (await hasty.guess(match, 1, "12"))["type"] == "feedback"
        assert await hasty.error_code(type="guess", match=match, game=1, turn=1, code="12") == "rate_limited"

    async def test_flooding_connection_is_closed(self, hasty):
        for _ in range(MAX_REFUSALS):
            await hasty.send(type="ping", c=1)
        assert hasty.channel.close_code is None
        last = await hasty.send(type="ping", c=1)
        assert (await hasty.receive(re=last))["fatal"]
        assert hasty.channel.close_code == 1008
        assert re.findall(r"\b(1|requests_per_second)\b", hasty.channel.close_reason) == ["1", "requests_per_second"]


async def test_busy_read_of_match_is_not_called_flood(ann, fake_server, monkeypatch):
    """The server has too much to read, whatever the client has sent."""

    async def refuse(*_):
        raise BusyError

    monkeypatch.setattr(fake_server.registry, "find", refuse)
    error = await ann.request(type="resume", match=UNKNOWN_MATCH, seq=0)
    assert (error["code"], error["fatal"], error["retry_after_ms"]) == ("rate_limited", False, 1_000)
    assert "requests_per_second" not in error["message"]


async def test_internal_error_keeps_connection(ann, fake_server):
    fake_server.registry.find = BrokenPart()
    assert await ann.error_code(type="resume", match=UNKNOWN_MATCH, seq=0) == "internal"
    [entry] = fake_server.take_log()
    assert entry["log_level"] == "error"
    assert "BrokenPart" in entry["exception"]
    assert (await ann.request(type="ping", c=1))["type"] == "pong"
