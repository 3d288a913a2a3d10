"""Cut and come back: seats, repeats, watchers, and a client that never returns."""

from support.servers import dial


async def test_the_newest_connection_takes_the_seat(server, raw):
    match = await raw.play("classic-practice")
    given = await raw.guess(match, 1, 1, "1122")
    await raw.hear("turn")
    async with dial(server.url) as newer:
        welcome = await newer.hello(token=raw.token)
        assert welcome["open"] == [{"match": match, "seq": given["seq"]}]
        assert (await newer.guess(match, 1, 2, "1133"))["code"] == "not_your_match"
        resumed = await newer.ask("resumed", type="resume", match=match, seq=given["seq"] - 1)
        assert (resumed["state"], resumed["seq"]) == ("turn", given["seq"])
        assert await newer.hear() == given
        assert (await newer.hear("turn"))["turn"] == 2
        assert (await raw.hear("notice"))["kind"] == "seat_taken"
        assert await raw.closed() == 4003
        assert (await newer.guess(match, 1, 2, "1133"))["type"] == "feedback"


async def test_a_lost_answer_is_safe_to_ask_again(raw):
    match = await raw.play("classic")
    first = await raw.guess(match, 1, 1, "1122")
    await raw.hear("turn")
    again = await raw.ask(type="guess", match=match, game=1, turn=1, code="1122", id="again")
    assert again == first | {"re": "again"}
    other = await raw.guess(match, 1, 1, "1123")
    assert (other["code"], other["expected"]) == ("stale_turn", {"game": 1, "turn": 2})


async def test_two_guesses_at_once_are_answered_in_turn(raw):
    match = await raw.play("classic")
    for _ in range(2):
        await raw.say(type="guess", match=match, game=1, turn=1, code="1122")
    first, turn, second = [await raw.hear() for _ in range(3)]
    assert (first["type"], turn["type"]) == ("feedback", "turn")
    assert second == first


async def test_ready_asked_again_brings_the_open_turn(raw):
    match = await raw.play("classic")
    again = await raw.ready(match, 1)
    assert (again["turn"], again["left_ms"] <= 60_000) == (1, True)


async def test_a_watcher_sees_the_whole_match_and_nothing_secret(server, raw):
    match = await raw.play("classic")
    async with dial(server.url) as watcher:
        await watcher.hello(False)
        assert (await watcher.ask(type="watch", match=match, id="w")) == {
            "re": "w",
            "type": "watching",
            "matches": [match],
        }
        assert [(await watcher.hear())["type"] for _ in range(2)] == ["match_started", "game_started"]
        given = await raw.guess(match, 1, 1, "1122")
        assert await watcher.hear() == given
        assert (await watcher.ask(type="unwatch", match=match))["type"] == "unwatched"
        await raw.hear("turn")
        await raw.guess(match, 1, 2, "1122")
        assert (await watcher.ask(type="ping", c=1))["type"] == "pong"


async def test_who_watches_his_own_match_is_told_once(raw):
    match = await raw.play("classic")
    await raw.ask("watching", type="watch", match=match)
    assert [(await raw.hear())["type"] for _ in range(2)] == ["match_started", "game_started"]
    await raw.guess(match, 1, 1, "1122")
    await raw.hear("turn")
    assert (await raw.ask(type="ping", c=1))["type"] == "pong"


async def test_a_ladder_is_watched(server, raw):
    async with dial(server.url) as watcher:
        await watcher.hello(False)
        assert (await watcher.ask(type="watch", ladder="classic"))["matches"] == []
        match = await raw.play("classic")
        assert (await watcher.hear())["match"] == match


async def test_a_finished_match_can_still_be_read_by_its_player(server, raw):
    match = await raw.play("classic-practice")
    await raw.say(type="resign", match=match)
    over = [await raw.hear() for _ in range(2)]
    async with dial(server.url) as again:
        await again.hello(token=raw.token)
        resumed = await again.ask(type="resume", match=match, seq=2)
        assert (resumed["state"], resumed["seq"]) == ("over", 4)
        assert [await again.hear() for _ in range(2)] == over
        assert (await again.guess(match, 1, 1, "1122"))["code"] == "game_over"


async def test_messages_that_wait_for_a_slow_reply_are_answered_in_order(raw):
    match = await raw.play("grand-evil-practice")
    await raw.say(type="guess", match=match, game=1, turn=1, code="112233")
    await raw.say(type="guess", match=match, game=1, turn=1, code="112233")
    await raw.say(type="resign", match=match)
    kinds = [(await raw.hear())["type"] for _ in range(5)]
    assert kinds == ["feedback", "turn", "feedback", "game_over", "match_over"]
