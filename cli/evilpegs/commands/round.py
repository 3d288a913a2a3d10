"""`evilpegs round`: rounds of a contest, opened, closed and read in the database, also while a server runs."""

import sys
import time
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from cyclopts import Parameter
from pydantic import TypeAdapter, ValidationError

from evilpegs.database import now_ms, open_for_writing, open_results, server_settings, stopped_server
from evilpegs.errors import CommandError, unknown_ladder
from evilpegs.files import STANDARD, write_csv
from evilpegs.kit.names import SOON, ListOfNames, check_reason, given_names
from evilpegs.options import LADDER_ID, TIME, WHOLE, Database, Json, Operator, check_range
from evilpegs.output import Column, console, format_time, pluralize, print_json, print_table
from evilpegs_protocol.fields import LadderId
from evilpegs_protocol.rounds import RoundDocument, RoundEntrant, RoundResult
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.leaderboard.round_results import LuckAwaitedError, round_document, round_heading
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.log import rounds
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.storage.log.ladders import known_ladders
from evilpegs_server.storage.log.players import check_display_name

GAMES_FIXED: Final = 250
GAMES_ADVERSARY: Final = 20
RAW_GAMES: Final = 4_200  # tell about as much as 200 that are luck-adjusted
MOST_GAMES: Final = 1_000
RESULTS_SECONDS: Final = 10.0
LOOK_SECONDS: Final = 0.1
RoundName = Annotated[str, Parameter(name="ROUND", help="The id of the round.")]
EntrantNames = Annotated[str, Parameter(name="NAMES", help="The names of players.")]


def open_round(
    name: RoundName,
    /,
    *names: EntrantNames,
    ladder: Annotated[
        str, LADDER_ID, Parameter(help="The rated ladder whose rules, codemaker, clock and limit the round has.")
    ],
    games: Annotated[
        int | None, WHOLE, Parameter(help="The games of each entrant, by default 250, or 20 against evil or a devil.")
    ] = None,
    opens: Annotated[datetime | None, TIME, Parameter(help="When entrants may begin; by default now.")] = None,
    closes: Annotated[
        datetime | None, TIME, Parameter(help="After this time no game begins; by default when you close the round.")
    ] = None,
    sealed: Annotated[bool, Parameter(help="Show nobody what is played until the round is over.")] = False,
    csv_file: ListOfNames = None,
    database: Database = None,
) -> None:
    """Open a round: each entrant plays one match of all games, and the results appear when the last game has ended.

    Entrants are the named players, or all players except guests and hidden ones. They play with evilpegs bot or
    evilpegs play, and --round.
    """
    try:
        TypeAdapter(LadderId).validate_python(name)
    except ValidationError:
        what = f"{name!r:.50} is no id; write up to 40 of a-z, 0-9 and -, beginning with a letter"
        raise CommandError(what) from None
    with open_for_writing(database) as engine:
        ladders = known_ladders(engine)
    base = ladders.get(ladder)
    offered = load_ladders() | server_settings(database=database).own_ladders()
    if base is None or ladder not in offered:
        raise unknown_ladder(ladder, [each.id for each in offered.values() if each.rated])
    if name in ladders:
        raise CommandError(f"{name} is a ladder; give the round another id")
    if not base.rated or base.clock is None:
        what = "has no clock" if base.rated else "is for practice"
        raise CommandError(f"{ladder} {what}; name a rated ladder with a clock")
    count = games if games is not None else GAMES_FIXED if base.codemaker == "fixed" else GAMES_ADVERSARY
    check_range("--games", count, MOST_GAMES)
    begins = now_ms() if opens is None else _to_ms(opens)
    ends = None if closes is None else _to_ms(closes)
    if ends is not None and ends <= max(begins, now_ms()):
        raise CommandError("--closes must lie in the future, and after --opens")
    wanted = rounds.Round(name, ladder, count, sealed, begins, ends, None)
    with open_for_writing(database) as engine:
        entrants = rounds.open_round(engine, wanted, given_names(names, csv_file, check_display_name) or None)
    err = console(sys.stderr)
    when = "is open" if begins <= now_ms() else f"opens at {_with_zone(begins)}"
    until = "" if ends is None else f", until {_with_zone(ends)}"
    err.print(f"{name} {when} for {pluralize(entrants, 'entrant')}, {count} games each{until}; {SOON}", soft_wrap=True)
    if base.codemaker == "fixed" and not curve_hashes([base]):
        err.print(f"{ladder} has no value curve: raw scores tell good bots apart from some {RAW_GAMES:,} games on")


