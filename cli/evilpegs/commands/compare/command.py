"""The command `evilpegs compare` and its options."""

import sys
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.compare.on_server import ServerContest, fetch_ladder, make_jobs, play_matches_until
from evilpegs.commands.compare.pair_count import PairCount
from evilpegs.commands.compare.result import ComparisonResult, show_comparison, show_exact
from evilpegs.errors import CommandError
from evilpegs.interruptible import run_interruptibly
from evilpegs.ladder_errors import unknown_ladder
from evilpegs.options import WHOLE, Json, ServerToPlay, StrategyName, Traceback
from evilpegs.output import console, only_document, print_json, progress
from evilpegs.slow_strategy import slow_strategies_named
from evilpegs.tracebacks import traceback_of_strategy
from evilpegs_clients.contest.exact_difference import ExactMeans, exact_means, has_exact_mean
from evilpegs_clients.contest.paired_games import PairedGames
from evilpegs_clients.contest.sequential_test import FIRST_PAIRS, Hypotheses, SequentialTest
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
    ladder: Annotated[str, Parameter(help="A ladder with a fixed codemaker, built-in or of the server.")] = "classic",
    server: ServerToPlay = None,
    names: Annotated[
        tuple[str, str] | None,
        Parameter(help="With --server, the names that A and B play under; by default the strategies' and the user's."),
    ] = None,
    null: Annotated[float, Parameter(help="B minus A under the null hypothesis, in guesses per game.")] = 0.0,
    alternative: Annotated[
        float, Parameter(help="The same under the alternative; negative if B needs fewer guesses.")
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

    With --server both play matches there, each strategy against secrets of its own; on a rated ladder the matches
    count. Games are then paired in the order of play. A match that has begun is played to its end, as it
    also is by evilpegs bot.
    """
    if names is not None and server is None:
        raise CommandError("--names is for --server; offline nobody plays under a name")
    info = _with_secrets(_ladder(ladder) if server is None else run_interruptibly(fetch_ladder(server, ladder)))
    hypotheses = _hypotheses(null, alternative, max_pairs, info.guess_limit)
    rules, err = Rules.parse(info.rules), console(sys.stderr)
    with only_document(as_json), traceback_of_strategy(traceback), slow_strategies_named(has_bar=True):
        strategies = load_strategy(strategy), load_strategy(other)
        jobs = None
        if server is not None:
            contest = ServerContest(server, strategies, (strategy, other), names, seed, traceback)
            jobs = make_jobs(contest, info)
        curve = load_value_curve(rules, info.guess_limit)
        shown_names = _display_names(strategies, (strategy, other))
        exact = _exact(strategies, (strategy, other), info, err)
        if exact is not None and not as_json:
            show_exact(console(), shown_names, exact)
        with PairCount(SequentialTest(hypotheses), max_pairs, err) as count:
            if jobs is None:
                count.play(PairedGames(strategies, rules, info.guess_limit, curve, seed))
            else:
                run_interruptibly(play_matches_until(jobs, info, count.add))
    result = ComparisonResult(info, shown_names, server, seed, curve.hash if curve else None, exact, count)
    if as_json:
        print_json(result.to_json())
    else:
        show_comparison(console(), result)


def _ladder(name: str) -> LadderInfo:
    from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415 - pure, but slow to import for --help

    ladders = load_ladders()
    if name not in ladders:
        raise unknown_ladder(name, ladders)
    return ladders[name].info()


def _with_secrets(info: LadderInfo) -> LadderInfo:
    if info.codemaker != "fixed":
        raise CommandError(
            f"ladder {info.id} has no secrets: its codemaker is {info.codemaker}; choose one with a fixed codemaker"
        )
    return info


def _hypotheses(null: float, alternative: float, max_pairs: int, guess_limit: int) -> Hypotheses:
    if not FIRST_PAIRS <= max_pairs <= MAX_PAIRS:
        raise CommandError(f"--max-pairs must be {FIRST_PAIRS} to {MAX_PAIRS:,}, not {max_pairs:,}")
    for option, value in (("--null", null), ("--alternative", alternative)):
        if not abs(value) <= guess_limit:
            raise CommandError(f"{option} must be -{guess_limit} to {guess_limit} guesses, not {value:g}")
    return Hypotheses(null, alternative)


def _exact(
    strategies: tuple[Strategy, Strategy], names: tuple[str, str], info: LadderInfo, err: Console
) -> ExactMeans | None:
    rules = Rules.parse(info.rules)
    if not all(has_exact_mean(strategy, rules) for strategy in strategies):
        return None
    with progress(err) as bar:
        return exact_means(names, rules, info.guess_limit, err, bar)


def _display_names(strategies: tuple[Strategy, Strategy], typed: tuple[str, str]) -> tuple[str, str]:
    first, second = strategies
    return typed if first.name == second.name else (first.name, second.name)
