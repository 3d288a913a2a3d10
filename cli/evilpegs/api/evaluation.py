"""Evaluation of strategies: how many guesses they need, the best that can be done, and proofs of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypedDict, Unpack, get_args, overload

from rich.console import Console
from rich.progress import Progress

from evilpegs.errors import as_malformed
from evilpegs.files import read_tree
from evilpegs.output import pluralize, small_bars
from evilpegs.plots import plot_counts
from evilpegs_clients.evaluation.results import make_results
from evilpegs_clients.evaluation.run import ExecutionPlan, play_all_secrets, run_evaluation
from evilpegs_clients.evaluation.spec import StrategySpec, make_specs
from evilpegs_clients.evaluation.work_units import simulate_games
from evilpegs_clients.strategies.loading import StrategyLike, to_strategy
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code, CodeLike, all_codes, format_code, to_code
from evilpegs_game.displays import Html, html_caption, html_line, html_pegs, html_table, html_turns
from evilpegs_game.errors import MalformedError, quote_value, require, to_flag, to_whole, wrong_argument
from evilpegs_game.evaluation.exact import DuelTurn, GuessCounts
from evilpegs_game.evaluation.simulation import Simulation
from evilpegs_game.guessing.plain import allow_plain_work
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.optimal.solve import Objective, Solution
from evilpegs_game.optimal.solve import solve as solve_rules
from evilpegs_game.rules import Rules, to_rules
from evilpegs_game.trees.adversary import AdversaryTree, parse_tree_or_adversary
from evilpegs_game.trees.certificate import Certificate
from evilpegs_game.trees.certificate import certify as certify_tree
from evilpegs_game.trees.lower_bound import LowerBound, certify_adversary
from evilpegs_game.trees.tree import Tree, tree_from_strategy

Adversary = Literal["evil", "devil"]
MAX_GAMES, MAX_JOBS, MAX_THREADS = 1_000_000_000, 256, 256
MAX_DEVIL_CODES: Final = 20_000  # the table of all feedbacks takes 400 MB


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


class EvaluationResults(tuple[EvaluationResult, ...]):
    """The results of several strategies: a tuple, which a notebook shows as one table.

    >>> import evilpegs
    >>> results = evilpegs.evaluate(["minimax", "entropy"], rules="3x4")
    >>> [result.total for result in results], len(results)
    ([216, 208], 2)
    """

    __slots__ = ()

    def _repr_html_(self) -> Html:
        heads = "strategy", "rules", "first guess", "played", "mean", "95 % interval", "total", "most", "guesses"
        rows = [
            (
                *(result.strategy, str(result.rules), result.first and html_pegs(result.first), result.count),
                f"{result.mean:.4f}",
                result.interval and "{:.4f}-{:.4f}".format(*result.interval),
                *(result.total, result.max, small_bars(result.distribution)),
            )
            for result in self
        ]
        return html_table(pluralize(len(self), "evaluation"), heads, rows)


class EvaluateOptions(TypedDict, total=False):
    """The options of `evaluate`."""

    first: CodeLike | None
    games: int | None
    seed: int
    candidates_only: bool
    threads: int
    jobs: int


@overload
def evaluate(
    strategy: StrategyLike, rules: Rules | str = "classic", **options: Unpack[EvaluateOptions]
) -> EvaluationResult: ...


@overload
def evaluate(
    strategy: list[StrategyLike] | tuple[StrategyLike, ...],
    rules: Rules | str = "classic",
    **options: Unpack[EvaluateOptions],
) -> EvaluationResults: ...


def evaluate(
    strategy: StrategyLike | list[StrategyLike] | tuple[StrategyLike, ...],
    rules: Rules | str = "classic",
    *,
    first: CodeLike | None = None,
    games: int | None = None,
    seed: int = 0,
    candidates_only: bool = False,
    threads: int = 1,
    jobs: int = 1,
) -> EvaluationResult | EvaluationResults:
    """Play a strategy against every secret of the rules, or in ``games`` random games, and count its guesses.

    Calls with the same arguments give the same result.

    Args:
        strategy: The name of a built-in strategy, the path of a ``.py`` or ``.tree`` file, a `Tree`, a `Strategy` or
            a function ``choose(position, rng)``; or a list of them, which gives `EvaluationResults`, a tuple.
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        first: The first guess of every game, in place of the strategy's own.
        games: The number of games to simulate, each with a random secret; None plays every secret exactly once.
        seed: The seed of all random numbers: those of the strategy, and the secrets of simulated games.
        candidates_only: True if a built-in strategy may guess only codes that could be the secret.
        threads: The number of threads. Only the strategies that follow a criterion (minimax, entropy and so on) use
            them, when every secret is played. The result does not depend on this number.
        jobs: The number of processes, for long work of strategies with a name or a file. As the command does, it keeps
            a journal in the user's data directory until it ends, so the same call goes on after an interruption. The
            result does not depend on this number. Scripts call it below ``if __name__ == "__main__":``.

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
    several, parsed = isinstance(strategy, list | tuple), to_rules(rules)
    strategies = list(strategy) if isinstance(strategy, list | tuple) else [strategy]
    if not strategies:
        raise MalformedError("no strategy to evaluate; name one or more")
    opening = None if first is None else to_code(first, parsed)
    games = None if games is None else to_whole("games", games, 1, MAX_GAMES)
    seed, threads = to_whole("seed", seed, 0), to_whole("threads", threads, 1, MAX_THREADS)
    candidates_only = to_flag("candidates_only", candidates_only)
    if to_whole("jobs", jobs, 1, MAX_JOBS) > 1:
        for each in strategies:
            require(each, str | Path, "a strategy for several jobs", "a name or a file, which each loads")
        names = list(map(str, strategies))
        text = None if opening is None else format_code(opening)
        by_name = _evaluate_in_processes(make_specs(names, parsed, text, candidates_only, games or 0, seed), jobs)
        results = [by_name[name] for name in names]
    else:
        chosen = [to_strategy(each, candidates_only) for each in strategies]
        results = [_evaluate_here(each, parsed, opening, games, seed, threads) for each in chosen]
    return EvaluationResults(results) if several else results[0]


