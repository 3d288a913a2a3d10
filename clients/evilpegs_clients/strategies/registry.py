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
from evilpegs_game.guessing.guess_rows import MAX_CODES
from evilpegs_game.guessing.plain import allow_plain_work
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
MANY_CODES = Rules(4, 7)
"""The smallest rules with a live set for which guesses have kernels of their own."""


def warm_up(strategy: Strategy, rules: Iterable[Rules], live_sets: LiveSets) -> None:
    """Compile the kernels that ``strategy`` needs, and put all codes of ``rules`` into ``live_sets`` if they fit."""
    allow_plain_work(False)
    # a tiny game tree; a strategy from a file may not support rules this small
    choose = seeded_choice(strategy if strategy.name in STRATEGIES else Minimax())
    distribution_from(choose, SMALL_RULES)
    rules = list(rules)
    if any(each.size > MAX_CODES for each in rules):
        choose(Position(MANY_CODES, (), live_sets))
    for each in rules:
        try:
            live_sets.all_codes(each)
        except TooLargeError:
            position = Position(each, (), live_sets)
            with suppress(TooLargeError):
                for _ in range(2):
                    guess = position.first_candidate
                    position = position.after(guess, Evil().reply(position, guess))
