"""The command `evilpegs replay` and what it prints."""

import sys
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.replay.source import RecordedMatch, fetch_recorded, load_recorded
from evilpegs.commands.replay.table import CHANCE_LEGEND, LEGEND, print_analysis
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable
from evilpegs.options import FILE, Database, Json, ServerToRead, server_to_read
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs.record_files import RECORD, write_record
from evilpegs.tables import TurnTableRow, print_turns
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.analysis.turns import THOROUGH, USUAL
from evilpegs_game.feedback import Feedback
from evilpegs_server.record.match_analysis import analyze_match, analyzed_document
from evilpegs_server.record.replay import GameReplay, MatchReplay, chain_flaw

CHAIN_BROKEN: Final = 1


def replay(
    match: Annotated[
        str,
        Parameter(
            name="MATCH",
            help="The id of a match, or last for the newest; from a database, the beginning of an id is enough.",
        ),
    ],
    /,
    *,
    record: Annotated[
        str | None,
        FILE,
        Parameter(
            name="--record",
            allow_leading_hyphen=True,
            help="Write the record to this file instead (- for standard output): one event per line, for `verify`.",
        ),
    ] = None,
    analysis: Annotated[
        bool,
        Parameter(
            negative="--no-analysis",
            show_default=False,
            help="Show what each guess was worth where that takes little time; --no-analysis shows only the game.",
        ),
    ] = True,
    thorough: Annotated[
        bool,
        Parameter(show_default=False, help="Analyze every turn that can be analyzed, which may take minutes per turn."),
    ] = False,
    server: ServerToRead = None,
    database: Database = None,
    as_json: Json = False,
) -> int:
    """Show a match of a database or of a running server: each guess, its feedback, and what the guess was worth.

    Also verify the record's chain of hashes; if it is broken, the exit status is 1.
    """
    if thorough and not analysis:
        raise CommandError("--thorough analyzes and --no-analysis does not; leave one of them out")

    if record is not None:
        check_writable(record, RECORD)
    chosen = server_to_read(server, database)
    stored = load_recorded(database, match) if chosen is None else fetch_recorded(chosen, match)
    if record is not None:
        return _write_record(stored, record, as_json)
    replayed = _analyze(stored, analysis, thorough)
    if as_json:
        print_json(analyzed_document(replayed))
    else:
        show_match(console(), replayed)
    return 0 if replayed.flaw is None else CHAIN_BROKEN


def _analyze(stored: RecordedMatch, analysis: bool, thorough: bool) -> MatchReplay:
    if not analysis:
        return analyze_match(stored.id, stored.entries)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("turns", total=None)
        return analyze_match(
            stored.id,
            stored.entries,
            THOROUGH if thorough else USUAL,
            lambda done, turns: bar.update(task, completed=done, total=turns),
        )


def _write_record(stored: RecordedMatch, record: str, as_json: bool) -> int:
    if as_json and record == STANDARD:
        raise CommandError("--json and --record - both write to standard output; write the record to a file")
    write_record(record, [entry.text for entry in stored.entries])
    flaw, events = chain_flaw(stored.entries), len(stored.entries)
    if as_json:
        print_json({"match": stored.id, "record": record, "events": events, "flaw": flaw})
    elif record != STANDARD:
        out = console()
        out.print(f"match {stored.id}: {events} events written to {record}")
        _show_chain(out, events, flaw, is_over=stored.over)
    return 0 if flaw is None else CHAIN_BROKEN


def show_match(out: Console, match: MatchReplay, games: int | None = None) -> None:
    """Print a match with its first ``games`` games, by default with all."""
    out.print(f"match {match.match}: {match.player} ({match.client}) on {match.ladder}", style="bold")
    for game in match.games[:games]:
        _show_game(out, game, is_fixed=match.codemaker == "fixed")
    analyses = [turn.analysis for game in match.games for turn in game.turns if turn.analysis]
    if analyses:
        _show_legend(out, is_fixed=match.codemaker == "fixed")
    if match.flaw is None and any(analysis.candidates_before is None for analysis in analyses):
        out.print("what is left empty takes more than a moment to count; --thorough takes its time", style="dim")
    out.print()
    _show_chain(out, match.events, match.flaw, is_over=match.over)


def _show_legend(out: Console, is_fixed: bool) -> None:
    out.print(f"\n{LEGEND}{CHANCE_LEGEND if is_fixed else ''}", style="dim")


def _show_chain(out: Console, events: int, flaw: str | None, is_over: bool) -> None:
    if flaw is None:
        out.print(f"the chain of {events} hashes holds" + ("" if is_over else "; the match is not over"))
    else:
        out.print(f"the chain of hashes is broken: {flaw}", style="bold red")


def _show_game(out: Console, game: GameReplay, is_fixed: bool) -> None:
    summary = f"{game.outcome or 'not over'}, {pluralize(game.guesses, 'guess', 'guesses')} in {game.elapsed_ms:,} ms"
    if game.secret is None:
        out.print(f"\ngame {game.game}: {summary}")
    else:
        out.print(
            f"\ngame {game.game}: {summary}, {'secret' if is_fixed else 'a code that fits:'}", peg_text(game.secret)
        )
    if game.turns:
        _show_turns(out, game, is_fixed)
    methods = [turn.method for turn in game.turns if turn.method]
    if methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy in the others", style="dim")


def _show_turns(out: Console, game: GameReplay, is_fixed: bool) -> None:
    if any(turn.analysis for turn in game.turns):
        print_analysis(out, game.turns, is_fixed)
        return
    rows = [
        TurnTableRow(turn.code, Feedback(turn.black, turn.white), turn.candidates, turn.took_ms) for turn in game.turns
    ]
    print_turns(out, rows, timed=True)
