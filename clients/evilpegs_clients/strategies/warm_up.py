"""Work that is done before the clock of a game runs: compiling kernels and generating the codes of the rules."""

from collections.abc import Iterable
from contextlib import suppress

from evilpegs_clients.strategies.heuristics import Minimax
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.exact import evaluate
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules

SMALL_RULES = Rules(3, 3)


def warm_up(strategy: Strategy, rules: Iterable[Rules], live_sets: LiveSets) -> None:
    """Compile the kernels that ``strategy`` needs, and put all codes of each of ``rules`` into ``live_sets``.

    Rules whose codes do not fit into memory are skipped.
    """
    # a tiny game tree; a strategy from a file may not support rules this small
    evaluate(seeded_choice(strategy if strategy.name in STRATEGIES else Minimax()), SMALL_RULES)
    for each in rules:
        with suppress(TooLargeError):
            live_sets.all_codes(each)
