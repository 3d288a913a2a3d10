"""A running server follows what its operator does: connections end with a reason, and whoever is banned stays out."""

import asyncio
import time

import pytest

from evilpegs.commands import players
from evilpegs.commands.players import forget
from evilpegs_server.gateway import acts as module
from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.record.recorder import Recorder
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log import acts
from evilpegs_server.storage.log.archive import load_match, load_open_matches
from evilpegs_server.storage.log.players import new_token
from evilpegs_server.timing import Timing
from support.in_process import serving
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

LADDER = "classic-evil-practice"


@pytest.fixture
async def server(database):
    async with serving(database, Timing(look_seconds=0.01, restart_grace_ms=10**12)) as running:
        yield running


@pytest.fixture
def engine(server, database):
    """An engine of the operator's command."""
    engine = open_database(database)
    yield engine
    engine.dispose()


def now():
    return time.time_ns() // 1_000_000


async def try_hello(server, **fields):
    """Return the answer to `hello` on a new connection."""
    async with dial(server.url) as player:
        client = {"name": "raw", "version": "1"}
        return await player.ask("welcome", "error", type="hello", client=client, **fields)


async def test_new_token_ends_connections_and_resumes_matches(server, engine):
    async with dial(server.url) as player:
        await player.hello("anna")
        match = await player.play(LADDER)
        acts.replace_token(engine, "anna", token := new_token(), now())
        error = await player.hear("error")
        assert (error["code"], error["fatal"]) == ("auth_failed", True)
        assert "new token" in error["message"]
        assert await player.closed() == 1008
        assert (await try_hello(server, token=player.token))["code"] == "auth_failed"
    async with dial(server.url) as player:
        welcome = await player.hello(token=token)
        assert [each["match"] for each in welcome["open"]] == [match]
        assert (await player.ask("resumed", type="resume", match=match, seq=0))["match"] == match
        assert (await player.guess(match, 1, 1, "1122"))["type"] == "feedback"


async def test_banned_player_is_told_why_and_forfeits(server, engine):
    async with dial(server.url) as player, dial(server.url) as other:
        await player.hello("anna")
        await other.hello("bert")
        await player.play(LADDER)
        await other.play(LADDER)
        acts.act_on_player(engine, "ban", "anna", now(), "wrong class")
        error = await player.hear("error")
        assert (error["code"], error["message"]) == ("banned", "the operator banned this player: wrong class")
        assert await player.closed() == 1008

        async def is_over():
            return len(await asyncio.to_thread(load_open_matches, engine)) == 1

        await until(is_over)
        refused = await try_hello(server, token=player.token)
        assert (refused["code"], refused["message"]) == ("banned", "the operator banned this player: wrong class")
        assert (await other.ask("error", type="hint", match="0" * 16))["code"] == "not_your_match"  # goes on
        acts.act_on_player(engine, "unban", "anna", now())

        async def is_in():
            return (await try_hello(server, token=player.token))["type"] == "welcome"

        await until(is_in)


async def test_match_of_a_banned_player_ends_though_it_is_read_again(server, engine, monkeypatch):
    """Its new runner knows nothing of the ban, and its clock would wait for the player."""
    async with dial(server.url) as player:
        await player.hello("anna")
        runner = server.registry.open.get(await player.play(LADDER))
        with monkeypatch.context() as broken:
            broken.setattr(Recorder, "record", lambda *_: 1 / 0)
            acts.act_on_player(engine, "ban", "anna", now())
            await until(lambda: runner.broken)

    async def is_over():
        return not await asyncio.to_thread(load_open_matches, engine)

    await until(is_over)


async def test_ban_outlives_the_server(database):
    async with serving(database) as server, dial(server.url) as player:
        await player.hello("anna")
        await player.play(LADDER)
    engine = open_database(database)
    acts.act_on_player(engine, "ban", "anna", now())
    async with serving(database) as server:
        assert (await try_hello(server, token=player.token))["code"] == "banned"

        async def is_over():
            return not await asyncio.to_thread(load_open_matches, engine)

        await until(is_over)
    engine.dispose()


async def test_kicked_player_may_come_back(server, engine):
    async with dial(server.url) as player:
        await player.hello("anna")
        acts.act_on_player(engine, "kick", "anna", now(), "your bot loops")
        assert await player.closed() == 1008
        assert player.socket.close_reason == "your bot loops"
        assert (await try_hello(server, token=player.token))["type"] == "welcome"


