"""An adversarial codemaker for Mastermind-like games: the Python API.

Everything here is imported when it is first used, so ``import evilpegs`` itself takes no time::

    >>> import evilpegs
    >>> evilpegs.evaluate("minimax", rules="4x6").mean
    4.47608024691358
    >>> evilpegs.duel("minimax", codemaker="evil", rules="4x6")
    <Duel of minimax with evil on 4x6: solved in 5 guesses>
    >>> rules = evilpegs.Rules(pegs=4, colors=6)
    >>> position = evilpegs.Position(rules)
    >>> evilpegs.Evil().reply(position, evilpegs.parse_code("1122", rules))
    Feedback(black=0, white=0)

A ``Code`` is a tuple of color indices from 0, one per peg; a ``History`` is a tuple of `Turn`. ``strategies`` maps the
name of each built-in strategy to a function that makes the strategy::

    >>> evilpegs.parse_code("1122", rules)
    (0, 0, 1, 1)
    >>> sorted(evilpegs.strategies)[:3]
    ['entropy', 'expected-size', 'first-consistent']

Only the names of ``__all__`` are stable; everything else may change between versions.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evilpegs.api.analysis import GameAnalysis, advise, analyze
    from evilpegs.api.comparison import StrategyComparison, compare
    from evilpegs.api.duels import Duel, duel
    from evilpegs.api.evaluation import (
        EvaluationResult,
        EvaluationResults,
        LeastGuesses,
        certify,
        evaluate,
        plot,
        solve,
        tree,
    )
    from evilpegs.api.game import Game
    from evilpegs.api.leaderboards import leaderboard
    from evilpegs.api.live_events import events, events_async
    from evilpegs.api.local_server import local_server
    from evilpegs.api.partitions import Partition, partition
    from evilpegs.api.replays import Replay, replay
    from evilpegs.api.tournaments import Tournament, tournament
    from evilpegs.api.verification import Verification, verify
    from evilpegs_clients.bot.bot import play, play_matches
    from evilpegs_clients.errors import ClientError, StuckStrategyError
    from evilpegs_clients.strategies.loading import load_strategy
    from evilpegs_clients.strategies.registry import STRATEGIES as strategies  # noqa: N811
    from evilpegs_clients.strategies.strategy import Strategy, StrategyError
    from evilpegs_clients.verification.verify import verify_match
    from evilpegs_game.analysis.advice import Advice, Contradiction
    from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
    from evilpegs_game.codemakers.devil import Devil
    from evilpegs_game.codes import Code, format_code, parse_code
    from evilpegs_game.errors import (
        ContradictionError,
        EvilpegsError,
        IllegalCodeError,
        MalformedError,
        OutOfRangeError,
        OverBudgetError,
        StuckError,
        TooLargeError,
    )
    from evilpegs_game.feedback import Feedback, History, Turn, feedback
    from evilpegs_game.live.position import Position
    from evilpegs_game.optimal.solve import Solution
    from evilpegs_game.rules import Rules
    from evilpegs_game.trees.certificate import Certificate, TreeError
    from evilpegs_game.trees.lower_bound import LowerBound
    from evilpegs_game.trees.tree import Tree, TreeTextError, format_tree, parse_tree

    __version__: str

__all__ = ["Advice", "Certificate", "ClientError", "Code", "Codemaker", "Contradiction", "ContradictionError", "Devil"]
__all__ += ["Duel", "EvaluationResult", "EvaluationResults", "Evil", "EvilpegsError", "Feedback", "Fixed", "Game"]
__all__ += ["GameAnalysis", "History", "IllegalCodeError", "LeastGuesses", "LowerBound", "MalformedError"]
__all__ += ["OutOfRangeError", "OverBudgetError", "Partition", "Position", "Replay", "Rules", "Solution", "Strategy"]
__all__ += ["StrategyComparison", "StrategyError", "StuckError", "StuckStrategyError", "TooLargeError", "Tournament"]
__all__ += ["Tree", "TreeError", "TreeTextError", "Turn", "Verification", "advise", "analyze", "certify", "compare"]
__all__ += ["duel", "evaluate", "events", "events_async", "feedback", "format_code", "format_tree", "leaderboard"]
__all__ += ["load_strategy", "local_server", "parse_code", "parse_tree", "partition", "play", "play_matches", "plot"]
__all__ += ["replay", "solve", "strategies", "tournament", "tree", "verify", "verify_match"]
# the same at runtime, where each is imported when it is first used
_HOMES: Final = {
    "evilpegs.api.analysis": ("GameAnalysis", "advise", "analyze"),
    "evilpegs.api.comparison": ("StrategyComparison", "compare"),
    "evilpegs.api.duels": ("Duel", "duel"),
    "evilpegs.api.evaluation": (
        *("EvaluationResult", "EvaluationResults", "LeastGuesses"),
        *("certify", "evaluate", "plot", "solve", "tree"),
    ),
    "evilpegs.api.game": ("Game",),
    "evilpegs.api.leaderboards": ("leaderboard",),
    "evilpegs.api.live_events": ("events", "events_async"),
    "evilpegs.api.local_server": ("local_server",),
    "evilpegs.api.partitions": ("Partition", "partition"),
    "evilpegs.api.replays": ("Replay", "replay"),
    "evilpegs.api.tournaments": ("Tournament", "tournament"),
    "evilpegs.api.verification": ("Verification", "verify"),
    "evilpegs_clients.bot.bot": ("play", "play_matches"),
    "evilpegs_clients.errors": ("ClientError", "StuckStrategyError"),
    "evilpegs_clients.strategies.loading": ("load_strategy",),
    "evilpegs_clients.strategies.registry": ("strategies",),
    "evilpegs_clients.strategies.strategy": ("Strategy", "StrategyError"),
    "evilpegs_clients.verification.verify": ("verify_match",),
    "evilpegs_game.analysis.advice": ("Advice", "Contradiction"),
    "evilpegs_game.codemakers.codemaker": ("Codemaker", "Evil", "Fixed"),
    "evilpegs_game.codemakers.devil": ("Devil",),
    "evilpegs_game.codes": ("Code", "format_code", "parse_code"),
    "evilpegs_game.errors": (
        *("ContradictionError", "EvilpegsError", "IllegalCodeError", "MalformedError"),
        *("OutOfRangeError", "OverBudgetError", "StuckError", "TooLargeError"),
    ),
    "evilpegs_game.feedback": ("Feedback", "History", "Turn", "feedback"),
    "evilpegs_game.live.position": ("Position",),
    "evilpegs_game.optimal.solve": ("Solution",),
    "evilpegs_game.rules": ("Rules",),
    "evilpegs_game.trees.certificate": ("Certificate", "TreeError"),
    "evilpegs_game.trees.lower_bound": ("LowerBound",),
    "evilpegs_game.trees.tree": ("Tree", "TreeTextError", "format_tree", "parse_tree"),
}


def _import_name(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - takes longer than this module

        return version("evilpegs")
    if name not in __all__:
        from difflib import get_close_matches  # noqa: PLC0415 - likewise

        close = [] if name.startswith("_") else get_close_matches(name, __all__, n=1, cutoff=0.7)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise AttributeError(f"module 'evilpegs' has no attribute {name!r}{hint}")
    module = next(module for module, names in _HOMES.items() if name in names)
    value = globals()[name] = getattr(import_module(module), "STRATEGIES" if name == "strategies" else name)
    return value


if not TYPE_CHECKING:  # a type checker that sees it accepts every name
    __getattr__ = _import_name


def __dir__() -> list[str]:
    return sorted(__all__)
