"""The runner: it commits before it sends, keeps requests in order, and survives a failing codemaker and disk.

On the ladder `quick` a player is flagged after one millisecond on the fake clock.
"""

import json

import pytest

from evilpegs_protocol.client_messages import Resign
from evilpegs_server.match.match import IDLE_MS, RefusedError
from evilpegs_server.play.messages import Request
from evilpegs_server.play.runner import MAX_WAITING
from evilpegs_server.replies.capacity import reply_cost
from evilpegs_server.storage.queries import read
from evilpegs_server.timing import Timing
from evilpegs_server.work.hints import HINT_BUDGET, HintResult
from evilpegs_server.work.tasks import FindHint, FindWitness
from support.waiting import loop_turns, until
from support.workspaces import Call


@pytest.fixture
def quick_hint(fake_server):
    """Replace every hint by one that takes no work."""
    fake_server.pool.replacements[FindHint] = Call(HintResult, "123456", 2, "made up")


def assert_failure_was_logged(fake_server, match):
    """Expect one error in the log, about ``match`` and caused by a division by zero."""
    [entry] = fake_server.take_log()
    assert (entry["log_level"], entry["match"]) == ("error", match)
    assert "ZeroDivisionError" in entry["exception"]


class TestDurability:
    async def test_events_are_stored_before_they_are_sent(self, ann, fake_server):
        stored = []

        def count_stored(_texts):
            with fake_server.engine.connect() as connection:
                stored.append(connection.exec_driver_sql("SELECT count(*) FROM events").scalar())

        ann.channel.before_send = count_stored
        match = await ann.play("long")
        await ann.guess(match, 1, "1" * 16)
        assert stored == [2, 2, 3]

    async def test_match_is_stored_with_time_of_its_first_event(self, ann, fake_server):
        fake_server.clock.wall_step_ms = 1
        started = await ann.request(type="play", ladder="long")
        stored = read(fake_server.engine, "SELECT id, started_at FROM matches")
        assert stored == [(started["match"], started["at"])]

    async def test_feedback_and_turn_are_one_write(self, ann):
        match = await ann.play("long")
        writes = []
        ann.channel.before_send = lambda texts: writes.append([json.loads(text)["type"] for text in texts])
        await ann.guess(match, 1, "1" * 16)
        assert writes == [["feedback", "turn"]]

    async def test_unstored_feedback_is_never_sent(self, ann, fake_server, broken_disk):
        match = await ann.play("long")
        broken_disk.on = True
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        error = await ann.receive("error")
        assert (error["code"], error["fatal"], ann.channel.close_code) == ("storage_unavailable", True, 1011)
        assert "feedback" not in ann.channel.sent_types
        [entry] = fake_server.take_log()
        assert (entry["log_level"], entry["match"], entry["error"]) == ("error", match, "OSError")
        broken_disk.on = False
        again = await fake_server.reconnect(ann)
        assert (await again.request(type="resume", match=match, seq=0))["seq"] == 2
        assert (await again.guess(match, 1, "2" * 16))["seq"] == 3

    async def test_broken_match_is_restored_by_itself(self, open_fake_server, broken_disk):
        fake_server = open_fake_server(timing=Timing(reload_seconds=0))
        ann = await fake_server.connect_player()
        match = await ann.play("long")
        broken_disk.on = True
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        await ann.receive("error")
        assert len(fake_server.take_log()) == 1
        broken_disk.on = False
        await until(lambda: fake_server.registry.open.get(match))
        again = fake_server.connect()
        assert [(each["match"], each["seq"]) for each in (await again.hello(token=ann.token))["open"]] == [(match, 2)]

    async def test_unstored_match_never_opens(self, ann, fake_server, broken_disk):
        broken_disk.on = True
        await ann.send(type="play", ladder="tiny")
        assert (await ann.receive("error"))["code"] == "storage_unavailable"
        assert len(fake_server.take_log()) == 1
        assert len(fake_server.registry.open) == 0

    async def test_storage_error_without_message_is_reported(self, ann, fake_server, broken_disk):
        match = await ann.play("long")
        broken_disk.on = True
        broken_disk.error = MemoryError()
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        assert (await ann.receive("error"))["code"] == "storage_unavailable"
        assert len(fake_server.take_log()) == 1

    async def test_broken_match_refuses_requests(self, ann, fake_server, broken_disk):
        match = await ann.play("long")
        runner = fake_server.registry.open.get(match)
        broken_disk.on = True
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        await ann.receive("error")
        with pytest.raises(RefusedError) as caught:
            runner.receive(Request(ann.channel, Resign(match=match), fake_server.clock.now()))
        error = caught.value.answer(None)
        assert (error.code, error.fatal) == ("storage_unavailable", False)
        assert len(fake_server.take_log()) == 1

    async def test_failed_recording_breaks_only_its_match(self, ann, fake_server):
        match, other = await ann.play("long"), await ann.play("tiny")
        runner = fake_server.registry.open.get(match)
        fake_server.clock.wall_error = ArithmeticError()
        await ann.send(type="guess", match=match, game=1, turn=1, code="1" * 16)
        assert (await ann.receive("error"))["code"] == "storage_unavailable"
        assert not runner.busy
        [entry] = fake_server.take_log()
        assert (entry["log_level"], entry["match"], entry["error"]) == ("error", match, "ArithmeticError")
        fake_server.clock.wall_error = None
        again = await fake_server.reconnect(ann)
        for each in (match, other):
            assert (await again.request(type="resume", match=each, seq=0))["state"] == "turn"
        assert (await again.guess(match, 1, "1" * 16))["seq"] == 3