async def test_added_player_logs_in_with_the_given_token(server, engine):
    acts.add_players(engine, tokens := {"anna": new_token()}, "bot", now())
    assert (await try_hello(server, token=tokens["anna"]))["type"] == "welcome"
    refused = await try_hello(server, name="anna", kind="bot")
    assert (refused["code"], refused["message"]) == ("name_taken", "anna is taken; anna-2 is free")
    refused = await try_hello(server, name="an_na", kind="bot")
    assert refused["message"] == "an_na looks like anna, which is taken; an_na-2 is free"


async def test_name_given_and_claimed_at_the_same_moment_is_taken(server, engine, monkeypatch):
    """Before the server has followed the act, nobody but the operator's player gets the name either."""
    monkeypatch.setattr(module, "load_acts", lambda *_: [])
    acts.add_players(engine, tokens := {"anna": new_token()}, "bot", now())
    refused = await try_hello(server, name="anna", kind="bot")
    assert refused["code"] == "name_taken"
    async with dial(server.url) as player:
        assert (await player.hello("bert"))["player"] == "bert"  # the storage is fine
    assert [act.player.name for act in acts.load_acts(engine, 0)] == list(tokens)


async def test_one_act_that_fails_does_not_stop_the_next(server, engine, monkeypatch):
    monkeypatch.setattr(OpenMatches, "abandon", lambda *_: 1 / 0)
    async with dial(server.url) as anna, dial(server.url) as bert:
        await anna.hello("anna")
        await bert.hello("bert")
        acts.act_on_player(engine, "ban", "anna", now())
        acts.act_on_player(engine, "kick", "bert", now())
        assert [await anna.closed(), await bert.closed()] == [1008, 1008]


async def test_registration_closes_and_opens_without_a_restart(server, engine):
    names = (f"name{number}x" for number in range(10_000))

    async def is_closed():
        answer = await try_hello(server, name=next(names), kind="bot")
        return answer.get("code") == "auth_required"

    async def is_open():
        return not await is_closed()

    assert await is_open()
    acts.set_registration(engine, now(), is_open=False)
    await until(is_closed)
    acts.set_registration(engine, now(), is_open=True)
    await until(is_open)


async def test_registration_stays_closed_after_a_restart(database):
    open_database(database).dispose()
    engine = open_database(database)
    acts.set_registration(engine, now(), is_open=False)
    engine.dispose()
    async with serving(database) as server:
        assert (await try_hello(server, name="anna", kind="bot"))["code"] == "auth_required"


async def test_server_goes_on_after_a_failed_look(server, engine, monkeypatch):
    failures = [OSError("the disk is gone")]
    load = module.load_acts

    def fail_once(*arguments):
        if failures:
            raise failures.pop()
        return load(*arguments)

    monkeypatch.setattr(module, "load_acts", fail_once)
    async with dial(server.url) as player:
        await player.hello("anna")
        acts.act_on_player(engine, "kick", "anna", now())
        assert await player.closed() == 1008
    assert not failures


async def test_renamed_player_comes_back_under_the_new_name(server, engine):
    async with dial(server.url) as player:
        await player.hello("anna")
        acts.rename_player(engine, "anna", "Änne", now())
        assert await player.closed() == 1008
        welcome = await try_hello(server, token=player.token)
        assert (welcome["type"], welcome["player"]) == ("welcome", "Änne")
        refused = await try_hello(server, name="anna", kind="bot")
        assert refused["code"] == "name_taken"
    async with dial(server.url) as again:
        await again.hello(token=player.token)
        started = await again.ask("match_started", type="play", ladder=LADDER)
        assert started["player"] == "Änne"


async def test_forgotten_player_proves_nothing_and_frees_the_name(server, engine):
    async with dial(server.url) as player:
        await player.hello("anna")
        acts.forget_player(engine, "anna", now(), with_open=False)
        assert (await player.hear("error"))["code"] == "auth_failed"
        assert await player.closed() == 1008
        assert (await try_hello(server, token=player.token))["code"] == "auth_failed"
        assert (await try_hello(server, name="anna", kind="bot"))["type"] == "welcome"


async def test_players_are_forgotten_while_they_play(server, engine, database, monkeypatch):
    """The command bans, waits for the server to end the open match, and deletes it."""
    monkeypatch.setattr(players, "FORFEIT_SECONDS", PATIENCE)
    async with dial(server.url) as player, dial(server.url) as other:
        await player.hello("anna")
        await other.hello("bert")
        match = await player.play(LADDER)
        kept = await other.play(LADDER)
        await asyncio.to_thread(forget, "anna", yes=True, database=database)
        assert (await player.hear("error"))["code"] == "banned"
        assert [each.id for each in load_open_matches(engine)] == [kept]
        assert load_match(engine, match) is None
        assert (await other.guess(kept, 1, 1, "1122"))["type"] == "feedback"
