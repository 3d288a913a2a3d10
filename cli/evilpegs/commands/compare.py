"""`evilpegs compare`: a sequential test of two strategies on the secrets of a ladder."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.progress import Progress

from evilpegs.api.comparison import ComparisonRun, check_terms
from evilpegs.errors import CommandError, unknown_ladder
from evilpegs.kit.bots import default_names, event_printer, run_bot
from evilpegs.kit.ladders import local_ladder
from evilpegs.options import (
    LADDER_ID,
    STRATEGY_NAME,
    WHOLE,
    Json,
    ServerToPlay,
    StrategyName,
    Traceback,
    check_claimable,
)
from evilpegs.output import Column, console, only_document, pluralize, print_json, print_table, progress
from evilpegs.reading import server_reader
from evilpegs.signals import run_interruptibly
from evilpegs.strategy_choice import StrategyChoice, slow_strategies_named, traceback_of_strategy, warn_of_known_seed
from evilpegs_clients.bot.bot import BotEvent, OnEvent
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.paired_games import PairedGames, PairScores, ServerPairs
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_game.rules import Rules
from evilpegs_game.statistics.elimination import Elimination
from evilpegs_game.statistics.sequential_test import BOUND, SequentialTest
from evilpegs_protocol.server_messages import LadderInfo, MatchStarted

MAX_STRATEGIES: Final = 10
RunBot = Callable[[], Coroutine[Any, Any, BotSummary]]


def compare(
    strategy: Annotated[StrategyName, Parameter(name="A")],
    other: Annotated[str, STRATEGY_NAME, Parameter(name="B")],
    /,
    *more: Annotated[str, STRATEGY_NAME, Parameter(name="MORE")],
    ladder: Annotated[str, LADDER_ID] = "classic",
    server: ServerToPlay = None,
    names: tuple[str, str] | None = None,
    null: float = 0.0,
    alternative: float = -0.02,
    max_pairs: Annotated[int, WHOLE] = 100_000,
    seed: Annotated[int, WHOLE] = 0,
    traceback: Traceback = False,
    as_json: Json = False,
) -> None:
    """Test whether strategy B needs fewer guesses than A, with as many games as it takes and no more.

    Both play the same random secrets of a ladder, each with random choices of its own. The difference of a pair is
    the score of B minus that of A, adjusted for luck if the ladder has a value curve. A sequential test ends when
    the differences agree much better with one hypothesis than with the other; each is rejected wrongly in about 5 %
    of runs. If every secret can be played in seconds, the exact difference is shown first.

    Of three to ten, each that is shown to be worse than another one is dropped, until no other one can be better than
    the best by the alternative. All that this says holds together with a probability of about 95 %.

    With --server both play matches there, each strategy against secrets of its own; on a rated ladder the matches
    count. Games are then paired in the order of play. A match that has started is played to its end, as it
    also is by evilpegs bot.

    Args:
        other: The strategy that may be better, named in the same way.
        more: Up to eight more; of three or more, the worst are dropped early.
        ladder: A ladder with a fixed codemaker, built-in or of the server.
        names: With --server, the names that A and B play under; by default the strategies' and the user's.
        null: B minus A under the null hypothesis, in guesses per game.
        alternative: The same under the alternative; negative if B needs fewer guesses.
        max_pairs: End without a decision after this many pairs of games.
        seed: Random seed of secrets and choices. Runs with the same seed give the same result.
    """
    if names is not None and server is None:
        raise CommandError("--names is for --server; offline nobody plays under a name")
    info = local_ladder(ladder) if server is None else run_interruptibly(_ladder_of_server(server, ladder))
    if info.codemaker != "fixed":
        raise CommandError(
            f"ladder {info.id} has no secrets: its codemaker is {info.codemaker}; choose one with a fixed codemaker"
        )
    if more:
        if server is not None or null != 0 or alternative >= 0:
            raise CommandError(
                "of three or more, all play offline; leave out --server, --null and a positive --alternative"
            )
        check_terms(info.guess_limit, (null, alternative), max_pairs, seed)
        everyone = strategy, other, *more
        if len(everyone) > MAX_STRATEGIES:
            many = f"at most {MAX_STRATEGIES} strategies are compared, not {len(everyone)}"
            raise CommandError(f"{many}; leave some out")
        with only_document(as_json), traceback_of_strategy(traceback), slow_strategies_named(has_bar=True):
            result = _eliminate(everyone, info, -alternative, max_pairs, seed)
        (print_json if as_json else _show_elimination)(result)
        return
    err, typed, bots = console(sys.stderr), (strategy, other), None
    with (
        only_document(as_json),
        traceback_of_strategy(traceback),
        slow_strategies_named(has_bar=True),
        progress(err) as bar,
    ):
        on_pair = _bar_of_pairs(bar, max_pairs)
        run = ComparisonRun(typed, info.rules, info.guess_limit, (null, alternative), max_pairs, seed, on_pair)
        if server is None:
            warn_of_known_seed(typed, seed)
        else:
            bots = _make_bots(info, server, run.strategies, typed, names, seed, traceback)
        if run.exact is not None and not as_json:
            means = f"{run.names[0]} {float(run.exact.first):.4f}, {run.names[1]} {float(run.exact.second):.4f}"
            difference = f"difference {float(run.exact.difference):+.4f}"
            console().print(f"exactly, over all secrets: {means}, {difference}", soft_wrap=True)
        if bots is not None:
            run_interruptibly(_play_matches_until(bots, info, run.add))
        else:
            run.play()
    document = {"ladder": info.id, "server": server, **run.result().to_json()}
    if as_json:
        print_json(document)
    else:
        _show_comparison(document)


async def _ladder_of_server(server: str, ladder: str) -> LadderInfo:
    async with server_reader(server) as reader:
        ladders = {info.id: info for info in reader.welcome.ladders}
        if ladder not in ladders:
            raise unknown_ladder(ladder, ladders, reader.server)
        return ladders[ladder]


def _bar_of_pairs(bar: Progress, max_pairs: int) -> Callable[[SequentialTest], None]:
    task = bar.add_task("pairs of games", total=max_pairs)

    def on_pair(test: SequentialTest) -> None:
        evidence = f"evidence {test.log_likelihood_ratio:+.2f} of {BOUND:.2f}"
        bar.update(task, advance=1, description=f"difference {test.mean:+.4f}, {evidence}")

    return on_pair


def _make_bots(
    ladder: LadderInfo,
    server: str,
    strategies: tuple[Strategy, Strategy],
    typed: tuple[str, str],
    chosen_names: tuple[str, str] | None,
    seed: int,
    traceback: bool,
) -> list[RunBot]:
    names: tuple[str | None, str | None] = chosen_names or (None, None)
    for name in names:
        check_claimable(name, "--names")
    tokens, url = TokenFile(default_token_file(server)), server_url(server)
    players = [
        name or default_names(strategy.name, False, url, tokens)[0]
        for name, strategy in zip(names, strategies, strict=True)
    ]
    if players[0] == players[1]:
        raise CommandError(f"both strategies would play as {players[0]}; give each a name of its own with --names")
    choices = [StrategyChoice(name_or_file, None) for name_or_file in typed]
    reports = [_report_exceptions(choice, traceback) for choice in choices]
    return [
        partial(run_bot, *bot, server=server, seed=seed, ladder=ladder.id)
        for bot in zip(choices, strategies, names, reports, strict=True)
    ]


async def _play_matches_until(
    bots: Sequence[RunBot], ladder: LadderInfo, wants_more: Callable[[PairScores], bool]
) -> None:
    pairs = ServerPairs(ladder)
    while True:
        runs = [run() for run in bots]
        # every match is played to its end, because a rated match that a player leaves would count as lost
        for side, result in enumerate(await asyncio.gather(*runs, return_exceptions=True)):
            if isinstance(result, BaseException):
                raise result
            _check(result)
            for match in result.matches:
                pairs.add(side, match)
        for scores in pairs.take():
            if not wants_more(scores):
                return


def _report_exceptions(choice: StrategyChoice, traceback: bool) -> OnEvent:
    report = event_printer(choice, traceback)

    def report_exceptions(event: BotEvent) -> None:
        is_routine = isinstance(event, MatchStarted) or (
            isinstance(event, GameSummary | MatchSummary) and event.verified
        )
        if not is_routine:
            report(event)

    return report_exceptions


def _check(summary: BotSummary) -> None:
    for match in summary.matches:
        if not match.verified:
            raise CommandError(
                f"match {match.match} is NOT verified, so its games prove nothing; see the findings above"
            )
    if summary.over_budget:
        guesses = pluralize(summary.over_budget, "guess", "guesses")
        console(sys.stderr).print(
            f"{summary.player}: {guesses} would have taken too long; the first candidate was played instead",
            soft_wrap=True,
        )


def _show_comparison(result: dict[str, Any]) -> None:
    scores = "guesses" if result["curve"] is None else "luck-adjusted guesses"
    means = f"{result['a']} {result['mean_a']:.4f}, {result['b']} {result['mean_b']:.4f}"
    pairs = f"{pluralize(result['pairs'], 'pair')} on {result['ladder']}"
    console().print(f"{pairs}, {scores}: {means}, difference {result['difference']:+.4f}", soft_wrap=True)
    console().print(_verdict_text(result), soft_wrap=True)


def _verdict_text(result: dict[str, Any]) -> str:
    null, alternative, is_alternative = result["null"], result["alternative"], result["verdict"] == "alternative"
    ratio = f"log-likelihood ratio {result['log_likelihood_ratio']:+.2f}, bounds ±{BOUND:.2f}"
    if result["verdict"] == "undecided":
        return f"undecided between {null:g} and {alternative:g} ({ratio}); see --max-pairs"
    accepted, rejected = (alternative, null) if is_alternative else (null, alternative)
    decided = f"decided for a difference of {accepted:g}, against {rejected:g} ({ratio})"
    if null != 0 or alternative > 0:
        return decided
    return f"{result['b']} is {'better' if is_alternative else 'not better'} than {result['a']}: {decided}"


# of three to ten strategies


def _eliminate(typed: Sequence[str], ladder: LadderInfo, margin: float, max_games: int, seed: int) -> dict[str, Any]:
    strategies, rules = [load_strategy(each) for each in typed], Rules.parse(ladder.rules)
    warn_of_known_seed(typed, seed)
    curve = load_value_curve(rules, ladder.guess_limit)
    games, test = PairedGames(strategies, rules, ladder.guess_limit, curve, seed), Elimination(len(typed), margin)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("secrets", total=max_games)
        for number in range(max_games):
            test.add(games.play_each(number, test.left))
            bar.update(task, advance=1, description=f"secrets, {len(test.left)} of {len(typed)} strategies")
            if test.is_decided:
                break
    names = [each.name for each in strategies]
    shown = [name if names.count(name) == 1 else each for name, each in zip(names, typed, strict=True)]
    rows = []
    # those in play first
    for each in sorted(range(len(typed)), key=lambda each: (-test.games[each], test.mean(each))):
        low, high = test.interval(each, test.leader) if each != test.leader else (0.0, 0.0)
        row = {"strategy": shown[each], "games": test.games[each], "mean": test.mean(each), "low": low, "high": high}
        rows.append(row | {"dropped": each not in test.left})
    terms = {"ladder": ladder.id, "rules": ladder.rules, "guess_limit": ladder.guess_limit, "seed": seed}
    terms |= {"margin": margin, "curve": curve and curve.hash}
    return terms | {"strategies": rows, "decided": test.is_decided}


def _show_elimination(result: dict[str, Any]) -> None:
    columns: list[Column[dict[str, Any]]] = [
        Column("strategy", lambda row: row["strategy"]),
        Column("games", lambda row: f"{row['games']:,}", "right"),
        Column("mean" if result["curve"] is None else "adjusted mean", lambda row: f"{row['mean']:.4f}", "right"),
        Column("more than the first", lambda row: f"{row['low']:+.3f} to {row['high']:+.3f}" if row["high"] else ""),
        Column("", lambda row: "dropped: worse" if row["dropped"] else ""),
    ]
    print_table(console(), result["strategies"], columns)
    first, margin = result["strategies"][0]["strategy"], result["margin"]
    console().print(
        f"no other one is better than {first} by {margin:g} guesses per game"
        if result["decided"]
        else "undecided; see --max-pairs"
    )
