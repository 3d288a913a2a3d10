"""`evilpegs bot`: a strategy plays matches on a server under the first name that is free."""

import getpass
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs.options import (
    DEFAULT_SERVER,
    FILE,
    LADDER,
    NAME,
    WHOLE,
    CandidatesOnly,
    GivenToken,
    Json,
    OptionalStrategyName,
    RoundToPlay,
    Server,
    TokenFrom,
    Traceback,
    given_token,
    is_typed,
)
from evilpegs.output import console, only_document, pluralize, print_json
from evilpegs.reading import session_line
from evilpegs.signals import run_interruptibly
from evilpegs.strategy_choice import ProgramCommand, StrategyChoice, print_strategy_traceback, traceback_of_strategy
from evilpegs.values import check_player
from evilpegs_clients.bot.bot import BotEvent, OnEvent, StrategyTrial, play_matches
from evilpegs_clients.bot.summary import BotSummary, GameSummary, MatchSummary, StrategyFailure
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.session import KeyChanged, Reconnected, Reconnecting
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import NameTakenElsewhereError, ServerRefusedError
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.loading import file_stem
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_game.errors import quoted
from evilpegs_game.feedback import format_turns
from evilpegs_protocol.server_messages import ErrorCode, MatchStarted, Notice, Welcome

NOT_VERIFIED: Final = 1
MAX_NAME: Final = 18  # characters, of the 20 that a name may have: a hyphen and a number may follow
MAX_USER: Final = 8  # characters of the user's name in it
MAX_NUMBER: Final = 9
DEFAULT_LADDER: Final = "classic"


def bot(
    strategy: OptionalStrategyName = None,
    /,
    *,
    program: ProgramCommand = None,
    new: Annotated[Path | None, FILE] = None,
    ladder: Annotated[str, LADDER] = DEFAULT_LADDER,
    server: Server = DEFAULT_SERVER,
    name: Annotated[str | None, NAME] = None,
    token: GivenToken = None,
    token_from: TokenFrom = None,
    round_id: RoundToPlay = None,
    matches: Annotated[int, WHOLE] = 1,
    seed: Annotated[int | None, WHOLE] = None,
    client_version: str | None = None,
    candidates_only: CandidatesOnly = False,
    traceback: Traceback = False,
    as_json: Json = False,
) -> int:
    """Play matches with a strategy and verify every game as it ends.

    The token that proves the name is kept in a file of mode 600 in the user data directory. A match that an earlier run
    of the same bot left open is finished first; if another client began it, the command leaves it alone and ends.
    Before a new name is claimed and anything is played, the strategy is tested on a first guess. If it fails later, its
    game is resigned, and after the second failure no further game is started; each failure comes with a command that
    reproduces it. If something that the server sent proves wrong, it is listed and the exit status is 1.

    Args:
        new: Write a commented example strategy to this new .py file, and exit.
        ladder: The id of the ladder to play on; see: evilpegs ladders.
        name: The bot's name, claimed when it is new; by default the strategy's and the user's.
        matches: How many matches to play.
        seed: Seed of the strategy's random choices; by default it follows from the bot's token.
        client_version: The version that the leaderboard shows; by default a hash of the program, or of the strategy
            file and of the modules beside it that it imports, or the version of evilpegs.
    """
    if new is not None:
        _write_new_strategy(new)
        console().print(f"{new} is written; try it with: evilpegs evaluate {new} --rules 4x6")
        return 0
    if matches < 1:
        raise CommandError(f"--matches must be at least 1, not {matches}")
    if round_id is not None and (matches != 1 or is_typed(ladder, "EVILPEGS_LADDER", DEFAULT_LADDER)):
        raise CommandError("--round is one match on terms of its own; leave out --ladder and --matches")
    token = given_token(token, name)
    check_player(name, token)
    choice = StrategyChoice(strategy, program, candidates_only)
    with only_document(as_json), ExitStack() as stack:
        with traceback_of_strategy(traceback):
            loaded = stack.enter_context(choice.open())
        running = run_bot(
            choice,
            loaded,
            name,
            event_printer(choice, traceback),
            server=server,
            seed=seed,
            token_from=token_from,
            token=token,
            ladder=round_id or ladder,
            is_round=round_id is not None,
            matches=matches,
            client_version=client_version,
        )
        summary = run_interruptibly(running)
    if as_json:
        print_json(_document(choice, loaded.name, summary))
    else:
        _show(summary)
    if not summary.verified:
        return NOT_VERIFIED
    if summary.failures:
        games = f"{len(summary.failures)} of {pluralize(len(summary.games), 'game')}"
        raise StrategyError(f"{summary.failures[-1].error}; {games} resigned because the strategy failed")
    return 0


def _write_new_strategy(path: Path) -> None:
    if path.suffix != ".py":
        raise CommandError(f"{quoted(str(path), 80)} is not the name of a Python file; write one that ends in .py")
    text = files("evilpegs").joinpath("strategy_template.py").read_text(encoding="utf-8").replace("FILE", str(path))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CommandError(f"{path} exists already; choose another name") from None
    except OSError as error:
        raise CommandError(f"cannot write {path}: {failure_reason(error)}; choose another name") from None


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
    tokens, url = TokenFile(default_token_file()), server_url(token_from or server)
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


def _document(choice: StrategyChoice, strategy: str, summary: BotSummary) -> dict[str, Any]:
    return {
        "player": summary.player,
        "strategy": strategy,
        "verified": summary.verified,
        "over_budget": summary.over_budget,
        "failures": [
            {
                "match": failure.match,
                "game": failure.game,
                "after": [turn.to_json() for turn in failure.position.history],
                "seed": failure.seed,
                "message": str(failure.error),
                "command": reproduction(failure, choice),
            }
            for failure in summary.failures
        ],
        "matches": [match.to_json() for match in summary.matches],
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
