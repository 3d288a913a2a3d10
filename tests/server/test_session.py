"""The conversation: who may say what, and that every message gets exactly one direct answer.

The connections count questions and answers; a fixture compares them at the end of every test.
"""

import json
from dataclasses import replace

import pytest

from evilpegs_server.lobby import OPEN_MATCHES
from evilpegs_server.session import MOST_REFUSALS
from evilpegs_server.storage.archive import load_players
from evilpegs_server.watchers import MOST_WATCHED

NOBODYS = "f" * 16


@pytest.fixture
async def ann(building):
    return await building.player("ann")


class TestHello:
    async def test_a_free_name_is_claimed_and_its_token_told_once(self, building):
        first = await building.call().hello("ann")
        assert (first["type"], first["player"], first["kind"], first["open"]) == ("welcome", "ann", "bot", [])
        again = await building.call().hello(token=first["token"])
        assert (again["type"], again["player"]) == ("welcome", "ann")
        assert "token" not in again

    async def test_welcome_tells_ladders_limits_and_program(self, ann, building):
        welcome = json.loads(ann.link.sent[0])
        assert [ladder["id"] for ladder in welcome["ladders"]] == list(building.lobby.ladders)
        assert welcome["limits"] == {
            "frame_bytes": 4096,
            "nesting": 8,
            "open_matches": OPEN_MATCHES,
            "requests_per_second": 100,
        }
        assert welcome["server"] == {"name": "evilpegs", "version": "0"}

    async def test_a_guest_is_named_and_gets_a_token_too(self, building):
        guest = await building.call().hello()
        assert guest["player"].startswith("guest-")
        assert guest["kind"] == "guest"
        assert (await building.call().hello(token=guest["token"]))["player"] == guest["player"]

    async def test_open_matches_are_told(self, ann, building):
        match = await ann.play("tiny")
        assert (await building.call().hello(token=ann.token))["open"] == [{"match": match, "seq": 2}]

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("ann", "name_taken"),
            ("a-nn", "name_taken"),
            ("Ann", "bad_name"),
            ("guest-1", "bad_name"),
            ("x" * 64, "bad_name"),
        ],
    )
    async def test_names_that_cannot_be_had(self, ann, building, name, code):
        assert (await building.call().hello(name))["code"] == code

    async def test_after_a_refusal_another_name_will_do(self, ann, building):
        caller = building.call()
        await caller.hello("ann")
        assert (await caller.hello("bob"))["type"] == "welcome"

    async def test_an_unknown_token(self, building):
        assert (await building.call().hello(token="0" * 64))["code"] == "auth_failed"

    async def test_a_second_hello(self, ann):
        assert (await ann.hello("bob"))["code"] == "bad_message"

    async def test_when_registration_is_closed(self, ann, building):
        building.house = replace(building.house, registration="closed")
        assert (await building.call().hello("bob"))["code"] == "auth_required"
        assert (await building.call().hello(token=ann.token))["type"] == "welcome"
        assert (await building.call().hello())["kind"] == "guest"

    async def test_when_the_server_is_about_to_stop(self, building):
        building.lobby.draining = True
        assert (await building.call().hello("ann"))["code"] == "draining"

    async def test_a_name_that_could_not_be_stored_is_free_again(self, building, broken_disk):
        broken_disk.on = True
        assert (await building.call().hello("ann"))["code"] == "storage_unavailable"
        broken_disk.on = False
        assert (await building.call().hello("ann"))["type"] == "welcome"


class TestBeforeHello:
    @pytest.mark.parametrize(
        "message",
        [
            {"type": "play", "ladder": "tiny"},
            {"type": "ready", "match": NOBODYS, "game": 1},
            {"type": "guess", "match": NOBODYS, "game": 1, "turn": 1, "code": "11"},
            {"type": "hint", "match": NOBODYS},
            {"type": "resign", "match": NOBODYS},
            {"type": "resume", "match": NOBODYS, "seq": 0},
            {"type": "watch", "ladder": "tiny"},
            {"type": "unwatch", "ladder": "tiny"},
        ],
        ids=lambda message: message["type"],
    )
    async def test_it_is_required(self, building, message):
        assert await building.call().refusal(**message) == "auth_required"

    async def test_a_ping_is_answered(self, building):
        assert await building.call().ask(type="ping", c=7) == {"type": "pong", "c": 7, "re": "q1"}


