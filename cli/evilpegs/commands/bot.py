"""`evilpegs bot`: a strategy plays matches on a server under the first name that is free."""

from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs.kit.bots import describe_games, event_printer, reproduction, run_bot
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
    check_player,
    given_token,
    is_typed,
)
from evilpegs.output import console, only_document, pluralize, print_json
from evilpegs.signals import run_interruptibly
from evilpegs.strategy_choice import ProgramCommand, StrategyChoice, traceback_of_strategy
from evilpegs_clients.bot.summary import BotSummary
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import quoted

NOT_VERIFIED: Final = 1
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
