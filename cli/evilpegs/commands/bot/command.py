"""`evilpegs bot`: a strategy plays matches on a server."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from evilpegs.commands.bot.new_file import write_new_strategy
from evilpegs.commands.bot.run import BotJob, describe_games, reproduction, run_bot
from evilpegs.errors import CommandError
from evilpegs.interruptible import run_interruptibly
from evilpegs.options import (
    DEFAULT_SERVER,
    FILE,
    WHOLE,
    CandidatesOnly,
    Json,
    OptionalStrategyName,
    Server,
    TokenFrom,
    Traceback,
)
from evilpegs.output import console, only_document, pluralize, print_json
from evilpegs.player_name import check_name
from evilpegs.strategy_choice import ProgramCommand, StrategyChoice
from evilpegs.tracebacks import traceback_of_strategy
from evilpegs_clients.bot.summary import BotSummary, StrategyFailure
from evilpegs_clients.strategies.strategy import StrategyError

NOT_VERIFIED: Final = 1


def bot(
    strategy: OptionalStrategyName = None,
    /,
    *,
    program: ProgramCommand = None,
    new: Annotated[
        Path | None,
        FILE,
        Parameter(help="Write a commented example strategy to this new .py file, and exit."),
    ] = None,
    ladder: Annotated[str, Parameter(help="The id of the ladder to play on; see: evilpegs ladders.")] = "classic",
    server: Server = DEFAULT_SERVER,
    name: Annotated[
        str | None,
        Parameter(help="The bot's name, claimed when it is new; by default the strategy's and the user's."),
    ] = None,
    token_from: TokenFrom = None,
    matches: Annotated[int, WHOLE, Parameter(help="How many matches to play.")] = 1,
    seed: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Seed of the strategy's random choices; by default it follows from the bot's token."),
    ] = None,
    client_version: Annotated[
        str | None,
        Parameter(
            help="The version that the leaderboard shows; by default a hash of the program, or of the strategy file "
            "and of the modules beside it that it imports, or the version of evilpegs."
        ),
    ] = None,
    candidates_only: CandidatesOnly = False,
    traceback: Traceback = False,
    as_json: Json = False,
) -> int:
    """Play matches with a strategy and verify every game as it ends.

    The token that proves the name is kept in a file of mode 600 in the user data directory. A match that an earlier run
    of the same bot left open is finished first; if another client began it, the command leaves it alone and ends.
    Before a new name is claimed and anything is played, the strategy is tested on a first guess. If it fails later, its
    game is resigned, and after the second failure no further game is begun; each failure comes with a command that
    reproduces it. If something that the server sent proves wrong, it is listed and the exit status is 1.
    """
    if new is not None:
        console().print(write_new_strategy(new))
        return 0
    if matches < 1:
        raise CommandError(f"--matches must be at least 1, not {matches}")
    check_name(name)
    choice = StrategyChoice(strategy, program, candidates_only)
    with only_document(as_json), ExitStack() as stack:
        with traceback_of_strategy(traceback):
            loaded = stack.enter_context(choice.open())
        who = (loaded, choice, ladder, server, name, token_from)
        job = BotJob(*who, matches, seed, client_version, traceback)
        summary = run_interruptibly(run_bot(job))
    if as_json:
        print_json(_document(job, summary))
    else:
        _show(summary)
    return _status(summary)


def _status(summary: BotSummary) -> int:
    if not summary.verified:
        return NOT_VERIFIED
    if summary.failures:
        games = f"{len(summary.failures)} of {pluralize(len(summary.games), 'game')}"
        raise StrategyError(f"{summary.failures[-1].error}; {games} resigned because the strategy failed")
    return 0


def _document(job: BotJob, summary: BotSummary) -> dict[str, Any]:
    return {
        "player": summary.player,
        "strategy": job.strategy.name,
        "verified": summary.verified,
        "over_budget": summary.over_budget,
        "failures": [_failure_document(failure, job) for failure in summary.failures],
        "matches": [match.to_json() for match in summary.matches],
    }


def _failure_document(failure: StrategyFailure, job: BotJob) -> dict[str, Any]:
    return {
        "match": failure.match,
        "game": failure.game,
        "after": [turn.to_json() for turn in failure.position.history],
        "seed": failure.seed,
        "message": str(failure.error),
        "command": reproduction(failure, job),
    }


def _show(summary: BotSummary) -> None:
    out = console()
    out.print(
        f"{summary.player}: {pluralize(len(summary.matches), 'match', 'matches')}, {describe_games(summary.games)}",
        style="bold",
    )
    if summary.over_budget:
        guesses = pluralize(summary.over_budget, "guess", "guesses")
        out.print(f"{guesses} would have taken too long; the first candidate was played instead")
    if summary.verified:
        out.print("verified: every commitment, reply, clock and hash holds")
    else:
        out.print("NOT verified; see the findings above", style="bold red")
