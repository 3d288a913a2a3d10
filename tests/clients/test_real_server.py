"""The clients against the real server, over real sockets on loopback."""

import re
from contextlib import AsyncExitStack, asynccontextmanager
from io import StringIO
from itertools import chain, cycle
from random import Random

import pytest
import structlog
from rich.console import Console
from structlog.stdlib import BoundLogger

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.connection.tokens import ServerKeyFile
from evilpegs_clients.errors import SeatTakenError, ServerRefusedError
from evilpegs_clients.play.app import run_terminal
from evilpegs_clients.play.match_screen import OUTCOMES, VERIFIED
from evilpegs_clients.strategies.consistent import FirstConsistent
from evilpegs_clients.strategies.optimal import Optimal
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_clients.verification.verify import verify_match
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.settings import Settings
from support.in_process import running_server

CLIENT = ClientInfo(name="test", version="1")
QUICK = {"first-consistent", "sampled"}
"""The strategies that play in `make test`, without and with randomness; their choices have tests of their own."""


def drop(logger, method, event):
    raise structlog.DropEvent


@pytest.fixture
def serving(tmp_path):
    """Run a server for the length of a block, with the same database each time."""

    @asynccontextmanager
    async def serving(port=0):
        settings = Settings(
            site=False, host="127.0.0.1", port=port, database=f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}"
        )
        log = structlog.wrap_logger(None, processors=[drop], wrapper_class=BoundLogger)
        async with running_server(settings, log) as server:
            yield server

    return serving


@pytest.mark.parametrize("ladder", ["classic-practice", "classic-evil-practice", "classic-evil"])
async def test_bot_checks_signature_of_real_server(serving, tokens, ladder):
    async with serving() as server:
        summary = await play_matches(
            server=server.url, ladder=ladder, strategy=FirstConsistent(), name="ann", token_file=tokens.path
        )
        keys = ServerKeyFile.beside(tokens).get(server.url, "ann")
    [match] = summary.matches
    assert (match.verified, match.not_checked, len(keys)) == (True, (), 1)


@pytest.mark.parametrize(
    "strategy", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.full) for name in STRATEGIES]
)
async def test_strategy_plays_verified_games(serving, tokens, strategy):
    async with serving() as server:
        chosen = STRATEGIES[strategy](True)
        if isinstance(chosen, Optimal):
            chosen = Optimal(True, work=10**6)  # a longer search would test nothing about the clients
        options = {"server": server.url, "strategy": chosen, "name": "ann", "token_file": tokens.path, "seed": 1}
        summaries = [
            await play_matches(ladder=ladder, **options)
            for ladder in ("classic", "classic-evil", "classic-blitz", "bulls-and-cows-evil")
        ]
    for summary in summaries:
        assert summary.player == "ann"
        assert summary.verified, [str(violation) for game in summary.games for violation in game.violations]
        assert {game.outcome for game in summary.games} == {"solved"}
        assert summary.over_budget == 0


async def test_guest_plays_practice_ladders_only(serving, tokens):
    async with serving() as server:
        options = {"server": server.url, "strategy": STRATEGIES["minimax"](False), "token_file": tokens.path}
        evil = await play_matches(ladder="classic-evil-practice", **options)
        fixed = await play_matches(ladder="super-practice", **options)
        with pytest.raises(ServerRefusedError, match="--name") as caught:
            await play_matches(ladder="classic", **options)
    assert caught.value.code is ErrorCode.AUTH_REQUIRED
    assert evil.verified
    assert [game.guesses for game in evil.games] == [5]
    assert fixed.verified
    assert not tokens.path.exists()


async def test_failing_strategy_loses_nothing(serving, tokens):
    def fail(position, rng):
        raise ValueError("clueless")

    strategy = type("Failing", (), {"name": "failing", "uses_rng": False, "choose": staticmethod(fail)})()
    async with serving() as server:
        options = {"server": server.url, "strategy": strategy, "name": "failing", "token_file": tokens.path}
        for ladder in ("classic", "classic-practice"):
            with pytest.raises(StrategyError, match=rf"failing.*\b1\b.*ValueError: clueless.*\bno\b.*{ladder}$"):
                await play_matches(ladder=ladder, **options)
        assert len(server.registry.open) == 0


def session_at(url, tokens, retry_policy):
    return PlayerSession(url, Credentials(CLIENT, "ann"), tokens, retry_policy, lambda news: None)


class Restarting:
    """A server that is stopped and started again at the same address: ``start`` serves as the sleep of a player."""

    def __init__(self, serving):
        self._serving = serving
        self._stack = AsyncExitStack()
        self._port = 0
        self.starts = 0

    async def start(self, seconds=0):
        if self._stack is None:
            self._stack = AsyncExitStack()
        server = await self._stack.enter_async_context(self._serving(self._port))
        self._port = server.port
        self.starts += 1
        return server.url

    async def stop(self):
        stack, self._stack = self._stack, None
        await stack.aclose()


async def test_match_outlives_server(serving, tokens):
    """The server stops at each of the first three turns, and the player waits until it is back."""
    server = Restarting(serving)
    session = session_at(await server.start(), tokens, RetryPolicy(Random(1), sleep=server.start))
    await session.open()
    client = await MatchClient.play(session, "classic-evil")
    while (phase := await client.wait_for_move()) is not Phase.OVER:
        if phase is Phase.READY:
            await client.ready("n")
        elif client.view.turn == 4:
            await client.resign()
        else:
            await server.stop()
            await client.session.wait_for_change()
            assert await client.wait_for_move() is Phase.TURN
            await client.guess(["1122", "3345", "3636"][client.view.turn - 1])
    await session.close()
    await server.stop()
    assert server.starts == 4
    assert [event["code"] for event in client.view.record if event["type"] == "feedback"] == ["1122", "3345", "3636"]
    assert verify_match(client.view.record, {1: "n"}) == []


async def test_newest_connection_takes_seat(serving, tokens, retry_policy):
    async with serving() as server:
        first, second = (session_at(server.url, tokens, retry_policy) for _ in range(2))
        await first.open()
        client = await MatchClient.play(first, "classic")
        await second.open()
        taken = await MatchClient.resume(second, client.view.id)
        with pytest.raises(SeatTakenError):
            await client.session.wait_for_change()
        await taken.resign()
        assert await taken.wait_for_move() is Phase.OVER
        assert verify_match(taken.view.record) == []
        await first.close()
        await second.close()


@pytest.mark.full
async def test_person_follows_hints(serving, tokens):
    """A person mistypes once and then always types the code of the hint, which is the last code shown."""
    output = StringIO()
    habits = chain(["11"], cycle(["hint", None]))

    def advice():
        return re.findall(r"(?: \d ){4}", output.getvalue())[-1]

    async def read_line():
        return next(habits) or advice()

    async with serving() as server:
        await run_terminal(
            server=server.url,
            ladder="classic-evil-practice",
            token_file=tokens.path,
            prompt=Prompt(Console(file=output, width=200), read_line),
        )
        assert len(server.registry.open) == 0
    printed = output.getvalue()
    assert re.search(rf"\bguest-\w+.*{server.url}", printed)
    assert re.search(r"^'11'.*4x6", printed, re.MULTILINE)
    assert OUTCOMES["solved"] in printed
    assert VERIFIED in printed
