"""One match played by a strategy: ready, guess and verify until it is over."""

import asyncio
import secrets
from collections.abc import Callable
from functools import partial

from evilpegs_clients.bot.background import run_in_thread
from evilpegs_clients.bot.move_chooser import MoveChooser
from evilpegs_clients.bot.summary import GameSummary, MatchSummary
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.verification.verify import verify_game, verify_record
from evilpegs_game.codes import Code, format_code
from evilpegs_game.live.live_sets import LiveSets


class MatchPlayer:
    """A strategy's play in the match of ``client``. Each step follows from the match view, even after resuming.

    If a game ends while the strategy still computes a guess, the next game waits until that computation has ended.
    Until then the server waits for `ready`, and no clock runs.
    """

    def __init__(
        self, client: MatchClient, chooser: MoveChooser, live_sets: LiveSets, on_event: Callable[[GameSummary], None]
    ) -> None:
        self._client = client
        self._view = client.view
        self._chooser = chooser
        self._live_sets = live_sets
        self._on_event = on_event
        self._nonces: dict[int, str] = {}
        self._games: dict[int, GameSummary] = {}
        self._choice: asyncio.Future[Code] | None = None
        self._chosen: tuple[tuple[int, int], str] | None = None

    async def play(self) -> MatchSummary:
        """Play to the end of the match and return its summary; raises ClientError and StrategyError."""
        while (phase := await self._client.wait_for_move()) is not Phase.OVER:
            await self._verify_ended_games()
            await (self._begin() if phase is Phase.READY else self._guess())
        await self._verify_ended_games()
        return MatchSummary(
            match=self._view.id,
            ladder=self._view.started.ladder,
            games=tuple(self._games.values()),
            violations=tuple(verify_record(self._view.record)),
            over_budget=self._chooser.over_budget,
        )

    async def _begin(self) -> None:
        if self._choice is None or await self._client.ends_in_time(self._choice):
            nonce = self._nonces.setdefault(self._view.game, secrets.token_hex(16))
            await self._client.ready(nonce)

    async def _guess(self) -> None:
        turn = self._turn()
        if self._chosen is None or self._chosen[0] != turn:
            position = self._chooser.position(self._view)
            seed = self._chooser.game_seed(self._view)
            self._choice = run_in_thread(partial(self._chooser.choose, position, seed))
            if not await self._client.ends_in_time(self._choice):
                return
            self._chosen = (turn, format_code(self._choice.result()))
        if await self._client.wait_for_move() is Phase.TURN and self._turn() == turn:
            await self._client.guess(self._chosen[1])

    def _turn(self) -> tuple[int, int]:
        return self._view.game, self._view.turn

    async def _verify_ended_games(self) -> None:
        for game in list(self._view.games_over):
            if game not in self._games:
                summary = await self._summary(game)
                self._games[game] = summary
                self._on_event(summary)

    async def _summary(self, game: int) -> GameSummary:
        over = self._view.games_over[game]
        events = self._view.game_events(game)
        violations = []
        if len(events) > 2:  # the game was opened: there is more than match_started and game_over
            check = partial(verify_game, events, game, self._nonces.get(game), self._live_sets)
            violations = await run_in_thread(check)
        return GameSummary(self._view.id, game, over.outcome, over.guesses, tuple(violations))
