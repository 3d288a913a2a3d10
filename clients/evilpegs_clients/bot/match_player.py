"""One match played by a strategy: `ready`, guesses, and the verification of each game, until the match is over."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from evilpegs_clients.bot.move_chooser import MoveChooser, run_in_thread
from evilpegs_clients.bot.summary import GameSummary, MatchSummary, StrategyFailure
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import MatchView, Phase
from evilpegs_clients.errors import BrokenRecordError, ClientError, ServerRefusedError
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_clients.verification.game import VerificationCache
from evilpegs_clients.verification.verify import (
    can_check_signatures,
    check_signature,
    compare_records,
    verify_game,
    verify_record,
)
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_game.codes import Code, format_code
from evilpegs_game.live.position import Position
from evilpegs_protocol.server_messages import ErrorCode, GameOver
from evilpegs_protocol.suggestions import install_hint

MAX_FAILURES: Final = 2  # failures of the strategy after which a bot starts no further game


def check_failures(failures: Sequence[StrategyFailure], view: MatchView | None = None) -> None:
    """Raise StrategyError if the run has had `MAX_FAILURES` failures; the message names the open match of ``view``."""
    if len(failures) < MAX_FAILURES:
        return
    error = failures[-1].error
    message = f"{error}; it has failed {len(failures)} times, so no further game is started"
    if view is not None:
        message += (
            f"; match {view.id} is still open, and the same command goes on with it, but a game that is not begun "
            f"within {view.ready_by_ms // 1000} seconds is lost"
        )
    raise StrategyError(message) from error


class MatchPlayer:
    """The player of one match: each request follows from ``client.view`` alone, even after a resume."""

    def __init__(
        self,
        client: MatchClient,
        chooser: MoveChooser,
        cache: VerificationCache,
        on_event: Callable[[GameSummary | StrategyFailure], None],
        failures: list[StrategyFailure],  # of the whole run; those of this match are appended
    ) -> None:
        self._client = client
        self._view = client.view
        self._chooser = chooser
        self._cache = cache
        self._on_event = on_event
        self._nonces: dict[int, str] = {}
        self._games: dict[int, GameSummary] = {}
        self._choice: asyncio.Future[Code] | None = None
        self._chosen: tuple[tuple[int, int], str] | None = None
        self._failures = failures
        self._failed: dict[int, tuple[Position, StrategyError]] = {}

    async def play(self) -> MatchSummary:
        """Play to the end; raises StrategyError after `MAX_FAILURES` failures in the run and leaves the match open."""
        while (phase := await self._client.wait_for_move()) is not Phase.OVER:
            await self._verify_ended_games()
            check_failures(self._failures, self._view)
            await (self._begin() if phase is Phase.READY else self._guess())
        await self._verify_ended_games()
        violations, not_checked = await _check_record(self._client)
        return MatchSummary(
            match=self._view.id,
            ladder=self._view.started.ladder,
            games=tuple(self._games.values()),
            violations=tuple(violations),
            over_budget=self._chooser.over_budget,
            failures=tuple(failure for failure in self._failures if failure.match == self._view.id),
            not_checked=tuple(not_checked),
        )

    async def _begin(self) -> None:
        # a choice that outlived its game ends first: until `ready` the server waits, and no clock runs
        if self._choice is None or await self._client.ends_in_time(self._choice):
            nonce = self._nonces.setdefault(self._view.game, secrets.token_hex(16))
            await self._client.ready(nonce)

    async def _guess(self) -> None:
        turn = self._turn()
        if self._view.game in self._failed:  # the resignation was lost
            await self._client.resign(self._view.game)
            return
        if self._chosen is None or self._chosen[0] != turn:
            position = self._chooser.position(self._view)
            seed = self._chooser.game_seed(self._view.id, self._view.game)
            self._choice = run_in_thread(partial(self._chooser.choose, position, seed))
            if not await self._client.ends_in_time(self._choice):
                return
            try:
                self._chosen = (turn, format_code(self._choice.result()))
            except StrategyError as error:
                await self._resign(turn[0], position, error)
                return
        if await self._client.wait_for_move() is Phase.TURN and self._turn() == turn:
            await self._client.guess(self._chosen[1])

    async def _resign(self, game: int, position: Position, error: StrategyError) -> None:
        self._failed[game] = (position, error)
        try:
            await self._client.resign(game)
        except ServerRefusedError as refusal:
            raise StrategyError(f"{error}; game {game} could not be resigned: {refusal}") from error

    def _turn(self) -> tuple[int, int]:
        return self._view.game, self._view.turn

    async def _verify_ended_games(self) -> None:
        for over in self._view.match.games_over:
            if over.game in self._games:
                continue
            self._games[over.game] = await self._summary(over)
            self._on_event(self._games[over.game])
            if over.game in self._failed:
                position, error = self._failed[over.game]
                seed = self._chooser.game_seed(over.match, over.game)
                failure = StrategyFailure(over.match, over.game, position, seed, over.secret, error)
                self._failures.append(failure)
                self._on_event(failure)

    async def _summary(self, over: GameOver) -> GameSummary:
        game, violations = self._view.match.games[over.game], list[Violation]()
        if game.started:
            events, nonce = self._view.game_events(over.game), self._nonces.get(over.game)
            violations = await run_in_thread(partial(verify_game, events, over.game, nonce, self._cache))
        history = game.history(self._view.rules)
        return GameSummary(over.match, over.game, over.outcome, over.guesses, tuple(violations), history)


async def _check_record(client: MatchClient) -> tuple[list[Violation], list[NotChecked]]:
    received = client.view.record
    violations, not_checked = verify_record(received), list[NotChecked]()
    try:
        handed_out = await client.session.fetch_record(client.view.id)
    except ClientError as error:
        what = f"the record that the server hands out: {error}"
        denies_match = isinstance(error, ServerRefusedError) and error.code is ErrorCode.NOT_YOUR_MATCH
        if denies_match or isinstance(error, BrokenRecordError):
            violations.append(Violation(what, subject=Subject.PLAYED))
        else:
            not_checked.append(NotChecked(what, subject=Subject.PLAYED))
    else:
        violations += compare_records(received, handed_out)
    keys = client.session.server_keys  # none if the server signs nothing
    if keys and can_check_signatures():
        violations += check_signature(received, keys)
    elif keys:
        what = f"the signature of the server; to check it, {install_hint('verify')}"
        not_checked.append(NotChecked(what, subject=Subject.SIGNATURE))
    return violations, not_checked
