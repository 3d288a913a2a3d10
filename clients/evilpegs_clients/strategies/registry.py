"""The built-in strategies by name; a new strategy is added here and nowhere else."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from evilpegs_clients.strategies.consistent import FirstConsistent, RandomConsistent
from evilpegs_clients.strategies.heuristics import Entropy, ExpectedSize, Lexicographic, Minimax, MostParts
from evilpegs_clients.strategies.optimal import Optimal
from evilpegs_clients.strategies.sampled import Sampled
from evilpegs_clients.strategies.strategy import Strategy

STRATEGIES: Final[Mapping[str, Callable[[bool], Strategy]]] = MappingProxyType(
    {
        "first-consistent": FirstConsistent,
        "random-consistent": RandomConsistent,
        "minimax": Minimax,
        "lexicographic": Lexicographic,
        "expected-size": ExpectedSize,
        "entropy": Entropy,
        "most-parts": MostParts,
        "sampled": Sampled,
        "optimal": Optimal,
    }
)
"""The constructors, whose argument is ``candidates_only``."""
