"""`evilpegs replay`: a match of a database or of a running server, turn by turn."""

import asyncio
import sys
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.api.replays import fetch_recorded, load_recorded
from evilpegs.errors import CommandError
from evilpegs.files import RECORD, STANDARD, check_writable, write_text
from evilpegs.kit.match_table import show_chain, show_match
from evilpegs.options import FILE, Database, Json, Operator, ServerToRead, server_to_read
from evilpegs.output import console, print_json, progress
from evilpegs.reading import print_session_event
from evilpegs_game.analysis.turns import THOROUGH, USUAL
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.recorded_match import MatchReplay, analyze_match, chain_flaw, replay_document

CHAIN_BROKEN: Final = 1


def replay(
    match: Annotated[str, Parameter(name="MATCH")],
    /,
    *,
    record: Annotated[str | None, FILE, Parameter(allow_leading_hyphen=True)] = None,
    analysis: Annotated[bool, Parameter(negative="--no-analysis")] = True,
    thorough: bool = False,
    operator: Operator = False,
    server: ServerToRead = None,
    database: Database = None,
    as_json: Json = False,
) -> int:
    """Show a match of a database or of a running server: each guess, its feedback, and what the guess was worth.

    Also verify the record's chain of hashes; if it is broken, the exit status is 1.

    Args:
        match: The id of a match, or last for the newest; from a database, the beginning of an id is enough.
        record: Write the record to this file instead (- for standard output): one event per line, for `verify`.
        analysis: Show what each guess was worth where that takes little time; --no-analysis shows only the game.
        thorough: Analyze every turn that can be analyzed, which may take minutes per turn.
    """
    if thorough and not analysis:
        raise CommandError("--thorough analyzes and --no-analysis does not; leave one of them out")
    if record is not None:
        check_writable(record, RECORD)
    chosen = server_to_read(server, database)
    if chosen is None:
        match, entries = load_recorded(database, match, with_sealed=operator)
    elif operator:
        raise CommandError("--operator is for a database; name one with --database, for a server shows no sealed match")
    else:
        match, entries = asyncio.run(fetch_recorded(chosen, match, print_session_event))
    if record is not None:
        return _write_record(match, entries, record, as_json)
    replayed = _analyze(match, entries, analysis, thorough)
    if as_json:
        print_json(replay_document(replayed))
    else:
        show_match(console(), replayed)
    return 0 if replayed.flaw is None else CHAIN_BROKEN


def _analyze(match: str, entries: list[LogEntry], analysis: bool, thorough: bool) -> MatchReplay:
    if not analysis:
        return analyze_match(match, entries)
    with progress(console(sys.stderr)) as bar:
        task, effort = bar.add_task("turns", total=None), THOROUGH if thorough else USUAL
        return analyze_match(match, entries, effort, lambda done, turns: bar.update(task, completed=done, total=turns))


def _write_record(match: str, entries: list[LogEntry], record: str, as_json: bool) -> int:
    if as_json and record == STANDARD:
        raise CommandError("--json and --record - both write to standard output; write the record to a file")
    write_text(record, "".join(f"{entry.text}\n" for entry in entries))
    flaw, events = chain_flaw(entries), len(entries)
    if as_json:
        print_json({"match": match, "record": record, "events": events, "flaw": flaw})
    elif record != STANDARD:
        out = console()
        out.print(f"match {match}: {events} events written to {record}")
        show_chain(out, events, flaw, is_over=bool(entries) and entries[-1].type == "match_over")
    return 0 if flaw is None else CHAIN_BROKEN
