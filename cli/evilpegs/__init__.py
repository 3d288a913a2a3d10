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
    from evilpegs.api.analysis import GameAnalysis, analyze
    from evilpegs.api.duels import Duel, duel
    from evilpegs.api.evaluation import EvaluationResult, certify, evaluate, solve
    from evilpegs_clients.bot.bot import play_matches
    from evilpegs_clients.strategies.loading import load_strategy
    from evilpegs_clients.strategies.registry import STRATEGIES as strategies  # noqa: N811
    from evilpegs_clients.strategies.strategy import Strategy, StrategyError
    from evilpegs_clients.verification.verify import verify_match
    from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
    from evilpegs_game.codemakers.devil import Devil
    from evilpegs_game.codes import Code, format_code, parse_code
    from evilpegs_game.errors import ContradictionError, EvilpegsError, TooLargeError
    from evilpegs_game.feedback import Feedback, History, Turn, feedback
    from evilpegs_game.live.position import Position
    from evilpegs_game.optimal.solve import Solution
    from evilpegs_game.rules import Rules
    from evilpegs_game.trees.certificate import Certificate
    from evilpegs_game.trees.tree import Tree, format_tree, parse_tree

_HOMES: Final = {
    "Certificate": "evilpegs_game.trees.certificate:Certificate",
    "Code": "evilpegs_game.codes:Code",
    "Codemaker": "evilpegs_game.codemakers.codemaker:Codemaker",
    "ContradictionError": "evilpegs_game.errors:ContradictionError",
    "Devil": "evilpegs_game.codemakers.devil:Devil",
    "Duel": "evilpegs.api.duels:Duel",
    "EvaluationResult": "evilpegs.api.evaluation:EvaluationResult",
    "Evil": "evilpegs_game.codemakers.codemaker:Evil",
    "EvilpegsError": "evilpegs_game.errors:EvilpegsError",
    "Feedback": "evilpegs_game.feedback:Feedback",
    "Fixed": "evilpegs_game.codemakers.codemaker:Fixed",
    "GameAnalysis": "evilpegs.api.analysis:GameAnalysis",
    "History": "evilpegs_game.feedback:History",
    "Position": "evilpegs_game.live.position:Position",
    "Rules": "evilpegs_game.rules:Rules",
    "Solution": "evilpegs_game.optimal.solve:Solution",
    "Strategy": "evilpegs_clients.strategies.strategy:Strategy",
    "StrategyError": "evilpegs_clients.strategies.strategy:StrategyError",
    "TooLargeError": "evilpegs_game.errors:TooLargeError",
    "Tree": "evilpegs_game.trees.tree:Tree",
    "Turn": "evilpegs_game.feedback:Turn",
    "analyze": "evilpegs.api.analysis:analyze",
    "certify": "evilpegs.api.evaluation:certify",
    "duel": "evilpegs.api.duels:duel",
    "evaluate": "evilpegs.api.evaluation:evaluate",
    "feedback": "evilpegs_game.feedback:feedback",
    "format_code": "evilpegs_game.codes:format_code",
    "format_tree": "evilpegs_game.trees.tree:format_tree",
    "load_strategy": "evilpegs_clients.strategies.loading:load_strategy",
    "parse_code": "evilpegs_game.codes:parse_code",
    "parse_tree": "evilpegs_game.trees.tree:parse_tree",
    "play_matches": "evilpegs_clients.bot.bot:play_matches",
    "solve": "evilpegs.api.evaluation:solve",
    "strategies": "evilpegs_clients.strategies.registry:STRATEGIES",
    "verify_match": "evilpegs_clients.verification.verify:verify_match",
}

__all__ = [
    "Certificate",
    "Code",
    "Codemaker",
    "ContradictionError",
    "Devil",
    "Duel",
    "EvaluationResult",
    "Evil",
    "EvilpegsError",
    "Feedback",
    "Fixed",
    "GameAnalysis",
    "History",
    "Position",
    "Rules",
    "Solution",
    "Strategy",
    "StrategyError",
    "TooLargeError",
    "Tree",
    "Turn",
    "analyze",
    "certify",
    "duel",
    "evaluate",
    "feedback",
    "format_code",
    "format_tree",
    "load_strategy",
    "parse_code",
    "parse_tree",
    "play_matches",
    "solve",
    "strategies",
    "verify_match",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'evilpegs' has no attribute {name!r}")
    module, _, attribute = home.partition(":")
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