class TestOrder:
    """Requests wait while the codemaker thinks."""

    @pytest.fixture
    async def match(self, ann, fake_server, quick_hint):
        match = await ann.play("slow")
        fake_server.pool.paused = True
        return match

    async def test_doubled_guess_waits_for_same_answer(self, ann, fake_server, match):
        ids = [await ann.send(type="guess", match=match, game=1, turn=1, code="123456") for _ in range(2)]
        assert "feedback" not in ann.channel.sent_types
        fake_server.pool.run_pending()
        answers = [await ann.receive("feedback", re=each) for each in ids]
        assert answers[0] | {"re": None} == answers[1] | {"re": None}

    async def test_resignation_waits_for_reply(self, ann, fake_server, match):
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        resigned = await ann.send(type="resign", match=match, game=1)
        fake_server.pool.paused = False
        fake_server.pool.run_pending()
        assert (await ann.receive("game_over", re=resigned))["guesses"] == 1
        assert ann.channel.sent_types[-4:] == ["feedback", "turn", "game_over", "game_started"]

    async def test_new_seat_receives_pending_reply(self, ann, fake_server, match):
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        newer = await fake_server.reconnect(ann)
        resume = await newer.send(type="resume", match=match, seq=2)
        fake_server.pool.run_pending()
        assert (await newer.receive(re=resume))["seq"] == 3
        assert [(await newer.receive())["type"] for _ in range(2)] == ["feedback", "turn"]

    async def test_too_many_waiting_requests_are_refused(self, ann, fake_server, match):
        await ann.send(type="guess", match=match, game=1, turn=1, code="123456")
        for _ in range(MAX_WAITING):
            await ann.send(type="hint", match=match)
        assert await ann.error_code(type="hint", match=match) == "rate_limited"
        fake_server.pool.paused = False
        fake_server.pool.run_pending()
        for _ in range(MAX_WAITING):
            await ann.receive("hint")

    async def test_absent_player_finds_reply_later(self, ann, fake_server, match):
        ann.request_ids.remove(await ann.send(type="guess", match=match, game=1, turn=1, code="123456"))
        fake_server.registry.leave(ann.channel, ann.session.player)
        ann.channel.lost = True
        fake_server.pool.run_pending()
        again = await fake_server.reconnect(ann)
        assert (await again.request(type="resume", match=match, seq=2))["seq"] == 3
        assert (await again.receive())["code"] == "123456"


