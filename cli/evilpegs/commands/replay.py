"""`evilpegs replay`: a match from the log, turn by turn."""

from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from evilpegs.options import Database, Json
from evilpegs.output import console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from evilpegs.replaying import ReplayedGame, ReplayedMatch
    from evilpegs_server.storage.archive import StoredMatch

CHAIN_BROKEN: Final = 1


def replay(
    match: Annotated[
        str, Parameter(name="MATCH", help="The id of a match, a beginning that only it has, or last for the newest.")
    ],
    /,
    *,
    record: Annotated[
        str | None,
        Parameter(
            name="--record",
            allow_leading_hyphen=True,
            help="Write the record to this file instead (- for standard output): one event a line, for `verify`.",
        ),
    ] = None,
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
        stored = find_match(engine, match)
    if record is not None:
        return _write(stored, record, as_json)
    found = replayed(stored)
    if as_json:
        print_json(asdict(found))
    else:
        show_match(console(), found)
    return 0 if found.flaw is None else CHAIN_BROKEN


def _write(stored: "StoredMatch", record: str, as_json: bool) -> int:
    from evilpegs.chain import chain_flaw
    from evilpegs.errors import CommandError
    from evilpegs.record_file import STANDARD, write_record

    if as_json and record == STANDARD:
        message = "--json and --record - both write to standard output; write the record to a file"
        raise CommandError(message)
    write_record(record, [entry.text for entry in stored.entries])
    flaw, events = chain_flaw(stored.entries), len(stored.entries)
    if as_json:
        print_json({"match": stored.id, "record": record, "events": events, "flaw": flaw})
    elif record != STANDARD:
        out = console()
        out.print(f"match {stored.id}: {events} events written to {record}")
        _show_chain(out, events, flaw, is_over=stored.over)
    return 0 if flaw is None else CHAIN_BROKEN


def show_match(out: "Console", found: "ReplayedMatch", games: int | None = None) -> None:
    """Print the match, or only its first ``games``."""
    out.print(f"match {found.match}: {found.player} ({found.client}) on {found.ladder}", style="bold")
    for game in found.games[:games]:
        _show_game(out, game, "secret" if found.codemaker == "fixed" else "a code that fits:")
    out.print()
    _show_chain(out, found.events, found.flaw, is_over=found.over)


def _show_chain(out: "Console", events: int, flaw: str | None, is_over: bool) -> None:
    if flaw is None:
        out.print(f"the chain of {events} hashes holds" + ("" if is_over else "; the match is not over"))
    else:
        out.print(f"the chain of hashes is broken: {flaw}", style="bold red")


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
    methods = [turn.method for turn in game.turns if turn.method]
    if methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy in the others", style="dim")