def admit(name: RoundName, /, *names: EntrantNames, csv_file: ListOfNames = None, database: Database = None) -> None:
    """Add entrants who are late, or take back that they were excluded, also when the round is over."""
    wanted = given_names(names, csv_file, check_display_name)
    if not wanted:
        raise CommandError("name the players to admit, or a file with --from")
    with open_for_writing(database) as engine:
        is_closed = rounds.find_round(engine, name).is_closed(now_ms())
        admitted = rounds.admit(engine, name, wanted, now_ms(), with_new=not is_closed)
    console(sys.stderr).print(f"admitted {pluralize(admitted, 'entrant')} to {name}; {SOON}", soft_wrap=True)


def close(name: RoundName, /, *, database: Database = None) -> None:
    """Close a round: no game begins any more, and those that are played end within their clocks."""
    _close_at(name, now_ms(), database)
    with stopped_server(database) as is_stopped, open_for_writing(database) as engine:
        is_over = is_stopped and rounds.publish_round(engine, name, now_ms())
    then = "it is over" if is_over else "start the server to end its open matches" if is_stopped else SOON
    console(sys.stderr).print(f"{name} is closed; {then}", soft_wrap=True)


def extend(
    name: RoundName,
    until: Annotated[datetime, TIME, Parameter(name="UNTIL", help="When it closes instead, such as 2026-11-27T11:30.")],
    /,
    *,
    database: Database = None,
) -> None:
    """Let a round close later, or earlier; a closed one cannot be opened again."""
    ends = _to_ms(until)
    if ends <= now_ms():
        raise CommandError("UNTIL must lie in the future; to close the round now: evilpegs round close")
    _close_at(name, ends, database)
    console(sys.stderr).print(f"{name} closes at {_with_zone(ends)}; {SOON}", soft_wrap=True)


def exclude(
    name: RoundName,
    player: Annotated[str, Parameter(name="PLAYER", help="The name of the entrant.")],
    /,
    *,
    reason: Annotated[str, Parameter(help="Why, in one short line that everybody can read.")],
    database: Database = None,
) -> None:
    """Leave an entrant out of the results of a round, with a reason. An open match goes on, but does not count."""
    check_reason(reason)
    with open_for_writing(database) as engine:
        rounds.find_round(engine, name)
        rounds.exclude(engine, name, player, reason, now_ms())
    console(sys.stderr).print(f"{player} is excluded from {name}", soft_wrap=True)


def status(
    name: Annotated[str | None, Parameter(name="ROUND", help="The id of the round; by default all are listed.")] = None,
    /,
    *,
    as_csv: Annotated[bool, Parameter(name="--csv", help="Print CSV.")] = False,
    as_json: Json = False,
    operator: Operator = False,
    database: Database = None,
) -> None:
    """Show how far the entrants of a round are, and the results when it is over.

    The table has the place by mean, where a failed game counts one guess more than the limit, and whom each is ahead
    of: who plays better or fails less, with at most 5 % of rounds claiming anything wrong. Of a sealed round that is
    not over it shows who has not started, plays or has finished, at the last full minute; --operator counts games.
    """
    with open_results(database) as derived:
        ladders = known_ladders(derived.engine)
        known = rounds.load_rounds(derived.engine)
        wanted = known if name is None else [rounds.find_round(derived.engine, name)]
        wanted = [each for each in wanted if each.base in ladders]
        if name is None and not as_csv and not as_json:
            entrants = Counter(entered for entered, _ in rounds.load_entrants(derived.engine))
            listed = [(round_heading(each, ladders, now_ms()), entrants[each.id]) for each in wanted]
            print_table(console(), listed, LISTED)
            return
        documents = [_read(derived, each, ladders, operator) for each in wanted]
    if as_json:
        print_json({"rounds": [each.model_dump(mode="json") for each in documents]})
    elif as_csv:
        heading = ["round", "player", "progress", "ended", "excluded", *RoundResult.model_fields]
        rows = [_csv_row(each.id, entrant) for each in documents for entrant in each.entrants]
        write_csv(STANDARD, [heading, *rows])
    else:
        _show(documents[0])


