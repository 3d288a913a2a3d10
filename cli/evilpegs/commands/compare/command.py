"""The command `evilpegs compare` and its options."""

import sys
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.compare.result import ComparisonResult, comparison_document, show_comparison, show_exact
from evilpegs.errors import CommandError
from evilpegs.options import WHOLE, Json, StrategyName, Traceback
from evilpegs.output import console, only_document, print_json, progress
from evilpegs.slow_strategy import slow_strategies_named
from evilpegs.tracebacks import traceback_of_strategy
from evilpegs_clients.contest.exact_difference import ExactMeans, exact_means, has_exact_mean
from evilpegs_clients.contest.paired_games import PairedGames, PairScores
from evilpegs_clients.contest.sequential_test import BOUND, FIRST_PAIRS, Hypotheses, SequentialTest
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.luck.value_curve import load_value_curve
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import LadderInfo

MAX_PAIRS: Final = 1_000_000_000


def compare(
    strategy: Annotated[StrategyName, Parameter(name="A")],
    other: Annotated[str, Parameter(name="B", help="The strategy that may be better, named in the same way.")],
    /,
    *,
    ladder: Annotated[str, Parameter(help="A built-in ladder with a fixed codemaker.")] = "classic",
    null: Annotated[float, Parameter(help="The difference of the null hypothesis, in guesses per game.")] = 0.0,
    alternative: Annotated[
        float, Parameter(help="The difference of the alternative; negative if B needs fewer guesses.")
    ] = -0.02,
    max_pairs: Annotated[
        int, WHOLE, Parameter(help="End without a decision after this many pairs of games.")
    ] = 100_000,
    seed: Annotated[
        int, WHOLE, Parameter(help="Random seed of secrets and choices. Runs with the same seed give the same result.")
    ] = 0,
    traceback: Traceback = False,
    as_json: Json = False,
) -> None:
    """Test whether strategy B needs fewer guesses than A, with as many games as it takes and no more.

    Both play the same random secrets of a ladder, each with random choices of its own. The difference of a pair is
    the score of B minus that of A, adjusted for luck if the ladder has a value curve. A sequential test ends when
    the differences agree much better with one hypothesis than with the other; each is rejected wrongly in about 5 %
    of runs. If every secret can be played in seconds, the exact difference is shown first.
    """
    info = _ladder(ladder)
    hypotheses = _hypotheses(null, alternative, max_pairs, info.guess_limit)
    rules, err = Rules.parse(info.rules), console(sys.stderr)
    with only_document(as_json), traceback_of_strategy(traceback), slow_strategies_named(has_bar=True):
        strategies = load_strategy(strategy), load_strategy(other)
        curve = load_value_curve(rules, info.guess_limit)
        names = _display_names(strategies, (strategy, other))
        exact = _exact(strategies, (strategy, other), info, err)
        if exact is not None and not as_json:
            show_exact(console(), names, exact)
        games = PairedGames(strategies, rules, info.guess_limit, curve, seed)
        test, totals = _run(games, SequentialTest(hypotheses), max_pairs, err)
    result = ComparisonResult(info, names, seed, curve.hash if curve else None, exact, test, totals)
    if as_json:
        print_json(comparison_document(result))
    else:
        show_comparison(console(), result)


def _ladder(name: str) -> LadderInfo:
    """Return the built-in ladder with this id; raise CommandError if there is none, or if it has no secrets."""
    from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415 - pure, but slow to import for --help

    ladders = load_ladders()
    if name not in ladders:
        message = f"there is no built-in ladder {name[:40]!r}; see: evilpegs ladders"
        raise CommandError(message)
    info = ladders[name].info()
    if info.codemaker != "fixed":
        message = f"ladder {name} has no secrets: its codemaker is {info.codemaker}; choose one with a fixed codemaker"
        raise CommandError(message)
    return info


def _hypotheses(null: float, alternative: float, max_pairs: int, guess_limit: int) -> Hypotheses:
    """Return the hypotheses; raise CommandError or MalformedError if no test can decide between them."""
    if not FIRST_PAIRS <= max_pairs <= MAX_PAIRS:
        message = f"--max-pairs must be {FIRST_PAIRS} to {MAX_PAIRS:,}, not {max_pairs:,}"
        raise CommandError(message)
    for option, value in (("--null", null), ("--alternative", alternative)):
        if not abs(value) <= guess_limit:
            message = f"{option} must be -{guess_limit} to {guess_limit} guesses, not {value:g}"
            raise CommandError(message)
    return Hypotheses(null, alternative)


def _exact(
    strategies: tuple[Strategy, Strategy], names: tuple[str, str], info: LadderInfo, err: Console
) -> ExactMeans | None:
    rules = Rules.parse(info.rules)
    if not all(has_exact_mean(strategy, rules) for strategy in strategies):
        return None
    with progress(err) as bar:
        return exact_means(names, rules, info.guess_limit, err, bar)


def _run(games: PairedGames, test: SequentialTest, max_pairs: int, err: Console) -> tuple[SequentialTest, PairScores]:
    """Play pairs until the test decides or there are ``max_pairs``; return the test and the sums of both scores."""
    first = second = 0.0
    with progress(err) as bar:
        task = bar.add_task("pairs of games", total=max_pairs)
        while test.verdict is None and test.pairs < max_pairs:
            scores = games.play(test.pairs)
            test.add(scores.second - scores.first)
            first, second = first + scores.first, second + scores.second
            evidence = f"evidence {test.log_likelihood_ratio:+.2f} of {BOUND:.2f}"
            bar.update(task, advance=1, description=f"difference {test.mean:+.4f}, {evidence}")
    return test, PairScores(first, second)


def _display_names(strategies: tuple[Strategy, Strategy], typed: tuple[str, str]) -> tuple[str, str]:
    """Return the names of both strategies, or what was typed if they have one name."""
    first, second = strategies
    return typed if first.name == second.name else (first.name, second.name)
