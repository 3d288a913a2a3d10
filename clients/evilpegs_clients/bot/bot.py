"""The bot runner: a strategy plays matches on a server, and every game is verified when it ends."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, ParamSpec, TypeVar

from pydantic import ValidationError

from evilpegs_clients.bot.match_player import MatchPlayer, check_failures
from evilpegs_clients.bot.move_chooser import MoveChooser, run_in_thread
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary, StrategyFailure
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.session import PlayerSession, SessionEvent
from evilpegs_clients.connection.tokens import TokenFile, default_token_file, sole_user
from evilpegs_clients.errors import ClientError, ServerRefusedError
from evilpegs_clients.strategies.loading import StrategyLike, to_strategy
from evilpegs_clients.strategies.registry import warm_up
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_clients.verification.game import VerificationCache
from evilpegs_game.errors import quoted, require, to_flag, to_whole
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import LadderInfo, MatchStarted, OpenMatch, Welcome

OnFailure = Callable[[StrategyFailure], None]


class StrategyTrial:
    """A trial of ``strategy`` before a new name is claimed; once it has passed, `run` does nothing."""

    def __init__(self, strategy: Strategy, seed: int | None, on_event: OnFailure) -> None:
        self.passed = False
        self._strategy = strategy
        # the token from which a default seed would follow is not issued yet
        self._seed = seed or 0
        self._on_event = on_event

    async def run(self, ladder: str, guest: PlayerSession) -> None:
        """Choose a first guess on ``ladder``, if the server takes ``guest`` and has it. Raises StrategyError."""
        if self.passed:
            return
        try:
            welcome = await guest.open()
        except ServerRefusedError:
            return
        await guest.close()
        offers = [info for info in welcome.ladders if info.id == ladder]
        live_sets = LiveSets()
        await prepare(self._strategy, offers, live_sets)
        await rehearse(MoveChooser(self._strategy, self._seed, live_sets), offers, self._on_event)
        _occupy_standard_descriptors()
        self.passed = bool(offers)


async def prepare(strategy: Strategy, offers: Sequence[LadderInfo], live_sets: LiveSets) -> None:
    rules = [Rules.parse(offer.rules) for offer in offers]
    await run_in_thread(partial(warm_up, strategy, rules, live_sets))


async def rehearse(
    chooser: MoveChooser, offers: Sequence[LadderInfo], on_event: OnFailure, left_open: Sequence[OpenMatch] = ()
) -> None:
    """Let ``chooser`` choose an unplayed first guess per offer; a StrategyError names its match that was left open."""
    for offer in offers:
        failure = await run_in_thread(partial(chooser.rehearse, offer))
        if failure is not None:
            on_event(failure)
            raise StrategyError(f"{failure.error}; {_kept_text(offer, left_open)}") from failure.error


def _occupy_standard_descriptors() -> None:
    # if the strategy has closed one of 0 to 2, the next connection could get it, and a later guess could close that
    descriptor = 0
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _kept_text(offer: LadderInfo, left_open: Sequence[OpenMatch]) -> str:
    kept = next((match for match in left_open if match.ladder == offer.id), None)
    if kept is None:
        return f"no match was started on {offer.id}"
    return f"match {kept.match} on {offer.id} stays open as it was, and no match was started"


BotEvent = Welcome | MatchStarted | GameSummary | StrategyFailure | MatchSummary | SessionEvent
"""The events that `play_matches` reports to ``on_event``.

* `Welcome`: The server accepted the player; once, before the first match.
* `MatchStarted`: A match starts, or one that an earlier run left open continues.
* `GameSummary`: A game ended and was verified.
* `StrategyFailure`: The strategy failed. If ``match`` is None, it failed before anything was played, perhaps before the
  `Welcome`; otherwise the game of the preceding `GameSummary` was resigned.
