"""`evilpegs replay`: a match from the log, turn by turn."""

from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from evilpegs.options import Database, Json
from evilpegs.output import console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from evilpegs.replaying import ReplayedGame, ReplayedMatch

CHAIN_BROKEN: Final = 1


def replay(
    match: Annotated[
        str, Parameter(name="MATCH", help="The id of a match, a beginning that only it has, or last for the newest.")
    ],
    /,
    *,
    database: Database = None,
    as_json: Json = False,
) -> int:
    """Show a match from the log: each guess, its feedback, and how many codes it left.

    Says whether the record's chain of hashes holds; where it does not, the exit status is 1.
    """
    from dataclasses import asdict

    from evilpegs.database import find_match, reading
    from evilpegs.replaying import replayed

    with reading(database) as engine:
        found = replayed(find_match(engine, match))
    if as_json:
        print_json(asdict(found))
    else:
        show_match(console(), found)
    return 0 if found.flaw is None else CHAIN_BROKEN


def show_match(out: "Console", found: "ReplayedMatch", games: int | None = None) -> None:
    """Print the match, or only its first ``games``."""
    out.print(f"match {found.match}: {found.player} ({found.client}) on {found.ladder}", style="bold")
    for game in found.games[:games]:
        _show_game(out, game, "secret" if found.codemaker == "fixed" else "a code that fits:")
    if found.flaw is None:
        out.print(f"\nthe chain of {found.events} hashes holds" + ("" if found.over else "; the match is not over"))
    else:
        out.print(f"\nthe chain of hashes is broken: {found.flaw}", style="bold red")


def _show_game(out: "Console", game: "ReplayedGame", secret: str) -> None:
    from evilpegs.turns import TurnRow, turn_table
    from evilpegs.wording import counted
    from evilpegs_clients.pegs import peg_text
    from evilpegs_game.feedback import Feedback

    ended = f"{game.outcome or 'not over'}, {counted(game.guesses, 'guess', 'guesses')} in {game.elapsed_ms:,} ms"
    if game.secret is None:
        out.print(f"\ngame {game.game}: {ended}")
    else:
        out.print(f"\ngame {game.game}: {ended}, {secret}", peg_text(game.secret))
    rows = [TurnRow(turn.code, Feedback(turn.black, turn.white), turn.candidates, turn.took_ms) for turn in game.turns]
    if rows:
        out.print(turn_table(rows, timed=True))
