"""`evilpegs tournament`: strategies and programs play on equal terms, and a table says who is ahead of whom."""

import os
import secrets
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, astuple
from hashlib import sha256
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter
from rich.console import Console

from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_csv, write_csv, write_text
from evilpegs.options import FILE, STRATEGY_NAME, WHOLE, CheckpointFile, Csv, Jobs, Json, RulesText, check_range
from evilpegs.output import Column, console, pluralize, print_json, print_table, progress
from evilpegs.signals import ended_in_order
from evilpegs_clients.evaluation.journal import Journal, default_journal_path, open_journal
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.loading import (
    FILE_ENDINGS,
    file_stem,
    find_siblings,
    load_strategy,
    read_source,
    source_version,
)
from evilpegs_clients.strategies.program import ProgramStrategy
from evilpegs_clients.strategies.registry import STRATEGIES, warm_up
from evilpegs_clients.strategies.strategy import turn_rng
from evilpegs_clients.strategies.tree_strategy import TREE_ENDINGS
from evilpegs_clients.tournament.play import Conditions, Participant, PlayedGame, entrant_lines, play_games
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import format_code
from evilpegs_game.errors import quoted
from evilpegs_game.feedback import format_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import load_value_curve, usual_curve
from evilpegs_game.rules import Rules
from evilpegs_game.statistics import rounds

DEFAULT_GAMES: Final = {"fixed": 250, "evil": 20}
OTHER_GUESS_LIMIT: Final = 12  # on rules without a value curve
RAW_GAMES: Final = 4_200  # raw scores vary some 17 times as much as those of good strategies without luck
MAX_NAME: Final = 40
CSV_FIELDS: Final = ("place", "name", "mean", "games", "failed", "ahead_of", "entrant", "version")


