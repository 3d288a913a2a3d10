"""Evaluation of a strategy: how many guesses it needs, against every secret or in simulated games."""

import reprlib
from dataclasses import dataclass
from typing import Any, get_args

from evilpegs.api.arguments import CodeLike, RulesLike, StrategyLike, to_code, to_rules, to_strategy, to_whole
from evilpegs_clients.evaluation.work_units import simulate_games
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.evaluation.exact import GuessCounts, distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.evaluation.simulation import Simulation
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.solve import Objective, Solution
from evilpegs_game.optimal.solve import solve as solve_rules
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import Certificate
from evilpegs_game.trees.certificate import certify as certify_tree
from evilpegs_game.trees.tree import Tree, parse_tree


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationResult(GuessCounts):
    """The number of guesses that a strategy needs; ``distribution[i]`` secrets or games took ``i + 1`` guesses.

    ``first`` is None if games were simulated in which the strategy chose its first guess. ``games`` is the number of
    simulated games, or 0 if every secret was played exactly once. ``seed`` is None if nothing was random. If a strategy
    that uses random numbers played every secret, the result holds for this seed only.

    >>> import evilpegs
    >>> result = evilpegs.evaluate("minimax", rules="4x6")
    >>> result
    <EvaluationResult of minimax on 4x6: mean 4.4761, at most 5 guesses, every secret>
    >>> result.total, result.max, result.distribution
    (5801, 5, (1, 6, 62, 533, 694))
    """

    strategy: str
    first: Code | None
    games: int = 0
    seed: int | None = None

    def __repr__(self) -> str:
        played = f"{self.games:,} games" if self.games else "every secret"
        played += "" if self.seed is None else f" with seed {self.seed}"
        needed = f"mean {self.mean:.4f}, at most {self.max} guesses"
        return f"<EvaluationResult of {self.strategy} on {self.rules}: {needed}, {played}>"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean number of guesses.

        It is None if every secret was played, after a single game, or if all games took the same number of guesses.
        """
        return Simulation(self.rules, self.distribution).interval if self.games else None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs evaluate --json``."""
        interval = self.interval
        games = {"games": self.games, "interval": interval and list(interval)}
        return {
            "rules": str(self.rules),
            "strategy": self.strategy,
            "first": None if self.first is None else format_code(self.first),
            **(games if self.games else {"codes": self.count}),
            **({} if self.seed is None else {"seed": self.seed}),
            "total": self.total,
            "mean": self.mean,
            "max": self.max,
            "distribution": list(self.distribution),
        }


def evaluate(
    strategy: StrategyLike,
    rules: RulesLike = "classic",
    *,
    first: CodeLike | None = None,
    games: int | None = None,
    seed: int = 0,
    candidates_only: bool = False,
    threads: int = 1,
) -> EvaluationResult:
    """Play a strategy against every secret of the rules, or in ``games`` random games, and count its guesses.

    Calls with the same arguments give the same result.

    Args:
        strategy: The name of a built-in strategy, the path of a ``.py`` file, a `Strategy` or a function
            ``choose(position, rng)``.
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        first: The first guess of every game, in place of the strategy's own.
        games: The number of games to simulate, each with a random secret; None plays every secret exactly once.
        seed: The seed of all random numbers: those of the strategy, and the secrets of simulated games.
        candidates_only: True if a built-in strategy may guess only codes that could be the secret.
        threads: The number of threads. Only the strategies that follow a criterion (minimax, entropy and so on) use
            them, when every secret is played. The result does not depend on this number.

    Raises:
        EvilpegsError: an argument is wrong, a strategy that was loaded by its name or path fails, the strategy never
            solves a game, or the rules have too many codes. An exception raised by a function that was passed as the
            strategy is passed on unchanged.

    >>> import evilpegs
    >>> evilpegs.evaluate("minimax", rules="4x6").mean
    4.47608024691358
    >>> def first_possible(position, rng):
    ...     return position.first_candidate
    >>> evilpegs.evaluate(first_possible, rules="4x6").max
    9
    >>> evilpegs.evaluate("random-consistent", rules="4x6", games=100, seed=1)
    <EvaluationResult of random-consistent on 4x6: mean 4.6800, at most 7 guesses, 100 games with seed 1>
    """
    chosen, parsed = to_strategy(strategy, candidates_only), to_rules(rules)
    opening = None if first is None else to_code(first, parsed)
    seed, threads = to_whole("seed", seed, 0), to_whole("threads", threads, 1)
    if games is not None:
        games = to_whole("games", games, 1)
        simulation = simulate_games(chosen, parsed, range(games), opening, seed)
        return EvaluationResult(parsed, simulation.distribution, chosen.name, opening, games, seed)
    if opening is None:
        opening = seeded_choice(chosen, seed)(Position(parsed))
    distribution = _distribution(chosen, parsed, opening, seed, candidates_only, threads)
    return EvaluationResult(parsed, distribution, chosen.name, opening, seed=seed if chosen.uses_rng else None)


def _distribution(
    strategy: Strategy, rules: Rules, first: Code, seed: int, candidates_only: bool, threads: int
) -> tuple[int, ...]:
    if isinstance(strategy, CriterionStrategy):
        return evaluate_heuristic(rules, strategy.criterion, (), first, candidates_only, threads)
    return distribution_from(seeded_choice(strategy, seed), rules, (), first)


def solve(rules: RulesLike = "classic", *, objective: Objective = "mean", threads: int = 1) -> Solution:
    """Find a strategy with the fewest guesses in total over all codes, and prove that there is no better one.

    With ``objective="worst"`` the guesses for the worst code are minimized first, and then the total. ``rules`` is a
    `Rules` or a text such as ``4x6``. If several strategies are best, the number of ``threads`` may decide which one is
    found. The result has ``tree``, ``total``, ``max``, ``mean`` and ``is_proved``. 4x6 takes about a second, 4x8 a
    minute; the first call after an installation compiles for a minute.

    Raises:
        EvilpegsError: an argument is wrong, or optimal play takes too much memory for the rules.

    >>> import evilpegs
    >>> solution = evilpegs.solve("4x4")
    >>> solution
    <Solution of 4x4: 905 guesses for 256 codes, mean 3.5352, at most 5, proved>
    """
    if objective not in get_args(Objective):
        raise MalformedError(f"no objective {reprlib.repr(objective)}; take mean or worst")
    return solve_rules(to_rules(rules), objective, to_whole("threads", threads, 1))


def certify(tree: Tree | str) -> Certificate:
    """Prove how many guesses a strategy tree needs, by following every code of its rules through it.

    ``tree`` is a `Tree` or its text in the format of docs/trees.md. The certificate has ``distribution``, whose element
    at index i is the number of codes solved with i + 1 guesses, ``total``, ``mean`` and ``max``. No game against any
    codemaker takes more than ``max`` guesses.

    Raises:
        EvilpegsError: the text is no tree, the tree does not solve every code, or the rules have too many codes.

    >>> import evilpegs
    >>> evilpegs.certify(evilpegs.solve("3x3").tree)
    <Certificate of 3x3: 73 guesses for 27 codes, mean 2.7037, at most 4>
    """
    if isinstance(tree, str):
        return certify_tree(parse_tree(tree))
    if isinstance(tree, Tree):
        return certify_tree(tree)
    raise MalformedError(f"not a tree: {reprlib.repr(tree)}; pass a Tree, such as solution.tree, or the text of one")
