"""The trial of a strategy: it chooses first guesses that are not played, so that a failure costs no game."""

import os
from collections.abc import Callable, Sequence
from functools import partial

from evilpegs_clients.bot.background import run_in_thread
from evilpegs_clients.bot.move_chooser import MoveChooser
from evilpegs_clients.bot.summary import StrategyFailure
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_clients.strategies.warm_up import warm_up
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import LadderInfo, MatchStarted

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
        """Let the strategy choose a first guess on ``ladder``, whose rules come from ``guest``, opened and closed here.

        Nothing is tried if the server refuses the guest or has no such ladder. Raises StrategyError if the strategy
        fails.
        """
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


async def prepare(strategy: Strategy, offers: Sequence[MatchStarted | LadderInfo], live_sets: LiveSets) -> None:
    """Compile what the strategy needs, and store all codes of the rules of each offer in ``live_sets``."""
    rules = [Rules.parse(offer.rules) for offer in offers]
    await run_in_thread(partial(warm_up, strategy, rules, live_sets))


async def rehearse(chooser: MoveChooser, offers: Sequence[MatchStarted | LadderInfo], on_event: OnFailure) -> None:
    """Let ``chooser`` choose a first guess for each offer without playing it; raises StrategyError if it fails."""
    for offer in offers:
        failure = await run_in_thread(partial(chooser.rehearse, offer))
        if failure is not None:
            on_event(failure)
            raise StrategyError(f"{failure.error}; {_kept_text(offer)}") from failure.error


def _occupy_standard_descriptors() -> None:
    # if the strategy has closed one of 0 to 2, the next connection could get it, and a later guess could close that
    descriptor = 0
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _kept_text(offer: MatchStarted | LadderInfo) -> str:
    if isinstance(offer, LadderInfo):
        return f"no match was begun on {offer.id}"
    return f"match {offer.match} on {offer.ladder} stays open as it was, and no match was begun"
