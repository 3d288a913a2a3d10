"""The built-in strategies by name; a new strategy is added here and nowhere else."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from evilpegs_clients.strategies.consistent import FirstConsistent, RandomConsistent, Sampled
from evilpegs_clients.strategies.heuristics import Entropy, ExpectedSize, Lexicographic, Minimax, MostParts, TwoPly
from evilpegs_clients.strategies.optimal import Optimal
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

# the constructors, whose argument is `candidates_only`
STRATEGIES: Final[Mapping[str, Callable[[bool], Strategy]]] = MappingProxyType(
    {
        "first-consistent": FirstConsistent,
        "random-consistent": RandomConsistent,
        "minimax": Minimax,
        "lexicographic": Lexicographic,
        "expected-size": ExpectedSize,
        "entropy": Entropy,
        "most-parts": MostParts,
        "two-ply": TwoPly,
        "sampled": Sampled,
        "optimal": Optimal,
    }
)


SMALL_RULES = Rules(3, 3)


def warm_up(strategy: Strategy, rules: Iterable[Rules], live_sets: LiveSets) -> None:
    """Compile the kernels that ``strategy`` needs, and put all codes of ``rules`` into ``live_sets`` if they fit."""
    # a tiny game tree; a strategy from a file may not support rules this small
    distribution_from(seeded_choice(strategy if strategy.name in STRATEGIES else Minimax()), SMALL_RULES)
    for each in rules:
        try:
            live_sets.all_codes(each)
        except TooLargeError:
            position = Position(each, (), live_sets)
            with suppress(TooLargeError):
                for _ in range(2):
                    guess = position.first_candidate
                    position = position.after(guess, Evil().reply(position, guess))
