"""Bots that play on a server under the first name that is free, and the lines about what they do."""

import getpass
import re
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from evilpegs.output import console, pluralize
from evilpegs.reading import session_line
from evilpegs.strategy_choice import StrategyChoice, print_strategy_traceback
from evilpegs_clients.bot.bot import BotEvent, OnEvent, StrategyTrial, play_matches
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary, StrategyFailure
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.session import KeyChanged, Reconnected, Reconnecting
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import NameTakenElsewhereError, ServerRefusedError
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.loading import file_stem
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.feedback import format_turns
from evilpegs_protocol.server_messages import ErrorCode, MatchStarted, Notice, Welcome

MAX_NAME: Final = 18  # characters, of the 20 that a name may have: a hyphen and a number may follow
MAX_USER: Final = 8  # characters of the user's name in it
MAX_NUMBER: Final = 9


async def run_bot(
    choice: StrategyChoice,
    strategy: Strategy,
    name: str | None,
    report: OnEvent,
    *,
    server: str,
    seed: int | None,
    token_from: str | None = None,
    **terms: Any,
) -> BotSummary:
    """Play on ``terms`` as `play_matches` does; without ``name``, under the first of `default_names` that is free."""
    terms |= {"strategy": strategy, "seed": seed, "trial": StrategyTrial(strategy, seed, report)}
    play = partial(play_matches, server=server, token_from=token_from, on_event=report, **terms)
    if name is not None:
        return await play(name=name)
    tokens, url = TokenFile(default_token_file(server)), server_url(token_from or server)
    *others, last = default_names(strategy.name, choice.candidates_only, url, tokens)
    for free in others:
        try:
            return await play(name=free)
        except ServerRefusedError as error:
            if error.code is not ErrorCode.NAME_TAKEN:
                raise
            if isinstance(error, NameTakenElsewhereError):  # the bot has a name at this server, but cannot prove it
                console(sys.stderr).print(str(error), soft_wrap=True)
    return await play(name=last)


def default_names(strategy: str, candidates_only: bool, server: str, tokens: TokenFile) -> list[str]:
    """Return the names that a bot tries in turn, those with a token for ``server`` first."""
    player = _plain(file_stem(strategy)) or "bot"
    base = _base(player + ("-c" if candidates_only else ""))
    names = [base, *(f"{base}-{number}" for number in range(2, MAX_NUMBER + 1))]
    return sorted(names, key=lambda name: not tokens.get(server, name))


def _base(player: str) -> str:
    try:
        owner = _plain(getpass.getuser())[:MAX_USER]
    except (KeyError, OSError):  # a user id without a name
        owner = ""
    if not owner:
        return (player if len(player) > 1 else f"bot-{player}")[:MAX_NAME]
    return f"{player[: MAX_NAME - 1 - len(owner)]}-{owner}"


def _plain(text: str) -> str:
    kept = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")
    return re.sub(r"^[^a-z]+", "", kept)


def event_printer(choice: StrategyChoice, traceback: bool) -> OnEvent:
    out = console(sys.stderr)

    def report(event: BotEvent) -> None:
        for line in event_lines(event):
            out.print(line, soft_wrap=True)
        if isinstance(event, StrategyFailure):
            what = "  reproduce the failure" if event.game is None else "    reproduce it"
            out.print(f"{what} with: {reproduction(event, choice)}", soft_wrap=True)
            if traceback:
                print_strategy_traceback(event.error)

    return report


def event_lines(event: BotEvent) -> list[str]:
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
            position, turns = event.position, " ".join(format_turns(event.position.history))
            where = f"turn {position.turn} on {position.rules}" + (f", after {turns}" if turns else "")
            return [f"  {event.error}; {lost}", f"    at {where}"]
        case MatchSummary():
            return [
                f"match {event.match} over: {describe_games(event.games)}, {_verdict(event.verified)}",
                *(f"finding: {finding}" for finding in event.violations),
                *(f"not checked: {remark}" for remark in event.not_checked),
            ]
        case KeyChanged() | Reconnecting() | Reconnected() | Notice():
            line = session_line(event)
            return [] if line is None else [line]


def describe_games(games: Sequence[GameSummary]) -> str:
    solved = [game.guesses for game in games if game.outcome == "solved"]
    mean = f", {sum(solved) / len(solved):.2f} guesses each" if solved else ""
    return f"{len(solved)} of {len(games)} games solved{mean}"


def _verdict(verified: bool) -> str:
    return "verified" if verified else "NOT verified"


def reproduction(failure: StrategyFailure, choice: StrategyChoice) -> str:
    """Return the `evilpegs duel` command that plays on from a failure with the same random numbers."""
    position = failure.position
    after = ["--after", *format_turns(position.history)] if position.history else []
    secret = [] if failure.secret is None else ["--secret", printable(failure.secret)]
    budget = [] if position.budget is None else ["--budget", str(position.budget)]
    how = [*secret, *after, "--seed", str(failure.seed), *budget]
    return shlex.join(["evilpegs", "duel", *choice.typed, "--rules", str(position.rules), *how])