class TestDisclosure:
    """A game on large rules ends with a witness, a consistent code, that the pool computes."""

    @pytest.fixture
    async def match(self, ann, fake_server):
        match = await ann.play("slow")
        await ann.guess(match, 1, "123456")
        fake_server.pool.paused = True
        return match

    async def test_resigned_game_waits_for_witness(self, ann, fake_server, match):
        resigned = await ann.send(type="resign", match=match, game=1)
        ready = await ann.send(type="ready", match=match, game=2)
        assert ann.channel.sent_types[-1] == "turn"
        assert fake_server.registry.open.get(match).busy
        fake_server.pool.run_pending()
        over = await ann.receive("game_over", re=resigned)
        assert (over["outcome"], len(over["secret"])) == ("resigned", 6)
        assert (await ann.receive("turn", re=ready))["game"] == 2

    async def test_timed_out_game_waits_for_witness(self, ann, fake_server, match):
        fake_server.clock.advance(2 * IDLE_MS)
        fake_server.registry.open.get(match).wake()
        assert ann.channel.sent_types[-1] == "turn"
        fake_server.pool.run_pending()
        over = await ann.receive("game_over")
        assert (over["outcome"], len(over["secret"])) == ("forfeit", 6)

    async def test_unsolved_game_shows_witness(self, ann, fake_server, match):
        fake_server.pool.paused = False
        await play_on(ann, match, 2)
        over = json.loads(ann.channel.sent[-2])
        assert (over["type"], over["outcome"]) == ("game_over", "unsolved")
        assert len(fake_server.pool.submitted) == 3  # the first guess, its first repetition and the witness
        assert len(over["secret"]) == 6

    async def test_closed_server_drops_late_witness(self, ann, fake_server, match):
        await ann.send(type="resign", match=match, game=1)
        ann.request_ids.pop()
        events = len(fake_server.registry.open.get(match).event_log.entries)
        fake_server.registry.close()
        fake_server.pool.run_pending()
        await loop_turns()
        assert len(fake_server.registry.open.get(match).event_log.entries) == events
        assert ann.channel.sent_types[-1] == "turn"

    async def test_failed_witness_ends_game_without_secret(self, ann, fake_server, match):
        fake_server.pool.replacements[FindWitness] = Call(lambda: 1 // 0)
        resigned = await ann.send(type="resign", match=match, game=1)
        fake_server.pool.run_pending()
        over = await ann.receive("game_over", re=resigned)
        assert (over["outcome"], over["secret"]) == ("resigned", None)
        assert_failure_was_logged(fake_server, match)


async def play_on(ann, match, turn):
    """Repeat one guess until the game is over."""
    while (await ann.guess(match, turn, "123456"))["type"] == "feedback":
        turn += 1
        if (await ann.receive("turn", "game_over"))["type"] == "game_over":
            await ann.receive("game_started")
            return


async def test_pool_jobs_are_charged_to_player(ann, fake_server, quick_hint):
    match = await ann.play("slow")
    await ann.guess(match, 1, "123456")
    await ann.request(type="hint", match=match)
    player = fake_server.registry.open.get(match).player
    assert fake_server.pool.submitted == [
        (player, reply_cost(fake_server.registry.ladders.known["slow"], 0)),
        (player, HINT_BUDGET),
    ]


class TestFailure:
    async def test_failed_codemaker_voids_game_only(self, ann, fake_server):
        match = await ann.play("evil")
        fake_server.codemaking.before_reply = lambda _secrets: 1 // 0
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="11") == "internal"
        fake_server.codemaking.before_reply = None
        assert (await ann.receive("game_over"))["outcome"] == "void"
        assert (await ann.receive("game_started"))["game"] == 2
        await ann.request(type="ready", match=match, game=2)
        assert (await ann.guess(match, 1, "11", game=2))["type"] == "feedback"
        assert_failure_was_logged(fake_server, match)

    async def test_failed_hint_keeps_game(self, ann, fake_server):
        match = await ann.play("tiny-practice")
        fake_server.pool.replacements[FindHint] = Call(lambda: 1 // 0)
        assert await ann.error_code(type="hint", match=match) == "internal"
        assert (await ann.guess(match, 1, "11"))["type"] == "feedback"
        assert_failure_was_logged(fake_server, match)


class TestTime:
    async def test_timer_flags_silent_player(self, ann, fake_server):
        await ann.play("quick")
        fake_server.clock.advance(2)
        assert (await ann.receive("game_over"))["outcome"] == "flagged"
        assert (await ann.receive())["type"] == "game_started"

    async def test_early_timer_is_set_again(self, ann, fake_server):
        match = await ann.play("tiny")
        fake_server.registry.open.get(match).wake()
        assert fake_server.registry.open.get(match).time.timer is not None
        assert ann.channel.sent_types[-1] == "turn"

    async def test_timer_flags_absent_player(self, ann, fake_server):
        match = await ann.play("quick")
        fake_server.registry.leave(ann.channel, ann.session.player)
        log = fake_server.registry.open.get(match).event_log
        fake_server.clock.advance(2)
        await until(lambda: any(entry.type == "game_over" for entry in log.entries))
        assert [json.loads(entry.text)["outcome"] for entry in log.entries if entry.type == "game_over"] == ["flagged"]

    async def test_late_guess_gets_flagged_error(self, ann, fake_server):
        match = await ann.play("tiny")
        fake_server.clock.advance(10_001)
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="11") == "flagged"
        assert (await ann.receive())["outcome"] == "flagged"

    async def test_guess_is_timed_by_arrival(self, ann, fake_server):
        match = await ann.play("tiny")
        arrived = fake_server.clock.ms + 250
        fake_server.clock.advance(20_000)
        ann.request_ids.append("late")
        guess = {"type": "guess", "match": match, "game": 1, "turn": 1, "code": "12", "id": "late"}
        await ann.session.handle_frame(json.dumps(guess), arrived)
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

    async def test_stalled_turn_is_marked(self, ann, fake_server):
        match = await ann.play("long")
        fake_server.clock.stall(80)
        await ann.request(type="ready", match=match, game=1)
        fake_server.clock.stall(100)
        assert (await ann.guess(match, 1, "1" * 16))["stalled_ms"] == 180
        assert "stalled_ms" not in await ann.guess(match, 2, "1" * 16)

    async def test_stalls_are_credited_up_to_limit(self, ann, fake_server):
        match = await ann.play("long")
        for _ in range(5):
            fake_server.clock.stall(900)
        given = await ann.guess(match, 1, "1" * 16)
        assert (given["took_ms"], given["stalled_ms"]) == (2_500, 2_000)
        fake_server.clock.stall(12_000)
        given = await ann.guess(match, 2, "1" * 16)
        assert (given["took_ms"], given["stalled_ms"]) == (0, 12_000)

    async def test_no_short_stall_is_credited_over_limit(self, ann, fake_server):
        match = await ann.play("long")
        ann.channel.over_limit = True
        fake_server.clock.stall(900)
        given = await ann.guess(match, 1, "1" * 16)
        assert given["took_ms"] == 900
        assert "stalled_ms" not in given

    async def test_stall_moves_flag(self, ann, fake_server):
        match = await ann.play("quick")
        for _ in range(2):
            fake_server.clock.stall(900)
        fake_server.registry.open.get(match).wake()
        assert (await ann.guess(match, 1, "11"))["took_ms"] == 0

    async def test_idle_game_ends_after_pending_hint(self, ann, fake_server, quick_hint):
        match = await ann.play("slow")
        fake_server.pool.paused = True
        await ann.send(type="hint", match=match)
        fake_server.clock.advance(IDLE_MS)
        fake_server.registry.open.get(match).wake()
        fake_server.pool.run_pending()
        assert (await ann.receive("hint"))["match"] == match
        assert (await ann.receive("game_over"))["outcome"] == "forfeit"


async def test_three_illegal_codes_forfeit_game(ann):
    match = await ann.play("tiny")
    for _ in range(3):
        assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="44") == "illegal_code"
    over = await ann.receive("game_over")
    assert (over["outcome"], over["guesses"]) == ("forfeit", 0)
    assert "re" not in over
