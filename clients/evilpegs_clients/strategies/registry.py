"""The strategies that have a name: the one place where a new one is entered."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from evilpegs_clients.strategies.entropy import Entropy
from evilpegs_clients.strategies.expected_size import ExpectedSize
from evilpegs_clients.strategies.first_consistent import FirstConsistent
from evilpegs_clients.strategies.lexicographic import Lexicographic
from evilpegs_clients.strategies.minimax import Minimax
from evilpegs_clients.strategies.most_parts import MostParts
from evilpegs_clients.strategies.optimal import Optimal
from evilpegs_clients.strategies.random_consistent import RandomConsistent
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
"""Each makes its strategy when told whether to guess candidates only."""
