"""`evilpegs database rebuild`: the rows of games, computed again from their events and compared with those stored."""

import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Annotated, Final

from cyclopts import Parameter
from sqlalchemy.exc import SQLAlchemyError

from evilpegs.commands.database import database_url
from evilpegs.database import open_for_reading
from evilpegs.errors import CommandError
from evilpegs.options import Json
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs_server.leaderboard.rebuild import RowDifference, rebuild_games
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.lock import DatabaseLock

DIFFERENT: Final = 1
SHOWN: Final = 20
"""The most differences that are listed for people; the JSON document has all of them."""


@dataclass(slots=True)
class RebuildResult:
    """The result of a rebuild; ``completed`` counts single values, ``unreadable`` has ids of matches."""

    games: int = 0
    completed: int = 0
    differences: list[RowDifference] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def rebuild(
    database: Annotated[
        str | None,
        Parameter(name="DATABASE", help="sqlite:///FILE or a file; by default the database that `serve` uses."),
    ] = None,
    /,
    *,
    compare: Annotated[
        bool, Parameter(show_default=False, help="Only compare, and write nothing; a server may run meanwhile.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Recompute the result, the times and the luck of every finished game from its events.

    Rows that lack something, such as luck that no server has measured yet, are completed. Rows that contradict their
    events are listed and corrected, and the exit status is 1. Stop the server first, or use --compare.
    """
    url = database_url(database)
    result = RebuildResult()
    with ExitStack() as stack:
        engine = stack.enter_context(open_for_reading(url))
        if not compare:
            stack.callback(DatabaseLock(url).release)
        bar = stack.enter_context(progress(console(sys.stderr)))
        task = bar.add_task("games", total=None)
        try:
            for part in rebuild_games(
                engine,
                load_ladders(),
                write=not compare,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            ):
                result.games += part.games
                result.unreadable += part.unreadable
                result.completed += sum(each.is_missing for each in part.differences)
                result.differences += [each for each in part.differences if not each.is_missing]
        except SQLAlchemyError as error:
            raise CommandError(f"the database cannot be read: {str(error).splitlines()[0]}") from None
    if as_json:
        differences = [
            asdict(each) | {"stored": str(each.stored), "computed": str(each.computed)} for each in result.differences
        ]
        print_json({"database": url, "written": not compare, **asdict(result), "differences": differences})
    else:
        _print_lines(url, result, written=not compare)
    return DIFFERENT if result.differences or result.unreadable else 0


def _print_lines(url: str, result: RebuildResult, *, written: bool) -> None:
    lines = [f"computed {pluralize(result.games, 'finished game')} of {url} again"]
    if result.completed:
        lines.append(f"{pluralize(result.completed, 'fact')} {'added' if written else 'missing'}")
    lines += [_difference_line(each) for each in result.differences[:SHOWN]]
    if len(result.differences) > SHOWN:
        lines.append(f"and {len(result.differences) - SHOWN:,} more")
    lines += [f"match {match}: its events cannot be read; see: evilpegs replay {match}" for match in result.unreadable]
    if not result.differences and not result.unreadable:
        lines.append("every row that was stored follows from its events")
    for line in lines:
        console().print(line, soft_wrap=True)


def _difference_line(difference: RowDifference) -> str:
    computed = "nothing" if difference.computed is None else difference.computed
    where = f"match {difference.match}, game {difference.game}"
    return f"{where}: {difference.name} was {difference.stored}, its events say {computed}"
