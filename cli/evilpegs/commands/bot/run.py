"""A bot at a server, under its own name or the first that is free, telling what happens on standard error.

The name of a bot that was given none: its strategy's and its user's.
"""

import getpass
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evilpegs.output import console, pluralize
from evilpegs_clients.bot.bot import BotEvent, play_matches
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.session import Reconnecting
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_protocol.server_messages import ErrorCode, MatchStarted, Notice, Welcome

LONGEST: Final = 18
"""A name has at most 20 characters; two are kept for a number."""
LONGEST_USER: Final = 8
NAMESAKES: Final = 9


def default_names(strategy: str, candidates_only: bool, server: str, tokens: TokenFile) -> list[str]:
    """The names to try in turn, since others may have taken the first: those whose token is kept come first."""
    player = _plain(strategy.removesuffix(".py")) or "bot"
    base = _base(player + ("-c" if candidates_only else ""), _plain(_user())[:LONGEST_USER])
    names = [base, *(f"{base}-{number}" for number in range(2, NAMESAKES + 1))]
    return sorted(names, key=lambda name: not tokens.get(server, name))


def _base(player: str, owner: str) -> str:
    if not owner:
        return (player if len(player) > 1 else f"bot-{player}")[:LONGEST]
    return f"{player[: LONGEST - 1 - len(owner)]}-{owner}"


def _plain(text: str) -> str:
    """What is left of a text in a name: from the first letter on, lower case, nothing but letters, digits, - and _."""
    kept = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")
    return re.sub(r"^[^a-z]+", "", kept)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return ""


@dataclass(frozen=True, slots=True)
class BotJob:
    """What the bot is to do; without ``name`` it finds one."""

    strategy: Strategy
    candidates_only: bool
    ladder: str
    server: str
    name: str | None
    matches: int
    seed: int | None


async def run(job: BotJob) -> BotSummary:
    """Play; raises ClientError and StrategyError."""
    *others, last = _names(job)
    for name in others:
        try:
            return await _run_as(job, name)
        except ServerRefusedError as error:
            if error.code is not ErrorCode.NAME_TAKEN:
                raise
    return await _run_as(job, last)


def _names(job: BotJob) -> list[str]:
    if job.name is not None:
        return [job.name]
    tokens = TokenFile(default_token_file())
    return default_names(job.strategy.name, job.candidates_only, server_url(job.server), tokens)


async def _run_as(job: BotJob, name: str) -> BotSummary:
    return await play_matches(
        server=job.server,
        ladder=job.ladder,
        strategy=job.strategy,
        name=name,
        matches=job.matches,
        seed=job.seed,
        on_event=event_printer(),
    )


def event_printer() -> Callable[[BotEvent], None]:
    """A listener that says each event in a line on standard error."""
    out = console(sys.stderr)

    def tell(event: BotEvent) -> None:
        for line in event_lines(event):
            out.print(line, soft_wrap=True)

    return tell


def event_lines(event: BotEvent) -> list[str]:
    """An event in words."""
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
        case MatchSummary():
            return [f"match {event.match} over: {describe_games(event.games)}, {_verdict(event.verified)}"] + [
                f"finding: {finding}" for finding in event.violations
            ]
        case Reconnecting():
            return [f"{event.why}; attempt {event.attempt} in {event.seconds:.1f} s"]
        case Notice():
            return [f"the server says: {event.message}"]


def describe_games(games: Sequence[GameSummary]) -> str:
    """How many games were solved, and in how many guesses on average."""
    solved = [game.guesses for game in games if game.outcome == "solved"]
    mean = f", {sum(solved) / len(solved):.2f} guesses each" if solved else ""
    return f"{len(solved)} of {len(games)} games solved{mean}"


def _verdict(verified: bool) -> str:
    return "verified" if verified else "NOT verified"
