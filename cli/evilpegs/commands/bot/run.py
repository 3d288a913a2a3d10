"""A bot that plays matches on a server under the first name that is free, and reports its events on standard error."""

import getpass
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evilpegs.output import console, pluralize
from evilpegs.reading import session_line
from evilpegs.strategy_choice import StrategyChoice
from evilpegs.tracebacks import print_strategy_traceback
from evilpegs.turns import format_turns
from evilpegs_clients.bot.bot import BotEvent, OnEvent, play_matches
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary, StrategyFailure
from evilpegs_clients.bot.trial import StrategyTrial
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.session_events import KeyChanged, Reconnected, Reconnecting
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import NameTakenElsewhereError, ServerRefusedError
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.live.position import Position
from evilpegs_protocol.server_messages import ErrorCode, MatchStarted, Notice, Welcome

# of the 20 characters of a name, two are reserved for a hyphen and a number
MAX_NAME: Final = 18
MAX_USER: Final = 8
"""The most characters of the user's name in a bot's name."""
MAX_NUMBER: Final = 9


def default_names(strategy: str, candidates_only: bool, server: str, tokens: TokenFile) -> list[str]:
    """Return the names that a bot tries in turn, those with a token for ``server`` first."""
    player = _plain(strategy.removesuffix(".py")) or "bot"
    base = _base(player + ("-c" if candidates_only else ""), _plain(_user())[:MAX_USER])
    names = [base, *(f"{base}-{number}" for number in range(2, MAX_NUMBER + 1))]
    return sorted(names, key=lambda name: not tokens.get(server, name))


def _base(player: str, owner: str) -> str:
    if not owner:
        return (player if len(player) > 1 else f"bot-{player}")[:MAX_NAME]
    return f"{player[: MAX_NAME - 1 - len(owner)]}-{owner}"


def _plain(text: str) -> str:
    kept = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")
    return re.sub(r"^[^a-z]+", "", kept)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return ""


@dataclass(frozen=True, slots=True)
class BotJob:
    """The job of a bot: to play a number of new matches on a ladder.

    Without ``name``, the bot chooses one. ``token_from`` is a former address of the server, whose stored tokens are
    tried too. Without ``seed``, random choices follow from the bot's token. Without ``client_version``, the leaderboard
    shows that of the strategy, or else that of evilpegs.
    """

    strategy: Strategy
    choice: StrategyChoice
    ladder: str
    server: str
    name: str | None
    token_from: str | None
    matches: int
    seed: int | None
    client_version: str | None
    traceback: bool


async def run_bot(job: BotJob, report: OnEvent | None = None) -> BotSummary:
    """Play under the first name that is free; by default, events are printed on standard error."""
    report = report or event_printer(job)
    trial = StrategyTrial(job.strategy, job.seed, report)
    *others, last = _names(job)
    for name in others:
        try:
            return await _run_as(job, name, report, trial)
        except ServerRefusedError as error:
            if error.code is not ErrorCode.NAME_TAKEN:
                raise
            if isinstance(error, NameTakenElsewhereError):  # the bot has a name at this server, but cannot prove it
                console(sys.stderr).print(str(error), soft_wrap=True)
    return await _run_as(job, last, report, trial)


def _names(job: BotJob) -> list[str]:
    if job.name is not None:
        return [job.name]
    tokens = TokenFile(default_token_file())
    return default_names(
        job.strategy.name, job.choice.candidates_only, server_url(job.token_from or job.server), tokens
    )


async def _run_as(job: BotJob, name: str, report: OnEvent, trial: StrategyTrial) -> BotSummary:
    return await play_matches(
        server=job.server,
        ladder=job.ladder,
        strategy=job.strategy,
        name=name,
        token_from=job.token_from,
        matches=job.matches,
        seed=job.seed,
        client_version=job.client_version,
        on_event=report,
        trial=trial,
    )


def event_printer(job: BotJob) -> OnEvent:
    """Return a function that prints events on standard error, and how to reproduce a failure."""
    out = console(sys.stderr)

    def report(event: BotEvent) -> None:
        for line in event_lines(event):
            out.print(line, soft_wrap=True)
        if isinstance(event, StrategyFailure):
            what = "  reproduce the failure" if event.game is None else "    reproduce it"
            out.print(f"{what} with: {reproduction(event, job)}", soft_wrap=True)
            if job.traceback:
                print_strategy_traceback(event.error)

    return report


def reproduction(failure: StrategyFailure, job: BotJob) -> str:
    """Return the `evilpegs duel` command that plays on from a failure with the same random numbers."""
    position = failure.position
    after = ["--after", *format_turns(position.history)] if position.history else []
    secret = [] if failure.secret is None else ["--secret", printable(failure.secret)]
    budget = [] if position.budget is None else ["--budget", str(position.budget)]
    how = [*secret, *after, "--seed", str(failure.seed), *budget]
    return shlex.join(["evilpegs", "duel", *job.choice.typed, "--rules", str(position.rules), *how])


def event_lines(event: BotEvent) -> list[str]:
    """Return the lines that report an event to a person; empty if it needs none."""
    match event:
        case Welcome():
            return []  # nothing has begun yet
        case MatchStarted():
            return [f"match {event.match}: {event.player} on {event.ladder}, {pluralize(event.games, 'game')}"]
        case GameSummary():
            guesses = pluralize(event.guesses, "guess", "guesses")
            return [f"  game {event.game}: {event.outcome}, {guesses}, {_verdict(event.verified)}"] + [
                f"  finding: {finding}" for finding in event.violations
            ]
        case StrategyFailure():
            if event.game is None:  # the line that ends the command names the failure
                return []
            lost = f"game {event.game} was resigned"
            return [f"  {event.error}; {lost}", f"    at {_position_text(event.position)}"]
        case MatchSummary():
            return [
                f"match {event.match} over: {describe_games(event.games)}, {_verdict(event.verified)}",
                *(f"finding: {finding}" for finding in event.violations),
                *(f"not checked: {remark}" for remark in event.not_checked),
            ]
        case KeyChanged() | Reconnecting() | Reconnected() | Notice():
            line = session_line(event)
            return [] if line is None else [line]


def _position_text(position: Position) -> str:
    turns = " ".join(format_turns(position.history))
    return f"turn {position.turn} on {position.rules}" + (f", after {turns}" if turns else "")


def describe_games(games: Sequence[GameSummary]) -> str:
    """Return the number of solved games and their mean number of guesses, as text."""
    solved = [game.guesses for game in games if game.outcome == "solved"]
    mean = f", {sum(solved) / len(solved):.2f} guesses each" if solved else ""
    return f"{len(solved)} of {len(games)} games solved{mean}"


def _verdict(verified: bool) -> str:
    return "verified" if verified else "NOT verified"
