"""Seats, repeated requests and watchers over real connections."""

from support.servers import dial


async def test_newest_connection_takes_seat(server, raw):
    match = await raw.play("classic-evil-practice")
    given = await raw.guess(match, 1, 1, "1122")
    await raw.hear("turn")
    async with dial(server.url) as newer:
        welcome = await newer.hello(token=raw.token)
        assert [(known["match"], known["seq"]) for known in welcome["open"]] == [(match, given["seq"])]
        assert (await newer.guess(match, 1, 2, "1133"))["code"] == "not_your_match"
        resumed = await newer.ask("resumed", type="resume", match=match, seq=given["seq"] - 1)
        assert (resumed["state"], resumed["seq"]) == ("turn", given["seq"])
        assert await newer.hear() == given
        assert (await newer.hear("turn"))["turn"] == 2
        assert (await raw.hear("notice"))["kind"] == "seat_taken"
        assert await raw.closed() == 4003
        assert (await newer.guess(match, 1, 2, "1133"))["type"] == "feedback"


async def test_repeated_guess_gets_same_answer(raw):
    match = await raw.play("classic-evil")
    first = await raw.guess(match, 1, 1, "1122")
    await raw.hear("turn")
    again = await raw.ask(type="guess", match=match, game=1, turn=1, code="1122", id="again")
    assert again == first | {"re": "again"}
    other = await raw.guess(match, 1, 1, "1123")
    assert (other["code"], other["expected"]) == ("stale_turn", {"game": 1, "turn": 2})


async def test_simultaneous_guesses_are_answered_in_order(raw):
    match = await raw.play("classic-evil")
    for _ in range(2):
        await raw.say(type="guess", match=match, game=1, turn=1, code="1122")
    first, turn, second = [await raw.hear() for _ in range(3)]
    assert (first["type"], turn["type"]) == ("feedback", "turn")
    assert second == first


async def test_repeated_ready_returns_open_turn(raw):
    match = await raw.play("classic-evil")
    again = await raw.ready(match, 1)
    assert (again["turn"], again["left_ms"] <= 60_000) == (1, True)


async def test_finished_match_can_be_resumed_for_reading(server, raw):
    match = await raw.play("classic-evil-practice")
    await raw.say(type="resign", match=match)
    over = [await raw.hear() for _ in range(2)]
    async with dial(server.url) as again:
        await again.hello(token=raw.token)
        resumed = await again.ask(type="resume", match=match, seq=2)
        assert (resumed["state"], resumed["seq"]) == ("over", 4)
        assert [await again.hear() for _ in range(2)] == over
        assert (await again.guess(match, 1, 1, "1122"))["code"] == "game_over"


async def test_waiting_messages_are_answered_in_order(raw):
    match = await raw.play("grand-evil-practice")
    await raw.say(type="guess", match=match, game=1, turn=1, code="112233")
    await raw.say(type="guess", match=match, game=1, turn=1, code="112233")
    await raw.say(type="resign", match=match)
    kinds = [(await raw.hear())["type"] for _ in range(5)]
    assert kinds == ["feedback", "turn", "feedback", "game_over", "match_over"]
