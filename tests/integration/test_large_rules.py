"""Games on large rules over a real socket with every reply recomputed by the bot, and a server too small for them."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest
import structlog

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.strategies.consistent import FirstConsistent
from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_server.settings import Settings
from evilpegs_server.work.tasks import CountParts
from evilpegs_server.work.worker_process import WorkerProcess
from support.in_process import running_server
from support.servers import dial
from support.waiting import until
from support.workspaces import Gated


@pytest.fixture(scope="module", autouse=True)
def local_worker():
    """Here servers have a worker process."""


@pytest.mark.parametrize(("ladder", "name"), [("huge-evil", "first"), ("monster-evil-practice", None)])
async def test_bot_verifies_match_on_large_rules(server, tmp_path, ladder, name):
    summary = await play_matches(
        server=server.url,
        ladder=ladder,
        strategy=FirstConsistent(),
        name=name,
        token_file=tmp_path / "tokens.json",
        retry_policy=RetryPolicy(Random(1)),
    )
    assert summary.verified
    [match] = summary.matches
    assert {game.outcome for game in match.games} == {"solved"}


async def test_hint_and_resignation_on_large_rules(server):
    async with dial(server.url) as raw:
        await raw.hello(name=False)
        match = await raw.play("monster-evil-practice")
        given = await raw.guess(match, 1, 1, "1122334455")
        assert sum(size for *_, size in given["parts"]) == 12**10
        hint = await raw.ask("hint", "error", type="hint", match=match)
        assert hint["candidates"] == given["candidates"]
        assert f"{given['candidates']:,}" in hint["why"]
        rules = Rules(10, 12)
        guess, hinted = parse_code(given["code"], rules), parse_code(hint["code"], rules)
        assert feedback(guess, hinted) == Feedback(given["black"], given["white"])
        over = await raw.ask("game_over", type="resign", match=match, game=1)
        assert feedback(guess, parse_code(over["secret"], rules)) == Feedback(given["black"], given["white"])


@pytest.mark.parametrize(
    ("setting", "ladder", "number"),
    [
        ({"count_bytes": 64 << 10}, "monster-evil", "65,536"),
        ({"count_work": 999_999}, "monster-evil", "999,999"),
        ({"cache_bytes": 8 << 20}, "colossus-evil", "8,388,608"),
    ],
)
async def test_ladder_over_bound_is_not_offered(database, setting, ladder, number):
    settings = Settings(port=0, site=False, database=database, **setting)
    async with running_server(settings, structlog.get_logger()) as small, dial(small.url) as raw:
        offered = {each["id"] for each in (await raw.hello())["ladders"]}
        assert ladder not in offered
        assert {"classic-evil", "super-practice", "colossus"} <= offered
        refused = await raw.ask("error", type="play", ladder=ladder)
        assert refused["code"] == "too_large"
        assert number in refused["message"]
        assert [name for name in Settings.model_fields if name in refused["message"]] == [*setting]
        assert (await raw.ask("match_started", "error", type="play", ladder="colossus"))["type"] == "match_started"


HEAVY_RULES = Rules(12, 14)
HEAVY_CODES = ["123456123456", "1357913579AB", "AABBCCDD1122"]


async def test_cheap_reply_does_not_wait_for_heavy(database, tmp_path, monkeypatch):
    """Players on the largest rules keep every slot busy until a gate opens; other players are answered before."""
    tasks, gate, submit = [], tmp_path / "gate", WorkerProcess.submit

    def submit_gated(process, task, done):
        if isinstance(task, CountParts) and task.rules == HEAVY_RULES:
            tasks.append(task := Gated(task, gate))
        submit(process, task, done)

    monkeypatch.setattr(WorkerProcess, "submit", submit_gated)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # the worker process imports `Gated`
    settings = Settings(port=0, site=False, database=database, count_work=400_000_000)
    async with running_server(settings, structlog.get_logger()) as server, AsyncExitStack() as stack:
        heavy = []
        for code in HEAVY_CODES:
            raw = await stack.enter_async_context(dial(server.url))
            await raw.hello(name=False)
            match = await raw.play("colossus-evil-practice")
            heavy.append(asyncio.create_task(raw.guess(match, 1, 1, code)))
        await until(lambda: tasks)
        async with dial(server.url) as other:
            await other.hello(name=False)
            for ladder, code in [
                ("classic-evil-practice", "1123"),
                ("grand-evil-practice", "112345"),
                ("huge-evil-practice", "11223344"),  # the worker process computes this one
            ]:
                match = await other.play(ladder)
                assert (await other.guess(match, 1, 1, code))["type"] == "feedback"
        assert not any(task.done() for task in heavy)
        gate.touch()
        assert [answer["code"] for answer in await asyncio.gather(*heavy)] == HEAVY_CODES