class TestPlay:
    async def test_it_is_answered_by_the_match_and_followed_by_the_game(self, ann):
        started = await ann.ask(type="play", ladder="tiny")
        assert (started["type"], started["seq"], started["player"]) == ("match_started", 1, "ann")
        assert started["client"] == {"name": "tester", "version": "1.0"}
        assert (await ann.hear())["type"] == "game_started"

    async def test_an_unknown_ladder(self, ann):
        assert await ann.refusal(type="play", ladder="no-such") == "unknown_ladder"

    async def test_a_guest_who_never_plays_leaves_no_trace(self, building):
        guest = building.call()
        await guest.hello()
        known = len(building.house.players)
        guest.session.leave()
        assert len(building.house.players) == known - 1
        assert len(load_players(building.engine)) == 0

    async def test_a_guest_who_plays_is_stored_once_and_known_later(self, building):
        guest = building.call()
        token = (await guest.hello())["token"]
        for _ in range(2):
            await guest.play("tiny-practice")
        guest.session.leave()
        assert len(load_players(building.engine)) == 1
        assert load_players(building.engine).by_token(token) == building.house.players.by_token(token)

    async def test_guests_play_practice_only(self, building):
        guest = building.call()
        await guest.hello()
        assert await guest.refusal(type="play", ladder="tiny") == "auth_required"
        assert (await guest.ask(type="play", ladder="tiny-practice"))["type"] == "match_started"

    async def test_too_many_matches(self, ann, building):
        matches = [await ann.play("tiny", ready=False) for _ in range(OPEN_MATCHES)]
        assert await ann.refusal(type="play", ladder="tiny") == "too_many_matches"
        bob = await building.player("bob")
        await bob.play("tiny")
        await ann.ask(type="resign", match=matches[0])
        assert (await ann.ask(type="play", ladder="tiny"))["type"] == "match_started"

    async def test_when_the_server_is_about_to_stop(self, ann, building):
        building.lobby.draining = True
        assert await ann.refusal(type="play", ladder="tiny") == "draining"


class TestGame:
    async def test_the_direct_answer_of_each_message(self, ann):
        match = await ann.play("long", ready=False)
        turn = await ann.ask(type="ready", match=match, game=1)
        assert turn == {"type": "turn", "match": match, "game": 1, "turn": 1, "left_ms": 10_000, "re": "q3"}
        feedback = await ann.guess(match, 1, "1" * 16)
        assert (feedback["type"], feedback["code"], feedback["seq"]) == ("feedback", "1" * 16, 3)
        assert await ann.hear() == {"type": "turn", "match": match, "game": 1, "turn": 2, "left_ms": 11_000}
        over = await ann.ask(type="resign", match=match)
        assert (over["type"], over["outcome"]) == ("game_over", "resigned")
        assert [(await ann.hear())["type"] for _ in range(2)] == ["game_over", "match_over"]

    async def test_ready_again_brings_the_open_turn(self, ann, building):
        match = await ann.play("tiny")
        building.fair_time.ms += 300
        turn = await ann.ask(type="ready", match=match, game=1)
        assert (turn["type"], turn["turn"], turn["left_ms"]) == ("turn", 1, 9_700)

    async def test_a_guess_again_brings_the_stored_feedback(self, ann):
        match = await ann.play("long")
        first = await ann.guess(match, 1, "1" * 16)
        again = await ann.guess(match, 1, "1" * 16)
        assert first | {"re": None} == again | {"re": None}
        assert await ann.refusal(type="guess", match=match, game=1, turn=1, code="2" * 16) == "stale_turn"

    @pytest.mark.parametrize(("game", "turn", "code"), [(1, 2, "future_turn"), (2, 1, "future_turn")])
    async def test_an_error_says_where_the_match_stands(self, ann, game, turn, code):
        match = await ann.play("tiny")
        error = await ann.guess(match, turn, "11", game=game)
        assert (error["code"], error["expected"]) == (code, {"game": 1, "turn": 1})

    async def test_an_illegal_code_is_not_repeated(self, ann):
        match = await ann.play("tiny")
        error = await ann.guess(match, 1, "<&x>")
        assert (error["code"], error["fatal"]) == ("illegal_code", False)
        assert "<" not in error["message"]
        assert "2 more" in error["message"]

    async def test_a_finished_match_can_be_asked_for_again(self, ann, building):
        match = await ann.play("tiny")
        first = await ann.guess(match, 1, "12")
        await ann.ask(type="resign", match=match)
        await ann.hear("match_over")
        later = building.call()
        await later.hello(token=ann.token)
        resumed = await later.ask(type="resume", match=match, seq=0)
        assert resumed["state"] == "over"
        events = [await later.hear() for _ in range(resumed["seq"])]
        assert [event["seq"] for event in events] == list(range(1, resumed["seq"] + 1))
        assert (await later.guess(match, 1, "12"))["seq"] == first["seq"]
        assert await later.refusal(type="ready", match=match, game=2) == "game_over"


