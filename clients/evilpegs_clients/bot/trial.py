"""The trial of a strategy: it chooses first guesses that nobody plays, so that one that cannot play costs nothing."""

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
    """The trial of ``strategy`` on a ladder, which comes before the claim of a new name.

    A bot that may have to try several names makes one trial for all of them. ``seed`` is the seed of the strategy's
    randomness; None stands for 0, because the token from which the seed would follow is not issued yet. ``on_event`` is
    called with the failure of the strategy.
    """

    def __init__(self, strategy: Strategy, seed: int | None, on_event: OnFailure) -> None:
        self.passed = False
        """True once the strategy has chosen a legal first guess."""
        self._strategy = strategy
        self._seed = seed or 0
        self._on_event = on_event

    async def run(self, ladder: str, guest: PlayerSession) -> None:
        """Try the strategy on ``ladder``, unless it has passed.

        ``guest`` is a session of a guest who asks the server for its ladders; it is opened and closed. If the server
        admits no guest now, nothing is tried.

        Raises:
            ClientError: The server cannot be reached.
            StrategyError: The strategy failed.
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
    """Compile what the strategy needs, and store the codes of the rules of ``offers`` in ``live_sets``."""
    rules = [Rules.parse(offer.rules) for offer in offers]
    await run_in_thread(partial(warm_up, strategy, rules, live_sets))


async def rehearse(chooser: MoveChooser, offers: Sequence[MatchStarted | LadderInfo], on_event: OnFailure) -> None:
    """Let the strategy of ``chooser`` choose a first guess on each of ``offers``, open matches and ladders.

    Raises:
        StrategyError: The strategy failed at one of the first guesses.
    """
    for offer in offers:
        failure = await run_in_thread(partial(chooser.rehearse, offer))
        if failure is not None:
            on_event(failure)
            message = f"{failure.error}; {_kept_text(offer)}"
            raise StrategyError(message) from failure.error


def _occupy_standard_descriptors() -> None:
    """Open the null device as each of the descriptors 0 to 2 that the strategy has closed.

    Otherwise the connection would become one of them, and the strategy would close it at its next guess.
    """
    descriptor = 0
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


def _kept_text(offer: MatchStarted | LadderInfo) -> str:
    if isinstance(offer, LadderInfo):
        return f"no match was begun on {offer.id}"
    return f"match {offer.match} on {offer.ladder} stays open as it was, and no match was begun"
