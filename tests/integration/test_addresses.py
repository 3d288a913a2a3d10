"""A player who has the addresses of two nodes ends a match on the second when the first has gone."""

import json
import os
import signal
from contextlib import AsyncExitStack

import pytest

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.connection.session import Reconnecting
from evilpegs_clients.connection.tokens import TokenFile
from evilpegs_clients.verification.verify import verify_match
from evilpegs_game.feedback import Feedback
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.queries import closing_engine, read
from support.servers import Child


async def start(stack, database, name):
    child = Child(database)
    child.command += ["--node", name]
    await child.start()
    stack.push_async_callback(child.stop, signal.SIGKILL)
    return child


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_match_goes_on_at_the_next_address(database, tmp_path, number):
    """The first node is killed, or asked to stop, while the bot thinks about its third guess."""
    tokens, news, killed = TokenFile(tmp_path / "tokens.json"), [], []
    async with AsyncExitStack() as stack:
        first, second = [await start(stack, database, name) for name in ("one", "two")]

        def choose(position, _rng):
            if len(position.history) == 2 and not killed:
                killed.append(number)
                os.kill(first.process.pid, number)
            return position.first_candidate

        both = f"{first.url},{second.url}"
        summary = await play_matches(
            server=both,
            ladder="classic-evil",
            strategy=choose,
            name="ann",
            token_file=tokens.path,
            on_event=news.append,
        )
        with closing_engine(open_database(database)) as engine:
            rows = read(engine, "SELECT node, json FROM events ORDER BY seq")
    events = [json.loads(text) for _, text in rows]
    replies = [Feedback(event["black"], event["white"]) for event in events if event["type"] == "feedback"]
    assert summary.verified
    assert [turn.feedback for game in summary.games for turn in game.history] == replies
    assert verify_match(events) == []
    assert {node for node, _ in rows} == {"one", "two"}
    assert any(isinstance(event, Reconnecting) for event in news)
    assert tokens.servers_with("ann") == (both.partition(",")[0],)