def tournament(
    *entrants: Annotated[str, STRATEGY_NAME, Parameter(name="ENTRANT")],
    rules: RulesText = "classic",
    codemaker: Literal["fixed", "evil"] = "fixed",
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
    if sys.platform != "linux":
        raise CommandError("a tournament needs Linux, which limits what entrants use; evilpegs compare runs elsewhere")
    check_range("--games", games, 10_000)
    check_range("--guess-limit", guess_limit, 100)
    check_range("--seconds", seconds, 86_400)
    check_range("--memory", memory, 1_000_000)
    check_range("--jobs", jobs, len(os.sched_getaffinity(0)), ", the processors of this machine")
    check_csv(csv, as_json)
    parsed = Rules.parse(rules)
    cast = _read_entrants(entrants, parsed)
    if records is not None:
        try:
            records.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write records into {records}: {error.strerror}; name a folder") from None
    number = games or DEFAULT_GAMES[codemaker]
    usual = usual_curve(parsed)
    limit = guess_limit or (OTHER_GUESS_LIMIT if usual is None else usual.guess_limit)
    words = [str(parsed), codemaker, limit, number, seconds, memory, *map(astuple, cast)]
    run = sha256(repr([version("evilpegs"), *words]).encode()).hexdigest()
    about = f"a tournament of {len(cast)} on {parsed}, {codemaker}, {pluralize(number, 'game')}"
    path, err = journal or default_journal_path(run), console(sys.stderr)
    with ended_in_order(), open_journal(path, run, about) as kept:
        try:
            drawn, began = _settle_start(kept, seed, path)
            curve = load_value_curve(parsed, limit) if codemaker == "fixed" else None
            conditions = Conditions(parsed, codemaker, limit, drawn, seconds, memory, curve)
            played = _play(conditions, cast, range(1, number + 1), kept, jobs, err)
        except KeyboardInterrupt:
            finished = pluralize(max(0, len(kept.outcomes) - 1), "finished game")
            err.print(f"interrupted; the same command goes on from {finished} in {path}", soft_wrap=True)
            raise
    if records is not None:
        _write_records(records, conditions, cast, played, began)
    document = _document(conditions, cast, played)
    if as_json:
        print_json(document)
    elif csv != STANDARD:
        _show(console(), document)
    if csv is not None:
        write_csv(csv, [CSV_FIELDS, *map(_csv_cells, document["entrants"])])
    if journal is None:
        path.unlink()


def _read_entrants(texts: Sequence[str], rules: Rules) -> list[Participant]:
    entrants = [_read_entrant(text) for text in texts]
    if len(entrants) < 2:
        raise CommandError("a tournament has two entrants or more; name files, strategies or NAME='command'")
    for index, each in enumerate(entrants):
        if each.name in [other.name for other in entrants[:index]]:
            raise CommandError(f"two entrants are called {each.name}; write OTHER={shlex.quote(each.typed)} for one")
        if each.typed.endswith(TREE_ENDINGS) and not each.is_program:
            # a bad tree, or one of other rules, would lose every game
            load_strategy(each.typed).choose(Position(rules), turn_rng(0, 1))
    return entrants


def _read_entrant(text: str) -> Participant:
    name, equals, typed = text.partition("=")
    if not equals or Path(text).is_file():
        name, typed = file_stem(Path(text).name), text
    if not (name.isprintable() and 1 <= len(name) <= MAX_NAME) or "/" in name or name[0] in ".-":
        raise CommandError(f"no name of an entrant: {quoted(name)}; it has 1 to {MAX_NAME} characters without a slash")
    if typed.endswith(FILE_ENDINGS) and (not equals or " " not in typed or Path(typed).is_file()):
        # not loaded here: whatever the file does, it does in a process of its own
        source = read_source(typed)
        if source is None:
            raise CommandError(f"there is no strategy file {typed}; check the name")
        return Participant(name, typed, False, source_version(source, find_siblings(Path(typed))))
    if equals and typed not in STRATEGIES:
        checked = ProgramStrategy(typed).version
        files = [Path(word) for word in shlex.split(typed)[1:] if Path(word).is_file()]
        digest = sha256(b"".join([checked.encode(), *(file.read_bytes() for file in files)]))
        return Participant(name, typed, True, digest.hexdigest()[:8])
    if Path(typed).is_file():
        program = shlex.quote(str(Path(typed).absolute()))
        raise CommandError(f"{typed} is no .py or .tree file; if it is a program, write: {name}={program}")
    return Participant(name, load_strategy(typed).name, False, version("evilpegs"))


def _settle_start(kept: Journal, seed: int | None, path: Path) -> tuple[int, int]:
    # the seed, and the time of the first start in Unix milliseconds
    if "start" not in kept.outcomes:
        kept.add("start", [secrets.randbits(63) if seed is None else seed, time.time_ns() // 1_000_000])
    stored, at = kept.outcomes["start"]
    if seed not in {None, stored}:
        raise CommandError(f"{path} is the journal of seed {stored}; leave --seed out, or name another file")
    return stored, at


def _play(
    conditions: Conditions, cast: Sequence[Participant], games: Sequence[int], kept: Journal, jobs: int, err: Console
) -> list[list[PlayedGame]]:
    missing = {
        index: left
        for index in range(len(cast))
        if (left := [game for game in games if f"{index} {game}" not in kept.outcomes])
    }
    if missing:
        for typed in {"minimax"} | {each.typed for each in cast if each.typed in STRATEGIES and not each.is_program}:
            warm_up(load_strategy(typed), [conditions.rules], LiveSets())
    cores = sorted(os.sched_getaffinity(0))[:jobs]
    with progress(err) as bar, closing(play_games(conditions, cast, missing, cores)) as playing:
        total = len(cast) * len(games)
        task = bar.add_task("games", total=total, completed=total - sum(map(len, missing.values())))
        for played in playing:
            kept.add(f"{played.entrant} {played.game}", played.to_json())
            bar.advance(task)
    return [
        [PlayedGame.from_json(index, game, kept.outcomes[f"{index} {game}"], conditions.rules) for game in games]
        for index in range(len(cast))
    ]


def _write_records(
    folder: Path, conditions: Conditions, cast: Sequence[Participant], played: Sequence[Sequence[PlayedGame]], at: int
) -> None:
    for entrant, games in zip(cast, played, strict=True):
        text = "".join(f"{line}\n" for line in entrant_lines(conditions, entrant, games, at))
        write_text(str(folder / f"{entrant.name}.jsonl"), text)


def _document(
    conditions: Conditions, cast: Sequence[Participant], played: Sequence[Sequence[PlayedGame]]
) -> dict[str, Any]:
    own = {each.name: {"entrant": each.typed, "version": each.version} for each in cast}
    field = []
    for entrant, games in zip(cast, played, strict=True):
        solved = [game.score for game in games if game.score is not None]
        field.append(rounds.Entrant(entrant.name, solved, len(games) - len(solved)))
    table = rounds.round_table(field, conditions.guess_limit)
    return {
        "rules": str(conditions.rules),
        "codemaker": conditions.codemaker,
        "guess_limit": conditions.guess_limit,
        "seed": conditions.seed,
        "curve": conditions.curve and conditions.curve.hash,
        "entrants": [asdict(row) | own[row.name] for row in table],
        "faults": [
            {
                "name": entrant.name,
                "game": game.game,
                "message": printable(game.fault),
                "command": _repeating(conditions, entrant, game),
            }
            for entrant, games in zip(cast, played, strict=True)
            for game in games
            if game.fault is not None
        ],
    }


def _repeating(conditions: Conditions, entrant: Participant, game: PlayedGame) -> str:
    who = ["--exec", entrant.typed] if entrant.is_program else [entrant.typed]
    codemaker = conditions.make_codemaker(entrant, game.game)
    if isinstance(codemaker, Fixed):
        how = ["--secret", format_code(codemaker.secret)]
    else:  # from where it broke down, because evil's ties were drawn
        how = ["--after", *format_turns(game.turns)] if game.turns else []
    seed = ["--seed", str(conditions.game_seed(entrant, game.game))]
    return shlex.join(["evilpegs", "duel", *who, "--rules", str(conditions.rules), *how, *seed])


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
