"""`evilpegs tournament`: strategies and programs play on equal terms, and a table says who is ahead of whom."""

import sys
import time
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.api.tournaments import TournamentCodemaker, TournamentRun
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_csv, write_csv, write_text
from evilpegs.options import FILE, STRATEGY_NAME, WHOLE, CheckpointFile, Csv, Jobs, Json, RulesText
from evilpegs.output import Column, console, pluralize, print_json, print_table, progress
from evilpegs.signals import ended_in_order
from evilpegs_clients.evaluation.journal import Journal, default_journal_path, open_journal
from evilpegs_clients.tournament.play import entrant_lines

RAW_GAMES: Final = 4_200  # raw scores vary some 17 times as much as those of good strategies without luck
CSV_FIELDS: Final = ("place", "name", "mean", "games", "failed", "ahead_of", "entrant", "version")


def tournament(
    *entrants: Annotated[str, STRATEGY_NAME, Parameter(name="ENTRANT")],
    rules: RulesText = "classic",
    codemaker: TournamentCodemaker = "fixed",
    games: Annotated[int | None, WHOLE] = None,
    guess_limit: Annotated[int | None, WHOLE] = None,
    seconds: Annotated[int, WHOLE] = 10,
    memory: Annotated[int, WHOLE] = 1_000,
    jobs: Jobs = 1,
    seed: Annotated[int | None, WHOLE] = None,
    journal: CheckpointFile = None,
    records: Annotated[Path | None, FILE] = None,
    csv: Csv = None,
    as_json: Json = False,
) -> None:
    """Let strategies and programs play a number of games each, and show who is ahead of whom. Needs Linux.

    Every entrant has secrets of its own. Scores are adjusted for luck if the rules have a value curve; a failed game
    counts the guess limit + 1 in the mean. Being ahead means better play in solved games, or fewer failures, beyond
    what luck explains: in at most one of twenty tournaments any of this is wrong.

    Each entrant plays in a process of its own on one processor. A game in which it crashes, takes too long, eats memory
    or breaks the protocol is lost, and listed with the command that repeats it; its next game starts it again. The
    limits guard against accidents: run hostile files as another user or in a container.

    Finished games are kept in a journal, and the same command goes on from there after an interruption.

    Args:
        entrants: A .py file with choose(position, rng), a .tree or .tree.gz file, a built-in strategy, or
            NAME='command' for a program that reads positions and writes codes as lines of JSON. NAME= before a file or
            strategy names it too.
        codemaker: fixed draws a secret for each game; evil never commits to one.
        games: Games per entrant; by default 250, and 20 against evil.
        guess_limit: The most guesses per game; by default that of the rules' value curve, or 12.
        seconds: Processor time per game; ten times as long by the clock ends a game too.
        memory: MB of memory that an entrant may use.
        seed: Seed of secrets and choices; by default a new one that nobody knows.
        records: Write the record of each entrant's games into this folder.
    """
    check_csv(csv, as_json)
    run = TournamentRun(entrants, rules, codemaker, games, guess_limit, seconds, memory, jobs, seed)
    if records is not None:
        try:
            records.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write records into {records}: {error.strerror}; name a folder") from None
    path, err = journal or default_journal_path(run.digest), console(sys.stderr)
    with ended_in_order(), open_journal(path, run.digest, run.about) as kept:
        try:
            drawn, began = _settle_start(kept, run, path)
            with progress(err) as bar:
                task = bar.add_task("games", total=None)
                run.play(drawn, kept, lambda done, total: bar.update(task, completed=done, total=total))
        except KeyboardInterrupt:
            finished = pluralize(max(0, len(kept.outcomes) - 1), "finished game")
            err.print(f"interrupted; the same command goes on from {finished} in {path}", soft_wrap=True)
            raise
    if records is not None:
        _write_records(records, run, began)
    document = run.result().to_json()
    if as_json:
        print_json(document)
    elif csv != STANDARD:
        _show(console(), document)
    if csv is not None:
        write_csv(csv, [CSV_FIELDS, *map(_csv_cells, document["entrants"])])
    if journal is None:
        path.unlink()


def _settle_start(kept: Journal, run: TournamentRun, path: Path) -> tuple[int, int]:
    # the seed, and the time of the first start in Unix milliseconds
    if "start" not in kept.outcomes:
        kept.add("start", [run.draw_seed(), time.time_ns() // 1_000_000])
    stored, at = kept.outcomes["start"]
    if run.seed not in {None, stored}:
        raise CommandError(f"{path} is the journal of seed {stored}; leave --seed out, or name another file")
    return stored, at


def _write_records(folder: Path, run: TournamentRun, at: int) -> None:
    for entrant, games in zip(run.cast, run.played, strict=True):
        text = "".join(f"{line}\n" for line in entrant_lines(run.conditions, entrant, games, at))
        write_text(str(folder / f"{entrant.name}.jsonl"), text)


def _show(out: Console, document: dict[str, Any]) -> None:
    rows, rules, codemaker = document["entrants"], document["rules"], document["codemaker"]
    games, limit = pluralize(rows[0]["games"], "game"), document["guess_limit"]
    out.print(f"{rules}, {codemaker} codemaker: {games} each of at most {limit} guesses, seed {document['seed']}\n")
    columns: list[Column[dict[str, Any]]] = [
        Column("place", lambda row: str(row["place"]), "right"),
        Column("name", lambda row: str(row["name"])),
        Column("mean", lambda row: f"{row['mean']:.3f}", "right"),
        Column("failed", lambda row: str(row["failed"]), "right"),
        Column(
            "ahead of",
            lambda row: ", ".join(row["ahead_of"]),
            narrow={1: lambda row: pluralize(len(row["ahead_of"]), "other")},
        ),
    ]
    print_table(out, rows, columns)
    if codemaker == "fixed" and document["curve"] is None:
        what = f"raw scores, because {rules} with this guess limit has no value curve"
        out.print(f"\n{what}; some {RAW_GAMES:,} games show what 250 luck-adjusted ones do", soft_wrap=True)
    for name, theirs in groupby(document["faults"], itemgetter("name")):
        first, *others = theirs
        games = pluralize(1 + len(others), "game")
        out.print(f"\n{name} broke down in {games}; in game {first['game']} {first['message']}", soft_wrap=True)
        out.print(f"  repeat it with: {first['command']}", soft_wrap=True)


def _csv_cells(row: dict[str, Any]) -> list[Any]:
    return ["; ".join(row[field]) if field == "ahead_of" else row[field] for field in CSV_FIELDS]