def _evaluate_here(
    strategy: Strategy, rules: Rules, first: Code | None, games: int | None, seed: int, threads: int
) -> EvaluationResult:
    if games is not None:
        simulation = simulate_games(strategy, rules, range(games), first, seed)
        return EvaluationResult(rules, simulation.distribution, strategy.name, first, games, seed)
    opening, distribution = play_all_secrets(strategy, rules, first, seed, threads)
    return EvaluationResult(rules, distribution, strategy.name, opening, seed=seed if strategy.uses_rng else None)


def _evaluate_in_processes(specs: Sequence[StrategySpec], jobs: int) -> dict[str, EvaluationResult]:
    plan, quiet = ExecutionPlan(jobs), Console(quiet=True)
    costs = plan.costs(specs)
    with Progress(console=quiet, disable=True) as bar:
        results = make_results(costs, run_evaluation(costs, plan, quiet, bar), plan)
    by_name = {}
    for result in results:
        spec = result.spec
        seed = spec.seed if spec.games or spec.load().uses_rng else None
        by_name[spec.strategy] = EvaluationResult(
            spec.rules, result.distribution, result.name, result.first, spec.games, seed
        )
    return by_name


def plot(results: GuessCounts | Sequence[GuessCounts], file: str | Path) -> None:
    """Draw how many secrets, or games, take how many guesses, as bars in a ``.png`` or ``.svg`` file.

    ``results`` is one or several of what `evaluate` and `certify` return, for the same rules. This needs matplotlib,
    which the extra ``plot`` installs.

    Raises:
        EvilpegsError: an argument is wrong, the file cannot be written, or matplotlib is not installed.

    >>> import evilpegs
    >>> evilpegs.plot(evilpegs.evaluate(["minimax", "entropy"], rules="3x4"), "compared.svg")
    """
    require(file, str | Path, "the name of a file", "one that ends in .png or .svg")
    several = [results] if isinstance(results, GuessCounts) else results
    wanted = "what evaluate or certify returned, or a list of them for the same rules"
    if not isinstance(several, list | tuple) or not several:
        raise wrong_argument("results", results, wanted)
    for result in several:
        require(result, GuessCounts, "a result", wanted)
    games = [getattr(result, "games", 0) for result in several]
    if len({(result.rules, bool(played)) for result, played in zip(several, games, strict=True)}) > 1:
        raise MalformedError("results of different rules, or of games and of all secrets, cannot share a plot")
    with as_malformed():
        plot_counts(Path(file), [(getattr(result, "strategy", "tree"), result) for result in several], bool(games[0]))


def tree(
    strategy: StrategyLike,
    rules: Rules | str = "classic",
    *,
    first: CodeLike | None = None,
    seed: int = 0,
    candidates_only: bool = False,
) -> Tree:
    """Write down what a strategy guesses after every feedback, as a `Tree` that `certify` checks.

    The arguments are those of `evaluate`. A strategy that uses random numbers is written as it plays with ``seed``.

    Raises:
        EvilpegsError: an argument is wrong, the strategy fails or never solves a code, or there are too many codes.

    >>> import evilpegs
    >>> evilpegs.certify(evilpegs.tree("minimax", rules="4x6")).total
    5801
    """
    chosen, parsed = to_strategy(strategy, candidates_only), to_rules(rules)
    opening = None if first is None else to_code(first, parsed)
    allow_plain_work()
    return tree_from_strategy(seeded_choice(chosen, to_whole("seed", seed, 0)), parsed, opening)


