"""The bot runner: a strategy plays matches on a server, and every game is verified as it ends."""

import secrets
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random

from evilpegs_clients.bot.background import think
from evilpegs_clients.bot.chooser import Chooser
from evilpegs_clients.bot.match_player import MatchPlayer
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary
from evilpegs_clients.connection.identity import Identity
from evilpegs_clients.connection.match_client import Seat
from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.connection.session import Patience, Reconnecting, Session
from evilpegs_clients.connection.tokens import TokenFile, default_token_file, sole_user
from evilpegs_clients.errors import ClientError
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_clients.strategies.warm_up import warm_up
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import MatchStarted, Notice, Welcome

BotEvent = Welcome | MatchStarted | GameSummary | MatchSummary | Notice | Reconnecting
"""What a bot tells: who it is, each match, each of its games, its end; cuts and notices when they come."""

Tell = Callable[[BotEvent], None]


async def run_bot(
    *,
    server: str,
    ladder: str,
    strategy: Strategy,
    name: str | None = None,
    matches: int = 1,
    seed: int | None = None,
    token_file: Path | None = None,
    on_event: Tell = lambda _event: None,
    patience: Patience | None = None,
) -> BotSummary:
    """Play ``matches`` matches on ``ladder``, after finishing those that an earlier run of that name left open.

    Without ``name`` the bot is a guest, who may play practice ladders only. Prints nothing: ``on_event``
    hears of everything.

    Raises:
        ClientError: no server, a refusal, a server that contradicts itself; one line.
        StrategyError: the strategy failed; its match was resigned.
    """
    tokens = TokenFile(token_file or default_token_file())
    identity = Identity(ClientInfo(name=_label(strategy.name), version=version("evilpegs")), name)
    patience = patience or Patience(Random())  # noqa: S311 - jitter
    session = Session(server, identity, tokens, patience, on_event)
    bot = _Bot(session, strategy, secrets.randbits(64) if seed is None else seed, on_event)
    with sole_user(tokens, session.server, name) as is_sole:
        try:
            return await bot.play(ladder, matches, finish_open=is_sole)
        finally:
            await session.close()


class _Bot:
    def __init__(self, session: Session, strategy: Strategy, seed: int, tell: Tell) -> None:
        self._session = session
        self._strategy = strategy
        self._seed = seed
        self._tell = tell
        self._live_sets = LiveSets()

    async def play(self, ladder: str, matches: int, finish_open: bool) -> BotSummary:
        welcome = await self._session.open()
        self._tell(welcome)
        rules = [Rules.parse(info.rules) for info in welcome.ladders if info.id == ladder]
        await think(partial(warm_up, self._strategy, rules, self._live_sets))
        left_open = [match.match for match in welcome.open] if finish_open else []
        summaries = [await self._play_at(await Seat.resume(self._session, match)) for match in left_open]
        for _ in range(matches):
            summaries.append(await self._play_at(await Seat.play(self._session, ladder)))
        return BotSummary(welcome.player, tuple(summaries))

    async def _play_at(self, seat: Seat) -> MatchSummary:
        self._tell(seat.view.started)
        chooser = Chooser(self._strategy, self._seed, self._live_sets)
        try:
            summary = await MatchPlayer(seat, chooser, self._live_sets, self._tell).play()
        except StrategyError as error:
            message = f"{error}; {await _resigned(seat)}"
            raise StrategyError(message) from error
        self._tell(summary)
        return summary


async def _resigned(seat: Seat) -> str:
    try:
        while await seat.until_move() is not Phase.OVER:
            await seat.resign()
    except ClientError as error:
        return f"the match could not be resigned: {error}"
    return "the match was resigned"


def _label(name: str) -> str:
    """A strategy's name as the protocol can carry it."""
    printable = "".join(symbol if " " <= symbol <= "~" else "?" for symbol in name)
    return printable[:64] or "strategy"