class TestSeat:
    @pytest.mark.parametrize("kind", ["ready", "guess", "hint", "resign", "resume"])
    async def test_the_match_of_another_player_or_of_nobody(self, ann, building, kind):
        match = await ann.play("tiny")
        bob = await building.player("bob")
        fields = {
            "ready": {"game": 1},
            "guess": {"game": 1, "turn": 1, "code": "11"},
            "hint": {},
            "resign": {},
            "resume": {"seq": 0},
        }[kind]
        for whose in (match, NOBODYS):
            assert await bob.refusal(type=kind, match=whose, **fields) == "not_your_match"

    async def test_the_newest_connection_that_resumes_has_the_seat(self, ann, building):
        match = await ann.play("tiny")
        newer = building.call()
        await newer.hello(token=ann.token)
        assert await newer.refusal(type="ready", match=match, game=1) == "not_your_match"
        resumed = await newer.ask(type="resume", match=match, seq=1)
        assert (resumed["type"], resumed["state"], resumed["game"]) == ("resumed", "turn", 1)
        assert [(await newer.hear())["type"] for _ in range(2)] == ["game_started", "turn"]
        assert (await ann.hear("notice"))["kind"] == "seat_taken"
        assert ann.link.closed == 4003
        assert await ann.refusal(type="ready", match=match, game=1) == "not_your_match"
        assert (await newer.guess(match, 1, "11"))["type"] == "feedback"

    async def test_resuming_on_the_same_connection_closes_nothing(self, ann):
        match = await ann.play("tiny", ready=False)
        resumed = await ann.ask(type="resume", match=match, seq=2)
        assert (resumed["state"], resumed["ready_by_ms"]) == ("ready", 60_000)
        assert ann.link.closed is None


class TestHint:
    async def test_on_a_practice_ladder(self, ann):
        match = await ann.play("tiny-practice")
        hint = await ann.ask(type="hint", match=match)
        assert (hint["type"], hint["candidates"], len(hint["code"])) == ("hint", 9, 2)

    async def test_not_on_a_rated_one(self, ann):
        match = await ann.play("tiny")
        assert await ann.refusal(type="hint", match=match) == "not_practice"

    async def test_not_without_an_open_turn(self, ann):
        match = await ann.play("tiny-practice", ready=False)
        assert await ann.refusal(type="hint", match=match) == "not_ready"
        await ann.ask(type="resign", match=match)
        await ann.hear("match_over")
        assert await ann.refusal(type="hint", match=match) == "game_over"