@dataclass(frozen=True, slots=True, repr=False)
class LeastGuesses:
    """The fewest guesses that are sure to beat a codemaker; against evil, ``turns`` is a game that takes no more.

    >>> import evilpegs
    >>> evilpegs.solve("3x5", against="evil")
    <LeastGuesses against evil on 3x5: 4>
    >>> evilpegs.solve("3x5", against="devil").guesses
    5
    """

    rules: Rules
    against: Adversary
    guesses: int
    turns: tuple[DuelTurn, ...] = ()

    def __repr__(self) -> str:
        return f"<LeastGuesses against {self.against} on {self.rules}: {self.guesses}>"

    def _repr_html_(self) -> Html:
        if not self.turns:
            return html_line(f"least guesses against {self.against} on {self.rules}", self.guesses)
        left = [turn.candidates_left for turn in self.turns]
        return html_turns(html_caption(self), ((turn.guess, turn.feedback) for turn in self.turns), ("left", left))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs solve --against --json``."""
        turns = {"turns": [turn.to_json() for turn in self.turns]} if self.against == "evil" else {}
        return {"rules": str(self.rules), "against": self.against, "guesses": self.guesses} | turns


def solve_against(
    against: Adversary, rules: Rules, progress: Callable[[int], None] | None = None, solver: WorstCase | None = None
) -> LeastGuesses:
    """Find the fewest guesses against evil or the devil; ``progress`` is called with each number tried, maybe often."""
    if against == "evil":
        turns = ShortestLineSearch(rules).run(progress)
        return LeastGuesses(rules, against, len(turns), turns)
    # a devil whose replies are always exact forces as many guesses as the best strategy for the worst case needs
    solver = solver or WorstCase(rules, shared_codes=MAX_DEVIL_CODES)
    return LeastGuesses(rules, against, solver.value(all_codes(rules), progress=progress))


@overload
def solve(rules: Rules | str = "classic", *, objective: Objective = "mean", threads: int = 1) -> Solution: ...


@overload
def solve(rules: Rules | str = "classic", *, against: Adversary) -> LeastGuesses: ...


def solve(
    rules: Rules | str = "classic", *, objective: Objective = "mean", threads: int = 1, against: Adversary | None = None
) -> Solution | LeastGuesses:
    """Find a strategy with the fewest guesses in total over all codes, and prove that there is no better one.

    With ``objective="worst"`` the guesses for the worst code are minimized first, and then the total. ``rules`` is a
    `Rules` or a text such as ``4x6``. If several strategies are best, the number of ``threads`` may decide which one is
    found. The result has ``tree``, ``total``, ``max``, ``mean`` and ``is_proved``. 4x6 takes about a second, 4x8 a
    minute; the first call after an installation compiles for a minute.

    With ``against="evil"`` or ``"devil"`` the fewest guesses that are sure to beat this codemaker are found instead, as
    `LeastGuesses`.

    Raises:
        EvilpegsError: an argument is wrong, or optimal play takes too much memory for the rules.

    >>> import evilpegs
    >>> solution = evilpegs.solve("4x4")
    >>> solution
    <Solution of 4x4: 905 guesses for 256 codes, mean 3.5352, at most 5, proved>
    """
    parsed = to_rules(rules)
    _require_one_of("objective", objective, get_args(Objective))
    threads = to_whole("threads", threads, 1, MAX_THREADS)
    if against is None:
        return solve_rules(parsed, objective, threads)
    _require_one_of("against", against, get_args(Adversary))
    if objective != "mean" or threads != 1:
        raise MalformedError("objective and threads are for the best strategy, not for against; leave them out")
    return solve_against(against, parsed)


def _require_one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise MalformedError(f"{name} must be {' or '.join(choices)}, not {quote_value(value)}")


@overload
def certify(tree: Tree) -> Certificate: ...


@overload
def certify(tree: str | Path) -> Certificate | LowerBound: ...


def certify(tree: Tree | str | Path) -> Certificate | LowerBound:
    """Prove how many guesses a strategy tree needs, by following every code of its rules through it.

    ``tree`` is a `Tree`, its text in the format of docs/trees.md, or the path of a file with this text. The certificate
    has ``distribution``, whose element at index i is the number of codes solved with i + 1 guesses, ``total``, ``mean``
    and ``max``. No game against any codemaker takes more than ``max`` guesses. An adversary's tree is checked as well;
    its `LowerBound` has ``at_least``, the guesses that a codemaker can force: ask ``isinstance`` which one a text gave.

    Raises:
        EvilpegsError: the text is no tree, the file cannot be read, the tree does not solve every code or lets the
            codebreaker win, or the rules have too many codes.

    >>> import evilpegs
    >>> evilpegs.certify(evilpegs.solve("3x3").tree)
    <Certificate of 3x3: 73 guesses for 27 codes, mean 2.7037, at most 4>
    """
    if isinstance(tree, Path) or (isinstance(tree, str) and "\n" not in tree):  # a tree has three lines or more
        with as_malformed():
            parsed = read_tree(str(tree))
    else:
        parsed = parse_tree_or_adversary(tree) if isinstance(tree, str) else tree
    if isinstance(parsed, AdversaryTree):
        return certify_adversary(parsed)
    require(parsed, Tree, "a tree", "a Tree, such as solution.tree, its text, or the path of a file")
    return certify_tree(parsed)