* `MatchSummary`: A match ended, after its games were reported.
* `Reconnecting`: The connection was cut, and the next attempt to restore it follows after a delay; at any time.
* `Reconnected`: The connection is restored, after one `Reconnecting` or more.
* `Notice`: The server sent a message for people; at any time.
* `KeyChanged`: The server signs with another key than at the player's last login; after a login.
"""

OnEvent = Callable[[BotEvent], None]


async def play_matches(
    *,
    server: str,
    ladder: str,
    strategy: StrategyLike,
    name: str | None = None,
    matches: int = 1,
    is_round: bool = False,
    seed: int | None = None,
    client_version: str | None = None,
    token_file: Path | None = None,
    token: str | None = None,
    token_from: str | None = None,
    on_event: OnEvent = lambda _event: None,
    retry_policy: RetryPolicy | None = None,
    trial: StrategyTrial | None = None,
) -> BotSummary:
    """Play matches on a ladder with a strategy, verify every game, and return the results.

    At the end of a match, the received events are compared with the record that the server hands out, and the server's
    signature is checked if `cryptography` is installed. The server's key is remembered with the token of the name.

    Matches that an earlier run of the same strategy under the same name left open are finished first, in addition to
    ``matches``. They are left alone while another program with the same token file plays under that name. If another
    client started one of them, nothing is played. A cut connection is restored and the match resumed. If the strategy
    fails, the game is resigned; after the second failure no further game starts.

    Before anything is played, the strategy chooses a first guess for each open match and for the ladder, so that a
    strategy that cannot play these rules loses no game. If no stored token proves the name, this happens before the
    name is claimed, with the rules that a connection as a guest gets from the server. The function prints nothing;
    ``on_event`` reports progress.

    Args:
        server: The server's address, such as ``ws://127.0.0.1:8765``, or several with commas between them: where one
            is lost, the match goes on at the next. Tokens are kept for the first.
        ladder: The id of a ladder that the server offers.
        strategy: The strategy that chooses every guess: the name of a built-in one, the path of a ``.py`` or
            ``.tree`` file, a `Tree`, a `Strategy` or a function ``choose(position, rng)``. Where a choice would exceed
            the time left on the clock, the first candidate is played instead, and ``over_budget`` of the returned
            summary counts the guess.
        name: The player's name. A new name is claimed and its token is kept in ``token_file``. Without a name the
            player is a guest, and guests may play practice ladders only.
        matches: The number of new matches to play. With 0, only open matches are finished.
        is_round: The ladder is a round, which is one match: if it was left open, no new one begins.
        seed: The seed of the strategy's randomness, from which the seed of each game is derived. The default follows
            from the player's token, so a run under the same name that resumes a match draws the same numbers again.
        client_version: The version that the leaderboard shows, up to 64 printable ASCII characters; by default the
            strategy's ``version`` if it has one, which is a hash for strategy files and programs, else the version of
            evilpegs.
        token_file: The file that keeps the tokens of names; by default one in the user's data directory, or that of
            the server if `local_server` runs it.
        token: A token that the server's operator gave for ``name``; nothing else is tried, and it is stored once it
            is accepted.
        token_from: An address that the server had before; the tokens stored for it are tried, and the accepted one is
            stored for ``server`` too. Do not give the address of another server: its tokens would be sent to
            ``server``.
        on_event: Called with each event of the run, on the event loop's thread.
        retry_policy: The attempts, and the delays between them, after a cut connection or a temporary refusal; by
            default at most 40 attempts.
        trial: The trial of the strategy before a new name is claimed; by default a new one. Callers that try several
            names in turn pass the same trial, so that the strategy is tried only once.

    Returns:
        The player's name and, in the order of play, a summary of each match with its games, violations and failures.

    Raises:
        ClientError: The server cannot be reached, refuses a request or contradicts itself, or another client started
            an open match of that name. The message is one line.
        MalformedError: An argument is wrong, such as the address.
        StrategyError: The strategy failed or chose an illegal code, before anything was played or for the second time.

    This is for async programs; `play` has the same arguments and returns the result itself, also in a notebook. In the
    example, ``server`` is the address that ``evilpegs serve`` prints.

    >>> import asyncio, evilpegs
    >>> summary = evilpegs.play(server=server, ladder="classic-evil-practice", strategy="minimax")
    >>> summary.verified, [game.guesses for game in summary.games]
    (True, [5])
    >>> played = evilpegs.play_matches(server=server, ladder="classic-evil-practice", strategy="minimax")
    >>> asyncio.run(played).games[0].guesses
    5
    """
    require(server, str, "a server", "its address, such as 'ws://127.0.0.1:8765'")
    require(ladder, str, "a ladder", "its id, such as 'classic'")
    texts = {"name": name, "client_version": client_version, "token": token, "token_from": token_from}
    for what, text in texts.items():
        require(text, str | None, f"a {what}", "a text, or leave it out")
    require(token_file, Path | None, "a token_file", "a Path, or leave it out")
    matches, is_round = to_whole("matches", matches, 0), to_flag("is_round", is_round)
    seed, strategy = None if seed is None else to_whole("seed", seed, 0), to_strategy(strategy)
    tokens = TokenFile(token_file or default_token_file(server))
    credentials = Credentials(_client_info(strategy, client_version), name, token_from=token_from, token=token)
    retry_policy = retry_policy or RetryPolicy(Random())  # noqa: S311 - jitter
    session = PlayerSession(server, credentials, tokens, retry_policy, on_event)
    guest = PlayerSession(server, Credentials(credentials.client), tokens, retry_policy, lambda _event: None)
    trial = trial or StrategyTrial(strategy, seed, on_event)
    bot = _Bot(session, credentials.client.name, strategy, seed, on_event)
    with sole_user(tokens, session.server, name) as is_sole:
        try:
            await session.open(partial(trial.run, ladder, guest) if matches else None)
            return await bot.play(ladder, matches, is_round=is_round, finish_open=is_sole, is_tried=trial.passed)
        finally:
            await session.close()


_P = ParamSpec("_P")
_T = TypeVar("_T")


def without_await(function: Callable[_P, Coroutine[Any, Any, _T]]) -> Callable[_P, _T]:
    """Return a function that runs ``function`` to its end, in a notebook too."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(function(*args, **kwargs))
        # a notebook's loop cannot run this, because the notebook waits here for the result
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(function(*args, **kwargs))).result()

    return call


