"""The runner: commits before it tells, keeps requests in order, and survives a failing codemaker and disk.

The flag of the ladder `quick` falls after one millisecond of fair time, which only the tests move.
"""

import asyncio
import json

import pytest

from evilpegs_protocol.client_messages import Resign
from evilpegs_server import lobby, tasks
from evilpegs_server.answers import Asked
from evilpegs_server.codemaking import cost
from evilpegs_server.hinting import HINT_BUDGET, HintAnswer
from evilpegs_server.match import IDLE_MS
from evilpegs_server.runner import MOST_WAITING


@pytest.fixture
async def ann(building):
    return await building.player("ann")


@pytest.fixture
def quick_hint(monkeypatch):
    """Hints that take no work."""
    monkeypatch.setattr(tasks, "find_hint", lambda _position: HintAnswer("123456", 2, "made up"))


def types(caller):
    return [json.loads(text)["type"] for text in caller.link.sent]


class TestDurability:
    async def test_what_is_told_is_stored(self, ann, building):
        stored = []
        tell = ann.link.send

        def look_then_tell(texts):
            with building.engine.connect() as connection:
                stored.append(connection.exec_driver_sql("SELECT count(*) FROM events").scalar())
            tell(texts)

        ann.link.send = look_then_tell
        match = await ann.play("long")
        await ann.guess(match, 1, "1" * 16)
        assert stored == [2, 2, 3]

    async def test_feedback_and_turn_go_out_in_one_write(self, ann):
        match = await ann.play("long")
        writes = []
        tell = ann.link.send
        ann.link.send = lambda texts: (writes.append([json.loads(text)["type"] for text in texts]), tell(texts))
        await ann.guess(match, 1, "1" * 16)
        assert writes == [["feedback", "turn"]]

    async def test_what_cannot_be_stored_is_not_told_and_the_match_goes_on_from_what_is(
        self, ann, building, broken_disk
    ):
        match = await ann.play("long")
        broken_disk.on = True
        await ann.say(type="guess", match=match, game=1, turn=1, code="1" * 16)
        error = await ann.hear("error")
        assert (error["code"], error["fatal"], ann.link.closed) == ("storage_unavailable", True, 1011)
        assert "feedback" not in types(ann)
        assert [entry["event"] for entry in building.logged] == ["could not store events"]
        broken_disk.on = False
        again = building.call()
        await again.hello(token=ann.token)
        assert (await again.ask(type="resume", match=match, seq=0))["seq"] == 2
        assert (await again.guess(match, 1, "2" * 16))["seq"] == 3

    async def test_a_match_whose_events_could_not_be_stored_comes_back_by_itself(
        self, ann, building, broken_disk, monkeypatch
    ):
        monkeypatch.setattr(lobby, "BRING_BACK_SECONDS", 0)
        match = await ann.play("long")
        broken_disk.on = True
        await ann.say(type="guess", match=match, game=1, turn=1, code="1" * 16)
        await ann.hear("error")
        assert len(building.logged) == 1
        broken_disk.on = False
        async with asyncio.timeout(10):
            while building.lobby.get(match) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        again = building.call()
        assert (await again.hello(token=ann.token))["open"] == [{"match": match, "seq": 2}]

    async def test_a_match_that_could_not_begin_never_was(self, ann, building, broken_disk):
        broken_disk.on = True
        await ann.say(type="play", ladder="tiny")
        assert (await ann.hear("error"))["code"] == "storage_unavailable"
        assert len(building.logged) == 1
        assert len(building.lobby) == 0

    async def test_an_error_without_words_is_told_too(self, ann, building, broken_disk):
        match = await ann.play("long")
        broken_disk.on = True
        broken_disk.error = MemoryError()
        await ann.say(type="guess", match=match, game=1, turn=1, code="1" * 16)
        assert (await ann.hear("error"))["code"] == "storage_unavailable"
        assert len(building.logged) == 1

    async def test_a_broken_match_says_so(self, ann, building, broken_disk):
        match = await ann.play("long")
        runner = building.lobby.get(match)
        broken_disk.on = True
        await ann.say(type="guess", match=match, game=1, turn=1, code="1" * 16)
        await ann.hear("error")
        runner.receive(Asked(ann.link, Resign(match=match), building.fair_time.now()))
        error = await ann.hear("error")
        assert (error["code"], error["fatal"]) == ("storage_unavailable", False)
        assert "cannot store" in error["message"]
        assert len(building.logged) == 1

    async def test_a_record_that_cannot_be_written_down_breaks_only_its_match(self, ann, building, monkeypatch):
        match, other = await ann.play("long"), await ann.play("tiny")
        runner = building.lobby.get(match)
        monkeypatch.setattr(runner._scribe, "take_down", lambda *_: 1 // 0)
        await ann.say(type="guess", match=match, game=1, turn=1, code="1" * 16)
        assert (await ann.hear("error"))["code"] == "storage_unavailable"
        assert not runner.busy
        assert [entry["event"] for entry in building.logged] == ["could not store events"]
        again = building.call()
        await again.hello(token=ann.token)
        for each in (match, other):
            assert (await again.ask(type="resume", match=each, seq=0))["state"] == "turn"
        assert (await again.guess(match, 1, "1" * 16))["seq"] == 3


class TestOrder:
    """While the codemaker thinks, requests wait."""

    @pytest.fixture
    async def match(self, ann, building, quick_hint):
        match = await ann.play("slow")
        building.pool.held = True
        return match

    async def test_a_doubled_guess_waits_and_gets_the_same_answer(self, ann, building, match):
        numbers = [await ann.say(type="guess", match=match, game=1, turn=1, code="123456") for _ in range(2)]
        assert "feedback" not in types(ann)
        building.pool.let_go()
        answers = [await ann.hear("feedback", re=number) for number in numbers]
        assert answers[0] | {"re": None} == answers[1] | {"re": None}

    async def test_a_resignation_waits(self, ann, building, match):
        await ann.say(type="guess", match=match, game=1, turn=1, code="123456")
        resigned = await ann.say(type="resign", match=match, game=1)
        building.pool.held = False
        building.pool.let_go()
        assert (await ann.hear("game_over", re=resigned))["guesses"] == 1
        assert types(ann)[-4:] == ["feedback", "turn", "game_over", "game_started"]

    async def test_a_connection_that_takes_the_seat_meanwhile_misses_nothing(self, ann, building, match):
        await ann.say(type="guess", match=match, game=1, turn=1, code="123456")
        newer = building.call()
        await newer.hello(token=ann.token)
        resume = await newer.say(type="resume", match=match, seq=2)
        building.pool.let_go()
        assert (await newer.hear(re=resume))["seq"] == 3
        assert [(await newer.hear())["type"] for _ in range(2)] == ["feedback", "turn"]

    async def test_too_many_at_once_are_refused(self, ann, building, match):
        await ann.say(type="guess", match=match, game=1, turn=1, code="123456")
        for _ in range(MOST_WAITING):
            await ann.say(type="hint", match=match)
        assert await ann.refusal(type="hint", match=match) == "rate_limited"
        building.pool.held = False
        building.pool.let_go()
        for _ in range(MOST_WAITING):
            await ann.hear("hint")

    async def test_a_player_who_leaves_finds_the_answer_when_he_is_back(self, ann, building, match):
        ann.asked.remove(await ann.say(type="guess", match=match, game=1, turn=1, code="123456"))
        building.lobby.leave(ann.link)
        ann.link.send = lambda texts: None
        building.pool.let_go()
        back = building.call()
        await back.hello(token=ann.token)
        assert (await back.ask(type="resume", match=match, seq=2))["seq"] == 3
        assert (await back.hear())["code"] == "123456"


class TestDisclosure:
    """At the end of a game on large rules a code that fits is looked for beside the event loop."""

    @pytest.fixture
    async def match(self, ann, building):
        match = await ann.play("slow")
        await ann.guess(match, 1, "123456")
        building.pool.held = True
        return match

    async def test_nothing_is_told_before_it_is_found_and_requests_wait(self, ann, building, match):
        resigned = await ann.say(type="resign", match=match, game=1)
        ready = await ann.say(type="ready", match=match, game=2)
        assert types(ann)[-1] == "turn"
        assert building.lobby.get(match).busy
        building.pool.let_go()
        over = await ann.hear("game_over", re=resigned)
        assert (over["outcome"], len(over["secret"])) == ("resigned", 6)
        assert (await ann.hear("turn", re=ready))["game"] == 2

    async def test_also_when_nobody_asked(self, ann, building, match):
        building.fair_time.ms += 2 * IDLE_MS
        building.lobby.get(match)._alarm._ring()
        assert types(ann)[-1] == "turn"
        building.pool.let_go()
        over = await ann.hear("game_over")
        assert (over["outcome"], len(over["secret"])) == ("forfeit", 6)

    async def test_a_game_that_was_not_solved_asks_for_it_after_the_last_reply(self, ann, building, match):
        building.pool.held = False
        await play_on(ann, match, 2)
        over = json.loads(ann.link.sent[-2])
        assert (over["type"], over["outcome"]) == ("game_over", "unsolved")
        asked = len(building.pool.asked)
        assert asked == 3  # two guesses, of which the later are repetitions, and the code that fits
        assert len(over["secret"]) == 6

    async def test_what_comes_after_the_server_stopped_is_neither_stored_nor_told(self, ann, building, match):
        await ann.say(type="resign", match=match, game=1)
        ann.asked.pop()
        events = len(building.lobby.get(match).record.entries)
        building.lobby.close()
        building.pool.let_go()
        await asyncio.sleep(0)
        assert len(building.lobby.get(match).record.entries) == events
        assert types(ann)[-1] == "turn"

    async def test_if_none_is_found_the_game_ends_without_one(self, ann, building, match, monkeypatch):
        monkeypatch.setattr(tasks, "witness", lambda _position: 1 // 0)
        resigned = await ann.say(type="resign", match=match, game=1)
        building.pool.let_go()
        over = await ann.hear("game_over", re=resigned)
        assert (over["outcome"], over["secret"]) == ("resigned", None)
        assert [entry["event"] for entry in building.logged] == ["no code to show could be found"]


async def play_on(ann, match, turn):
    """Guess the same until the game is over."""
    while (await ann.guess(match, turn, "123456"))["type"] == "feedback":
        turn += 1
        if (await ann.hear("turn", "game_over"))["type"] == "game_over":
            await ann.hear("game_started")
            return


async def test_replies_and_hints_are_computed_in_the_name_of_the_player(ann, building, quick_hint):
    match = await ann.play("slow")
    await ann.guess(match, 1, "123456")
    await ann.ask(type="hint", match=match)
    player = building.lobby.get(match).player
    assert building.pool.asked == [(player, cost(building.lobby.ladders["slow"], 0)), (player, HINT_BUDGET)]


class TestFailure:
    async def test_a_codemaker_that_fails_makes_the_game_void_and_the_next_one_opens(self, ann, building, monkeypatch):
        match = await ann.play("evil")
        monkeypatch.setattr(building.codemaking, "answer", lambda *_: 1 // 0)
        assert await ann.refusal(type="guess", match=match, game=1, turn=1, code="11") == "internal"
        monkeypatch.undo()
        assert (await ann.hear("game_over"))["outcome"] == "void"
        assert (await ann.hear("game_started"))["game"] == 2
        await ann.ask(type="ready", match=match, game=2)
        assert (await ann.guess(match, 1, "11", game=2))["type"] == "feedback"
        assert [entry["event"] for entry in building.logged] == ["codemaker failed"]

    async def test_a_hint_that_fails_is_an_error_and_no_more(self, ann, building, monkeypatch):
        match = await ann.play("tiny-practice")
        monkeypatch.setattr(tasks, "find_hint", lambda _position: 1 // 0)
        assert await ann.refusal(type="hint", match=match) == "internal"
        assert (await ann.guess(match, 1, "11"))["type"] == "feedback"
        assert [entry["event"] for entry in building.logged] == ["hint failed"]


class TestTime:
    async def test_the_flag_falls_by_itself(self, ann, building):
        await ann.play("quick")
        building.fair_time.ms += 2
        assert (await ann.hear("game_over"))["outcome"] == "flagged"
        assert (await ann.hear())["type"] == "game_started"

    async def test_who_looks_too_early_looks_again(self, ann, building):
        match = await ann.play("tiny")
        building.lobby.get(match)._alarm._ring()
        assert building.lobby.get(match)._alarm._timer is not None
        assert types(ann)[-1] == "turn"

    async def test_also_when_nobody_is_there(self, ann, building):
        match = await ann.play("quick")
        bob = await building.player("bob")
        await bob.ask(type="watch", match=match)
        building.lobby.leave(ann.link)
        building.fair_time.ms += 2
        assert (await bob.hear("game_over"))["outcome"] == "flagged"

    async def test_a_guess_after_the_time_is_told_why(self, ann, building):
        match = await ann.play("tiny")
        building.fair_time.ms += 10_001
        assert await ann.refusal(type="guess", match=match, game=1, turn=1, code="11") == "flagged"
        assert (await ann.hear())["outcome"] == "flagged"

    async def test_it_counts_when_a_guess_arrived_not_when_it_was_read(self, ann, building):
        match = await ann.play("tiny")
        arrived = building.fair_time.ms + 250
        building.fair_time.ms += 20_000
        ann.asked.append("late")
        guess = {"type": "guess", "match": match, "game": 1, "turn": 1, "code": "12", "id": "late"}
        await ann.session.take(json.dumps(guess), arrived)
        assert (await ann.hear(re="late"))["took_ms"] == 250

    async def test_thinking_and_committing_are_not_charged(self, ann, building):
        match = await ann.play("slow")
        building.pool.held = True
        building.fair_time.ms += 40
        await ann.say(type="guess", match=match, game=1, turn=1, code="123456")
        building.fair_time.ms += 60_000
        building.pool.let_go()
        assert (await ann.hear("feedback"))["took_ms"] == 40
        building.pool.held = False
        building.fair_time.ms += 7
        assert (await ann.guess(match, 2, "123456"))["took_ms"] == 7

    async def test_a_turn_with_a_stall_is_marked(self, ann, building):
        match = await ann.play("long")
        building.fair_time.stalled_ms += 80
        await ann.ask(type="ready", match=match, game=1)
        building.fair_time.stalled_ms += 100
        assert (await ann.guess(match, 1, "1" * 16))["stalled_ms"] == 180
        assert "stalled_ms" not in await ann.guess(match, 2, "1" * 16)

    async def test_an_idle_game_ends_also_if_a_hint_was_on_its_way_at_the_time(self, ann, building, quick_hint):
        match = await ann.play("slow")
        building.pool.held = True
        await ann.say(type="hint", match=match)
        building.fair_time.ms += IDLE_MS
        building.lobby.get(match)._alarm._ring()
        building.pool.let_go()
        assert (await ann.hear("hint"))["match"] == match
        assert (await ann.hear("game_over"))["outcome"] == "forfeit"


async def test_three_illegal_codes_forfeit(ann):
    match = await ann.play("tiny")
    for _ in range(3):
        assert await ann.refusal(type="guess", match=match, game=1, turn=1, code="44") == "illegal_code"
    over = await ann.hear("game_over")
    assert (over["outcome"], over["guesses"]) == ("forfeit", 0)
    assert "re" not in over
