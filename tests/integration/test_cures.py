"""What an operator cures with one command while bots play, none of which notices."""

import asyncio
from contextlib import AsyncExitStack

from support.named_players import given_names
from support.patience import PATIENCE
from support.servers import child_server, dial, run_command
from support.waiting import until

BOTS = 8
LADDER = "classic-evil-practice"
NAMES = ["anna", "bert", "rude", "wild"]


class Bot:
    """A bot that plays a match of one guess after the other."""

    def __init__(self, player):
        self.player, self.matches, self.ended = player, 0, asyncio.Condition()

    async def play(self):
        while True:
            match = await self.player.play(LADDER)
            await self.player.guess(match, 1, 1, "1122")
            await self.player.ask("match_over", type="resign", match=match)
            async with self.ended:
                self.matches += 1
                self.ended.notify_all()

    async def has_played(self, count):
        async with asyncio.timeout(PATIENCE), self.ended:
            await self.ended.wait_for(lambda: self.matches >= count)


async def type_command(database, *words):
    """Type one command of the operator, and return what it prints."""
    status, out, errors = await run_command("players", *words, "--database", database)
    assert status == 0, errors
    return out


async def answer_to(url, token):
    """Return the answer to a login with this token."""
    async with dial(url) as player:
        return await player.ask("welcome", "error", type="hello", client={"name": "raw", "version": "1"}, token=token)


async def answered_so(url, token, **expected):
    """Wait until the server, which looks once per second, answers a login so."""

    async def is_answered_so():
        return expected.items() <= (await answer_to(url, token)).items()

    await until(is_answered_so)


async def test_each_trouble_is_cured_by_one_command_while_bots_play(database, monkeypatch):
    monkeypatch.setenv("EVILPEGS_REQUESTS_PER_SECOND", "1000000")  # bots that do not wait pass the usual one when alone
    tokens = given_names(database, NAMES)
    async with child_server(database) as server, AsyncExitStack() as stack:

        async def enter(token=None):
            player = await stack.enter_async_context(dial(server.url))
            await player.hello(token=token)
            return player

        bots = [Bot(await enter()) for _ in range(BOTS)]
        playing = [asyncio.create_task(bot.play()) for bot in bots]
        await asyncio.gather(*(bot.has_played(1) for bot in bots))

        # a stolen token: the thief plays with it until the operator gives the owner another one
        thief = await enter(tokens["anna"])
        match = await thief.play(LADDER)
        fresh = (await type_command(database, "token", "anna")).strip().rpartition(",")[2]
        await thief.closed()
        assert (await answer_to(server.url, tokens["anna"]))["code"] == "auth_failed"
        owner = await enter(fresh)
        assert (await owner.ask("resumed", type="resume", match=match, seq=0))["match"] == match

        # a lost token
        fresh = (await type_command(database, "token", "bert")).strip().rpartition(",")[2]
        await answered_so(server.url, fresh, type="welcome", player="bert")

        # a rude name
        await type_command(database, "rename", "rude", "polite")
        await answered_so(server.url, tokens["rude"], type="welcome", player="polite")

        # a runaway bot
        runaway = Bot(await enter(tokens["wild"]))
        running_away = asyncio.create_task(runaway.play())
        await runaway.has_played(1)
        await type_command(database, "ban", "wild", "--reason", "500 matches an hour")
        await runaway.player.closed()
        assert "500 matches an hour" in (await answer_to(server.url, tokens["wild"]))["message"]
        await asyncio.gather(running_away, return_exceptions=True)

        before = [bot.matches for bot in bots]
        await asyncio.gather(*(bot.has_played(played + 1) for bot, played in zip(bots, before, strict=True)))
        for task in playing:
            task.cancel()
        ended = await asyncio.gather(*playing, return_exceptions=True)
        assert {type(each) for each in ended} == {asyncio.CancelledError}