def _read(derived: DerivedFile, played: rounds.Round, ladders: Mapping[str, Ladder], operator: bool) -> RoundDocument:
    until = time.monotonic() + RESULTS_SECONDS
    while True:
        derived.follow(load_last_event_id(derived.engine))
        try:
            return round_document(derived.engine, played, ladders, now_ms(), with_sealed=operator)
        except LuckAwaitedError:
            if time.monotonic() > until:
                raise
        time.sleep(LOOK_SECONDS)  # a running server derives the results and measures the luck


def _show(shown: RoundDocument) -> None:
    out = console()
    closes = "closes by command" if shown.closes is None else f"closes {format_time(shown.closes)}"
    terms = f"{shown.ladder.rules} {shown.ladder.codemaker}, {shown.ladder.games} games each"
    out.print(f"{shown.id}: {terms}; {'sealed, ' if shown.sealed else ''}{shown.state}, {closes}\n", highlight=False)
    print_table(out, shown.entrants, RESULTS if shown.state == "over" else PROGRESS)
    if shown.sealed and shown.state != "over" and any(each.ended is None for each in shown.entrants):
        out.print("\nsealed: --operator shows how many games have ended")
    if shown.changed is not None:
        out.print(f"\nthe operator last changed who is in the results at {format_time(shown.changed)}, after the end")


def _csv_row(name: str, entrant: RoundEntrant) -> list[Any]:
    result = {} if entrant.result is None else entrant.result.model_dump()
    values = [result.get(field) for field in RoundResult.model_fields]
    joined = [" ".join(value) if isinstance(value, tuple) else value for value in values]
    return [name, entrant.player or "(withdrawn)", entrant.progress, entrant.ended, entrant.excluded, *joined]


def _close_at(name: str, ends: int, database: str | None) -> None:
    with open_for_writing(database) as engine:
        found = rounds.find_round(engine, name)
        if found.is_closed(now_ms()):
            raise CommandError(f"{name} is closed already; open another round")
        if now_ms() < ends <= found.opens:
            raise CommandError(f"{name} opens at {format_time(found.opens)}; it must close later")
        rounds.set_closing(engine, name, ends)


def _result(cell: str) -> Any:
    def text(entrant: RoundEntrant) -> str:
        if entrant.result is None:
            return ""
        value = getattr(entrant.result, cell)
        if isinstance(value, tuple):
            return f"{len(value)}: {', '.join(value)}" if value else ""
        return "" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value:,}"

    return text


def _with_zone(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000).astimezone().isoformat(" ", "minutes")


def _to_ms(when: datetime) -> int:
    return round(when.timestamp() * 1000)


PLAYER: Final[Column[RoundEntrant]] = Column("player", lambda each: each.player or "withdrawn")
EXCLUDED: Final[Column[RoundEntrant]] = Column(
    "", lambda each: "" if each.excluded is None else f"excluded: {each.excluded}"
)
PROGRESS: Final[tuple[Column[RoundEntrant], ...]] = (
    PLAYER,
    Column("progress", lambda each: each.progress.replace("_", " ")),
    Column("ended games", lambda each: "" if each.ended is None else f"{each.ended:,}", "right"),
    EXCLUDED,
)
RESULTS: Final[tuple[Column[RoundEntrant], ...]] = (
    Column("place", _result("place"), "right"),
    PLAYER,
    Column("mean", _result("mean"), "right"),
    Column("games", _result("games"), "right"),
    Column("failed", _result("failed"), "right"),
    Column("not played", _result("not_played"), "right"),
    Column("ahead of", _result("ahead_of"), narrow={1: lambda each: _result("ahead_of")(each).partition(":")[0]}),
    EXCLUDED,
)
LISTED: Final[tuple[Column[tuple[RoundDocument, int]], ...]] = (
    Column("round", lambda row: row[0].id),
    Column("state", lambda row: row[0].state),
    Column("opens", lambda row: format_time(row[0].opens)),
    Column("closes", lambda row: "" if row[0].closes is None else format_time(row[0].closes)),
    Column("entrants", lambda row: f"{row[1]:,}", "right"),
    Column("games", lambda row: f"{row[0].ladder.games:,}", "right"),
    Column("", lambda row: "sealed" if row[0].sealed else ""),
)
