"""A comparison of two strategies by matches on a server, where each plays under its own name until a test decides."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console

from evilpegs.commands.bot.run import BotJob, default_names, event_printer, run_bot
from evilpegs.errors import CommandError
from evilpegs.ladder_errors import unknown_ladder
from evilpegs.output import console, pluralize
from evilpegs.player_name import check_name
from evilpegs.reading import server_reader
from evilpegs.strategy_choice import StrategyChoice
from evilpegs_clients.bot.bot import BotEvent, OnEvent
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.contest.paired_games import PairScores, ServerPairs
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_protocol.server_messages import LadderInfo, MatchStarted


@dataclass(frozen=True, slots=True)
class ServerContest:
    """A contest of two strategies on a server; without ``names``, the bots choose their names."""

    server: str
    strategies: tuple[Strategy, Strategy]
    typed: tuple[str, str]
    names: tuple[str, str] | None
    seed: int
    traceback: bool


async def fetch_ladder(server: str, ladder: str) -> LadderInfo:
    """Return the server's description of a ladder; raise CommandError if it does not offer it."""
    async with server_reader(server) as reader:
        ladders = {info.id: info for info in reader.welcome.ladders}
        if ladder not in ladders:
            raise unknown_ladder(ladder, ladders, reader.server)
        return ladders[ladder]


async def play_matches_until(
    jobs: Sequence[BotJob], ladder: LadderInfo, wants_more: Callable[[PairScores], bool]
) -> None:
    """Run both jobs again and again, until ``wants_more`` returns False for the scores of a pair of games."""
    pairs = ServerPairs(ladder)
    while True:
        runs = [run_bot(job, _report_exceptions(job)) for job in jobs]
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


def make_jobs(contest: ServerContest, ladder: LadderInfo) -> list[BotJob]:
    """Return two jobs of one match each, for the first and the second strategy of ``contest``."""
    names: tuple[str | None, str | None] = contest.names or (None, None)
    for name in names:
        check_name(name, "--names")
    tokens, url = TokenFile(default_token_file()), server_url(contest.server)
    players = [
        name or default_names(strategy.name, False, url, tokens)[0]
        for name, strategy in zip(names, contest.strategies, strict=True)
    ]
    if players[0] == players[1]:
        raise CommandError(f"both strategies would play as {players[0]}; give each a name of its own with --names")
    return [
        BotJob(
            strategy=strategy,
            choice=StrategyChoice(typed, None),
            ladder=ladder.id,
            server=contest.server,
            name=name,
            token_from=None,
            matches=1,
            seed=contest.seed,
            client_version=None,
            traceback=contest.traceback,
        )
        for strategy, typed, name in zip(contest.strategies, contest.typed, names, strict=True)
    ]


def _report_exceptions(job: BotJob) -> OnEvent:
    report = event_printer(job)

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
        _say_slow(console(sys.stderr), summary)


def _say_slow(err: Console, summary: BotSummary) -> None:
    guesses = pluralize(summary.over_budget, "guess", "guesses")
    err.print(
        f"{summary.player}: {guesses} would have taken too long; the first candidate was played instead",
        soft_wrap=True,
    )
