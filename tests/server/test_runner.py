"""The runner: commits before it tells, keeps requests in order, and survives a failing codemaker and disk.

The flag of the ladder `quick` falls after one millisecond of fair time, which only the tests move.
"""

import asyncio
import json

import pytest

from evilpegs_protocol.client_messages import Resign
from evilpegs_server.answers import Asked
from evilpegs_server.codemaking import cost
from evilpegs_server.hinting import HINT_BUDGET, HintAnswer
from evilpegs_server.match import IDLE_MS
from evilpegs_server.runner import MOST_WAITING
from evilpegs_server.tasks import Hint, Witness
from support.reckoners import Call


@pytest.fixture
def quick_hint(fake_server):
    """Replace every hint by one that takes no work."""
    fake_server.pool.replacements[Hint] = Call(HintAnswer, "123456", 2, "made up")


class TestDurability:
    async def test_what_is_told_is_stored(self, ann, fake_server):
        stored = []
        tell = ann.channel.send

        def look_then_tell(texts):
            with fake_server.engine.connect() as connection:
                stored.append(connection.exec_driver_sql("SELECT count(*) FROM events").scalar())
            tell(texts)

        ann.channel.send = look_then_tell
        match = await ann.play("long")
        await ann.guess(match, 1, "1" * 16)
        assert stored == [2, 2, 3]

    async def test_feedback_and_turn_go_out_in_one_write(self, ann):
        match = await ann.play("long")
        writes = []
        tell = ann.channel.send
        ann.channel.send = lambda texts: (writes.append([json.loads(text)["type"] for text in texts]), tell(texts))
        await ann.guess(match, 1, "1" * 16)
        assert writes == [["feedback", "turn"]]

    async def test_what_cannot_be_stored_is_not_told_and_the_match_goes_on_from_what_is(
        self, ann, fake_server, broken_disk
    ):
        match = await ann.play("long")
        broken_disk.on = True
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        error = await ann.receive("error")
        assert (error["code"], error["fatal"], ann.channel.close_code) == ("storage_unavailable", True, 1011)
        assert "feedback" not in ann.channel.sent_types
        assert [entry["event"] for entry in fake_server.take_log()] == ["could not store events"]
        broken_disk.on = False
        again = fake_server.connect()
        await again.hello(token=ann.token)
        assert (await again.request(type="resume", match=match, seq=0))["seq"] == 2
        assert (await again.guess(match, 1, "2" * 16))["seq"] == 3

    async def test_a_match_whose_events_could_not_be_stored_comes_back_by_itself(
        self, open_fake_server, engine, broken_disk
    ):
        fake_server = open_fake_server(engine, bring_back_seconds=0)
        ann = await fake_server.connect_player()
        match = await ann.play("long")
        broken_disk.on = True
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        await ann.receive("error")
        assert len(fake_server.take_log()) == 1
        broken_disk.on = False
        async with asyncio.timeout(10):
            while fake_server.lobby.get(match) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        again = fake_server.connect()
        assert (await again.hello(token=ann.token))["open"] == [{"match": match, "seq": 2}]

    async def test_a_match_that_could_not_begin_never_was(self, ann, fake_server, broken_disk):
        broken_disk.on = True
        await ann.send(type="play", ladder="tiny")
        assert (await ann.receive("error"))["code"] == "storage_unavailable"
        assert len(fake_server.take_log()) == 1
        assert len(fake_server.lobby) == 0

    async def test_an_error_without_words_is_told_too(self, ann, fake_server, broken_disk):
        match = await ann.play("long")
        broken_disk.on = True
        broken_disk.error = MemoryError()
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        assert (await ann.receive("error"))["code"] == "storage_unavailable"
        assert len(fake_server.take_log()) == 1

    async def test_a_broken_match_says_so(self, ann, fake_server, broken_disk):
        match = await ann.play("long")
        runner = fake_server.lobby.get(match)
        broken_disk.on = True
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        await ann.receive("error")
        runner.receive(Asked(ann.channel, Resign(match=match), fake_server.clock.now()))
        error = await ann.receive("error")
        assert (error["code"], error["fatal"]) == ("storage_unavailable", False)
        assert "cannot store" in error["message"]
        assert len(fake_server.take_log()) == 1

    async def test_a_record_that_cannot_be_written_down_breaks_only_its_match(self, ann, fake_server, monkeypatch):
        match, other = await ann.play("long"), await ann.play("tiny")
        runner = fake_server.lobby.get(match)
        monkeypatch.setattr(runner.record, "append_text", lambda *_: 1 // 0)
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        assert (await ann.receive("error"))["code"] == "storage_unavailable"
        assert not runner.busy
        assert [entry["event"] for entry in fake_server.take_log()] == ["could not store events"]
        again = fake_server.connect()
        await again.hello(token=ann.token)
        for each in (match, other):
            assert (await again.request(type="resume", match=each, seq=0))["state"] == "turn"
        assert (await again.guess(match, 1, "1" * 16))["seq"] == 3


class TestOrder:
    """While the codemaker thinks, requests wait."""

    @pytest.fixture
    async def match(self, ann, fake_server, quick_hint):
        match = await ann.play("slow")
        fake_server.pool.paused = True
        return match

    async def test_a_doubled_guess_waits_and_gets_the_same_answer(self, ann, fake_server, match):
        numbers = [await ann.send(type="guess", match=match, game=1, turn=1, code="123456") for _ in range(2)]
        assert "feedback" not in ann.channel.sent_types
        fake_server.pool.run_pending()
        answers = [await ann.receive("feedback", re=number) for number in numbers]
        assert answers[0] | {"re": None} == answers[1] | {"re": None}

    async def test_a_resignation_waits(self, ann, fake_server, match):
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        resigned = await ann.send(type="resign", match=match, game=1)
        fake_server.pool.paused = False
        fake_server.pool.run_pending()
        assert (await ann.receive("game_over", re=resigned))["guesses"] == 1
        assert ann.channel.sent_types[-4:] == ["feedback", "turn", "game_over", "game_started"]

    async def test_a_connection_that_takes_the_seat_meanwhile_misses_nothing(self, ann, fake_server, match):
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        newer = fake_server.connect()
        await newer.hello(token=ann.token)
        resume = await newer.send(type="resume", match=match, seq=2)
        fake_server.pool.run_pending()
        assert (await newer.receive(re=resume))["seq"] == 3
        assert [(await newer.receive())["type"] for _ in range(2)] == ["feedback", "turn"]

    async def test_too_many_at_once_are_refused(self, ann, fake_server, match):
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        for _ in range(MOST_WAITING):
            await ann.send(type="hint", match=match)
        assert await ann.error_code(type="hint", match=match) == "rate_limited"
        fake_server.pool.paused = False
        fake_server.pool.run_pending()
        for _ in range(MOST_WAITING):
            await ann.receive("hint")

    async def test_a_player_who_leaves_finds_the_answer_when_he_is_back(self, ann, fake_server, match):
        ann.request_ids.remove(await ann.send(type="guess", match=match, game=1, turn=1, code="123456"))
        fake_server.lobby.leave(ann.channel)
        ann.channel.send = lambda texts: None
        fake_server.pool.run_pending()
        back = fake_server.connect()
        await back.hello(token=ann.token)
        assert (await back.request(type="resume", match=match, seq=2))["seq"] == 3
        assert (await back.receive())["code"] == "123456"


class TestDisclosure:
    """At the end of a game on large rules a code that fits is looked for beside the event loop."""

    @pytest.fixture
    async def match(self, ann, fake_server):
        match = await ann.play("slow")
        await ann.guess(match, 1, "123456")
        fake_server.pool.paused = True
        return match

    async def test_nothing_is_told_before_it_is_found_and_requests_wait(self, ann, fake_server, match):
        resigned = await ann.send(type="resign", match=match, game=1)
        ready = await ann.send(type="ready", match=match, game=2)
        assert ann.channel.sent_types[-1] == "turn"
        assert fake_server.lobby.get(match).busy
        fake_server.pool.run_pending()
        over = await ann.receive("game_over", re=resigned)
        assert (over["outcome"], len(over["secret"])) == ("resigned", 6)
        assert (await ann.receive("turn", re=ready))["game"] == 2

    async def test_also_when_nobody_asked(self, ann, fake_server, match):
        fake_server.clock.advance(2 * IDLE_MS)
        fake_server.lobby.get(match).alarm.ring()
        assert ann.channel.sent_types[-1] == "turn"
        fake_server.pool.run_pending()
        over = await ann.receive("game_over")
        assert (over["outcome"], len(over["secret"])) == ("forfeit", 6)

    async def test_a_game_that_was_not_solved_asks_for_it_after_the_last_reply(self, ann, fake_server, match):
        fake_server.pool.paused = False
        await play_on(ann, match, 2)
        over = json.loads(ann.channel.sent[-2])
        assert (over["type"], over["outcome"]) == ("game_over", "unsolved")
        asked = len(fake_server.pool.submitted)
        assert asked == 3  # two guesses, of which the later are repetitions, and the code that fits
        assert len(over["secret"]) == 6

    async def test_what_comes_after_the_server_stopped_is_neither_stored_nor_told(self, ann, fake_server, match):
        await ann.send(type="resign", match=match, game=1)
        ann.request_ids.pop()
        events = len(fake_server.lobby.get(match).record.entries)
        fake_server.lobby.close()
        fake_server.pool.run_pending()
        await asyncio.sleep(0)
        assert len(fake_server.lobby.get(match).record.entries) == events
        assert ann.channel.sent_types[-1] == "turn"

    async def test_if_none_is_found_the_game_ends_without_one(self, ann, fake_server, match):
        fake_server.pool.replacements[Witness] = Call(lambda: 1 // 0)
        resigned = await ann.send(type="resign", match=match, game=1)
        fake_server.pool.run_pending()
        over = await ann.receive("game_over", re=resigned)
        assert (over["outcome"], over["secret"]) == ("resigned", None)
        assert [entry["event"] for entry in fake_server.take_log()] == ["no code to show could be found"]


async def play_on(ann, match, turn):
    """Guess the same until the game is over."""
    while (await ann.guess(match, turn, "123456"))["type"] == "feedback":
        turn += 1
        if (await ann.receive("turn", "game_over"))["type"] == "game_over":
            await ann.receive("game_started")
            return


async def test_replies_and_hints_are_computed_in_the_name_of_the_player(ann, fake_server, quick_hint):
    match = await ann.play("slow")
    await ann.guess(match, 1, "123456")
    await ann.request(type="hint", match=match)
    player = fake_server.lobby.get(match).player
    assert fake_server.pool.submitted == [(player, cost(fake_server.lobby.ladders["slow"], 0)), (player, HINT_BUDGET)]


class TestFailure:
    async def test_failed_codemaker_voids_game_and_opens_next(self, ann, fake_server, monkeypatch):
        match = await ann.play("evil")
        monkeypatch.setattr(fake_server.codemaking, "answer", lambda *_: 1 // 0)
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="11") == "internal"
        monkeypatch.undo()
        assert (await ann.receive("game_over"))["outcome"] == "void"
        assert (await ann.receive("game_started"))["game"] == 2
        await ann.request(type="ready", match=match, game=2)
        assert (await ann.guess(match, 1, "11", game=2))["type"] == "feedback"
        assert [entry["event"] for entry in fake_server.take_log()] == ["codemaker failed"]

    async def test_a_hint_that_fails_is_an_error_and_no_more(self, ann, fake_server):
        match = await ann.play("tiny-practice")
        fake_server.pool.replacements[Hint] = Call(lambda: 1 // 0)
        assert await ann.error_code(type="hint", match=match) == "internal"
        assert (await ann.guess(match, 1, "11"))["type"] == "feedback"
        assert [entry["event"] for entry in fake_server.take_log()] == ["hint failed"]


class TestTime:
    async def test_the_flag_falls_by_itself(self, ann, fake_server):
        await ann.play("quick")
        fake_server.clock.advance(2)
        assert (await ann.receive("game_over"))["outcome"] == "flagged"
        assert (await ann.receive())["type"] == "game_started"

    async def test_who_looks_too_early_looks_again(self, ann, fake_server):
        match = await ann.play("tiny")
        fake_server.lobby.get(match).alarm.ring()
        assert fake_server.lobby.get(match).alarm.is_set
        assert ann.channel.sent_types[-1] == "turn"

    async def test_also_when_nobody_is_there(self, ann, fake_server):
        match = await ann.play("quick")
        bob = await fake_server.connect_player("bob")
        await bob.request(type="watch", match=match)
        fake_server.lobby.leave(ann.channel)
        fake_server.clock.advance(2)
        assert (await bob.receive("game_over"))["outcome"] == "flagged"

    async def test_a_guess_after_the_time_is_told_why(self, ann, fake_server):
        match = await ann.play("tiny")
        fake_server.clock.advance(10_001)
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="11") == "flagged"
        assert (await ann.receive())["outcome"] == "flagged"

    async def test_it_counts_when_a_guess_arrived_not_when_it_was_read(self, ann, fake_server):
        match = await ann.play("tiny")
        arrived = fake_server.clock.ms + 250
        fake_server.clock.advance(20_000)
        ann.request_ids.append("late")
        guess = {"type": "guess", "match": match, "game": 1, "turn": 1, "code": "12", "id": "late"}
        await ann.session.take(json.dumps(guess), arrived)
        assert (await ann.receive(re="late"))["took_ms"] == 250

    async def test_thinking_and_committing_are_not_charged(self, ann, fake_server):
        match = await ann.play("slow")
        fake_server.pool.paused = True
        fake_server.clock.advance(40)
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        fake_server.clock.advance(60_000)
        fake_server.pool.run_pending()
        assert (await ann.receive("feedback"))["took_ms"] == 40
        fake_server.pool.paused = False
        fake_server.clock.advance(7)
        assert (await ann.guess(match, 2, "123456"))["took_ms"] == 7

    async def test_a_turn_with_a_stall_is_marked(self, ann, fake_server):
        match = await ann.play("long")
        fake_server.clock.stall(80)
        await ann.request(type="ready", match=match, game=1)
        fake_server.clock.stall(100)
        assert (await ann.guess(match, 1, "1" * 16))["stalled_ms"] == 180
        assert "stalled_ms" not in await ann.guess(match, 2, "1" * 16)

    async def test_an_idle_game_ends_also_if_a_hint_was_on_its_way_at_the_time(self, ann, fake_server, quick_hint):
        match = await ann.play("slow")
        fake_server.pool.paused = True
        await ann.send(type="hint", match=match)
        fake_server.clock.advance(IDLE_MS)
        fake_server.lobby.get(match).alarm.ring()
        fake_server.pool.run_pending()
        assert (await ann.receive("hint"))["match"] == match
        assert (await ann.receive("game_over"))["outcome"] == "forfeit"


async def test_three_illegal_codes_forfeit(ann):
    match = await ann.play("tiny")
    for _ in range(3):
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="44") == "illegal_code"
    over = await ann.receive("game_over")
    assert (over["outcome"], over["guesses"]) == ("forfeit", 0)
    assert "re" not in over