class TestWatch:
    async def test_a_match_from_its_beginning(self, ann, building):
        match = await ann.play("tiny")
        bob = await building.player("bob")
        assert (await bob.ask(type="watch", match=match))["matches"] == [match]
        assert [(await bob.hear())["type"] for _ in range(2)] == ["match_started", "game_started"]
        await ann.guess(match, 1, "12")
        seen = await bob.hear()
        assert (seen["type"], seen["code"]) == ("feedback", "12")
        assert "re" not in seen

    async def test_a_ladder(self, ann, building):
        match = await ann.play("tiny")
        bob = await building.player("bob")
        assert (await bob.ask(type="watch", ladder="tiny"))["matches"] == [match]
        later = await ann.play("tiny")
        assert (await bob.hear("match_started"))["match"] == later

    async def test_unwatching(self, ann, building):
        match = await ann.play("tiny")
        bob = await building.player("bob")
        await bob.ask(type="watch", match=match)
        assert (await bob.ask(type="unwatch", match=match))["type"] == "unwatched"
        assert (await bob.ask(type="unwatch", ladder="tiny"))["type"] == "unwatched"
        before = len(bob.link.sent)
        await ann.guess(match, 1, "12")
        await ann.hear()
        assert len(bob.link.sent) == before

    async def test_a_match_that_is_over(self, ann, building):
        match = await ann.play("tiny")
        await ann.ask(type="resign", match=match)
        await ann.hear("match_over")
        bob = await building.player("bob")
        await bob.ask(type="watch", match=match)
        assert (await bob.hear("match_over"))["outcomes"] == ["resigned", "resigned"]

    async def test_what_is_not_there(self, ann):
        assert await ann.refusal(type="watch", ladder="no-such") == "unknown_ladder"
        assert await ann.refusal(type="watch", match=NOBODYS) == "not_your_match"

    async def test_too_much(self, ann, building):
        for number in range(MOST_WATCHED):
            building.lobby.watchers.watch(ann.link, f"topic {number}")
        assert await ann.refusal(type="watch", ladder="tiny") == "rate_limited"


class TestUnreadable:
    @pytest.mark.parametrize(
        ("frame", "code"),
        [
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
        ],
    )
    async def test_what_is_no_message_gets_a_typed_error_and_harms_nothing(self, ann, frame, code):
        match = await ann.play("tiny")
        await ann.take(frame)
        error = await ann.hear("error")
        assert (error["code"], error["fatal"]) == (code, False)
        assert (await ann.guess(match, 1, "11"))["type"] == "feedback"

    async def test_the_id_is_repeated_where_it_was_read(self, ann):
        await ann.take('{"type":"dance","id":"q9"}')
        ann.asked.append("q9")
        assert (await ann.hear("error"))["re"] == "q9"


class TestRate:
    @pytest.fixture
    async def hasty(self, building):
        """A connection that may send one message a second, and has spent its burst of two."""
        building.house = replace(building.house, requests_per_second=1)
        caller = await building.player("hasty")
        caller.match = (await caller.ask(type="play", ladder="tiny"))["match"]
        return caller

    async def test_too_many_messages_are_refused_with_the_time_to_wait(self, hasty, building):
        error = await hasty.ask(type="ping", c=1)
        assert (error["code"], error["retry_after_ms"], error["fatal"]) == ("rate_limited", 1000, False)
        building.fair_time.ms += 1_000
        assert (await hasty.ask(type="ping", c=1))["type"] == "pong"

    async def test_so_are_frames_that_cannot_be_read(self, hasty):
        await hasty.take("no message")
        assert (await hasty.hear("error"))["code"] == "rate_limited"

    async def test_what_the_match_waits_for_never_is(self, hasty):
        match = hasty.match
        assert (await hasty.ask(type="ready", match=match, game=1))["type"] == "turn"
        assert (await hasty.guess(match, 1, "12"))["type"] == "feedback"
        assert await hasty.refusal(type="guess", match=match, game=1, turn=1, code="12") == "rate_limited"

    async def test_who_does_not_stop_is_closed(self, hasty):
        for _ in range(MOST_REFUSALS):
            await hasty.say(type="ping", c=1)
        assert hasty.link.closed is None
        last = await hasty.say(type="ping", c=1)
        assert (await hasty.hear(re=last))["fatal"]
        assert hasty.link.closed == 1008


async def test_a_fault_of_the_server_is_told_and_logged_and_the_connection_lives(ann, building, monkeypatch):
    monkeypatch.setattr(building.lobby, "on_ladder", lambda ladder: 1 // 0)
    assert await ann.refusal(type="watch", ladder="tiny") == "internal"
    assert [entry["event"] for entry in building.logged] == ["a request failed"]
    assert (await ann.ask(type="ping", c=1))["type"] == "pong"