play = without_await(play_matches)


class _Bot:
    def __init__(
        self, session: PlayerSession, client: str, strategy: Strategy, seed: int | None, on_event: OnEvent
    ) -> None:
        self._session = session
        self._client = client
        self._strategy = strategy
        self._seed = seed
        self._on_event = on_event
        self._live_sets = LiveSets()
        self._verification = VerificationCache(self._live_sets)
        self._failures: list[StrategyFailure] = []

    async def play(self, ladder: str, matches: int, *, is_round: bool, finish_open: bool, is_tried: bool) -> BotSummary:
        welcome = self._session.welcome
        self._on_event(welcome)
        left_open = _own_matches(self._session, self._client) if finish_open else []
        if is_round and any(match.ladder == ladder for match in left_open):
            matches = 0
        continued = [info for info in welcome.ladders if info.id in {match.ladder for match in left_open}]
        offers = [info for info in welcome.ladders if info.id == ladder and matches]
        await prepare(self._strategy, [*continued, *offers], self._live_sets)
        await rehearse(self._chooser(), [*continued, *([] if is_tried else offers)], self._on_event, left_open)
        resumed = (await MatchClient.resume(self._session, match.match) for match in left_open)
        summaries = [await self._play_match(client) async for client in resumed]
        for _ in range(matches):
            check_failures(self._failures)
            summaries.append(await self._play_match(await MatchClient.play(self._session, ladder)))
        return BotSummary(welcome.player, tuple(summaries))

    async def _play_match(self, client: MatchClient) -> MatchSummary:
        self._on_event(client.view.started)
        player = MatchPlayer(client, self._chooser(), self._verification, self._on_event, self._failures)
        summary = await player.play()
        self._on_event(summary)
        return summary

    def _chooser(self) -> MoveChooser:
        seed = self._session.login.rng_seed if self._seed is None else self._seed
        return MoveChooser(self._strategy, seed, self._live_sets)


def _own_matches(session: PlayerSession, client: str) -> list[OpenMatch]:
    for each in session.welcome.open:
        if each.client is not None and each.client.name != client:
            raise ClientError(
                f"{session.welcome.player} has an open match {each.match} on {each.ladder} that {each.client.name} "
                f"began; finish it with: evilpegs play --name {session.welcome.player} --server {session.addresses}, "
                "or choose another --name"
            )
    return list(session.welcome.open)


def _client_info(strategy: Strategy, client_version: str | None) -> ClientInfo:
    if client_version is None:
        client_version = getattr(strategy, "version", None) or version("evilpegs")
    # the protocol allows 1 to 64 printable ASCII characters
    label = "".join(symbol if " " <= symbol <= "~" else "?" for symbol in strategy.name)[:64] or "strategy"
    try:
        return ClientInfo(name=label, version=client_version)
    except ValidationError:
        raise ClientError(
            f"not a version: {quoted(client_version, 80)}; write 1 to 64 printable ASCII characters"
        ) from None
