"""One match played by a strategy: ready, guess and verify until it is over."""

import asyncio
import secrets
from collections.abc import Callable
from functools import partial

from evilpegs_clients.bot.background import think
from evilpegs_clients.bot.chooser import Chooser
from evilpegs_clients.bot.summary import GameSummary, MatchSummary
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.verification.verify import verify_game, verify_record
from evilpegs_game.codes import Code, format_code
from evilpegs_game.live.live_sets import LiveSets


class MatchPlayer:
    """Plays at ``client``. What `play` does is decided by the view alone, so a resumed match is no special case.

    A game lost while the strategy still thinks is left at once, but the next one begins only when it has come to
    an end: until then the server waits for `ready`, and no clock runs.
    """

    def __init__(
        self, client: MatchClient, chooser: Chooser, live_sets: LiveSets, tell: Callable[[GameSummary], None]
    ) -> None:
        self._client = client
        self._view = client.view
        self._chooser = chooser
        self._live_sets = live_sets
        self._tell = tell
        self._nonces: dict[int, str] = {}
        self._games: dict[int, GameSummary] = {}
        self._thought: asyncio.Future[Code] | None = None
        self._chosen: tuple[tuple[int, int], str] | None = None

    async def play(self) -> MatchSummary:
        """Play to the end of the match; raises ClientError and StrategyError."""
        while (phase := await self._client.wait_for_move()) is not Phase.OVER:
            await self._look_at_ended()
            await (self._begin() if phase is Phase.READY else self._guess())
        await self._look_at_ended()
        return MatchSummary(
            match=self._view.id,
            ladder=self._view.started.ladder,
            games=tuple(self._games.values()),
            findings=tuple(verify_record(self._view.record)),
            over_budget=self._chooser.over_budget,
        )

    async def _begin(self) -> None:
        if self._thought is None or await self._client.ends_in_time(self._thought):
            nonce = self._nonces.setdefault(self._view.game, secrets.token_hex(16))
            await self._client.ready(nonce)

    async def _guess(self) -> None:
        place = self._place()
        if self._chosen is None or self._chosen[0] != place:
            position = self._chooser.position(self._view)
            self._thought = think(partial(self._chooser.choose, position))
            if not await self._client.ends_in_time(self._thought):
                return
            self._chosen = (place, format_code(self._thought.result()))
        if await self._client.wait_for_move() is Phase.TURN and self._place() == place:
            await self._client.guess(self._chosen[1])

    def _place(self) -> tuple[int, int]:
        return self._view.game, self._view.turn

    async def _look_at_ended(self) -> None:
        for game in list(self._view.games_over):
            if game not in self._games:
                summary = await self._summary(game)
                self._games[game] = summary
                self._tell(summary)

    async def _summary(self, game: int) -> GameSummary:
        over = self._view.games_over[game]
        events = self._view.game_events(game)
        findings = []
        if len(events) > 2:  # more than match_started and game_over: it was opened
            check = partial(verify_game, events, game, self._nonces.get(game), self._live_sets)
            findings = await think(check)
        return GameSummary(self._view.id, game, over.outcome, over.guesses, tuple(findings))
