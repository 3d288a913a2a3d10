"""`evilpegs leaderboard`: leaderboards of a database or of a running server, shown once or until Ctrl-C."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import datetime
from functools import partial
from itertools import compress
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter
from rich.console import RenderableType

from evilpegs.commands.leaderboard.comma_separated import write_rows
from evilpegs.errors import CommandError
from evilpegs.kit.standings_table import show_standings, standings_view
from evilpegs.options import LADDER_ID, TIME, Database, Json, ServerToRead, server_to_read
from evilpegs.output import can_redraw, console, print_json
from evilpegs.reading import LiveScreen, fetch_standings, print_session_event, retry_policy, server_reader
from evilpegs.signals import run_interruptibly
from evilpegs_clients.connection.server_reader import ReaderEvent, ServerReader
from evilpegs_game.errors import quoted
from evilpegs_game.statistics.between import compare_results, difference_lines
from evilpegs_protocol.fields import ClaimedKind
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow
from evilpegs_server.storage.log.look_alikes import stored_form

SHORTEST_REFRESH: Final = 0.5
LONGEST_REFRESH: Final = 86_400.0  # seconds: a day
LATEST: Final = 2**63 - 1  # a time after all results, in milliseconds
ReadNow = Callable[[], Awaitable[list[LeaderboardDocument]]]


def leaderboard(
    ladder: Annotated[str | None, LADDER_ID] = None,
    *,
    server: ServerToRead = None,
    database: Database = None,
    kind: ClaimedKind | None = None,
    until: Annotated[datetime | None, TIME] = None,
    between: tuple[str, str] | None = None,
    refresh: float | None = None,
    as_csv: Annotated[bool, Parameter(name="--csv")] = False,
    each: Literal["row", "match", "game"] = "row",
    as_json: Json = False,
) -> None:
    """Show the leaderboards of a database or of a running server.

    A player is ranked with the latest version of their client. A game that was not solved counts as one guess more
    than the limit. Most ladders with a fixed codemaker are ranked by the luck-adjusted mean: the guesses per game
    without the luck of the feedback. The intervals hold at 95 % however often one looks. A rank needs 100 games, or 20
    against evil or a devil; the ranks that the intervals leave possible are shown beside it. Rows of one rank are not
    decided: they stand in the order of the end of their interval that is worse for the player, as do rows without a
    rank below them. The client is what a player's program says about itself. A match whose record was changed does not
    count. docs/scoring.md explains all of it.

    Args:
        ladder: The id of a rated ladder; by default every one that has rated games.
        kind: Show only players of this kind, with their ranks and places among all.
        until: Count only the results of a database that ended before this time, such as 2026-11-25T18:00.
        between: Compare two players on the ladder: how sure the difference is, and what would settle it.
        refresh: The seconds after which the table is read again; it stays on the screen until Ctrl-C.
        as_csv: Print comma-separated values with raw numbers.
        each: What a line of --csv is: a row, or of a database also a match or a game behind the rows.
    """
    _check_form(refresh, as_csv, as_json, each)
    if between is not None:
        _check_between(ladder, refresh, as_csv, kind, _source(server, database))
    end = LATEST if until is None else round(until.timestamp() * 1000)
    chosen = server_to_read(server, database)
    if chosen is not None and (until is not None or each != "row"):
        option = "--until" if until is not None else f"--each {each}"
        raise CommandError(f"{option} needs the games in a database; name it with --database instead of a server")
    if refresh is not None:
        run_interruptibly(_show_refreshed(chosen, database, ladder, kind, end, refresh))
        return
    if each != "row":
        from evilpegs.commands.leaderboard.results import write_results  # noqa: PLC0415 - needs the extra `server`

        write_results(database, ladder, kind, end, each)
        return
    found = run_interruptibly(_load(database, ladder, end) if chosen is None else _fetch(chosen, ladder))
    standings = _of_kind(found, kind)
    if between is not None:
        difference = compare_rows(standings[0], between, _source(server, database))
        if as_json:
            print_json(difference)
        else:
            console().print("\n".join(difference_lines(difference)), soft_wrap=True)
    elif as_json:
        print_json({"ladders": [each.model_dump(mode="json") for each in standings]})
    elif as_csv:
        write_rows(sys.stdout, standings)
    else:
        show_standings(console(), standings)


def _check_form(refresh: float | None, as_csv: bool, as_json: bool, each: str) -> None:
    if each != "row" and not as_csv:
        raise CommandError(f"--each {each} says what a line of --csv is; add --csv")
    if as_csv and as_json:
        raise CommandError("--csv and --json both write to standard output; choose one")
    if refresh is not None and (as_csv or as_json):
        raise CommandError(f"--refresh is for people and {'--csv' if as_csv else '--json'} for programs; choose one")
    if refresh is not None and not SHORTEST_REFRESH <= refresh <= LONGEST_REFRESH:
        raise CommandError(
            f"--refresh must be between {SHORTEST_REFRESH:g} and {LONGEST_REFRESH:,.0f} seconds, not {refresh:g}"
        )


def _source(server: str | None, database: str | None) -> list[str]:
    named = {"--server": server, "--database": database}
    return [word for option, value in named.items() if value is not None for word in (option, value)]


def compare_rows(standings: LeaderboardDocument, players: Sequence[str], source: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document of a difference; errors repeat ``source``, such as --server and a URL, in a hint."""
    first, second = (_find_row(standings, player, source) for player in players)
    if first is second:
        raise CommandError(f"--between needs two different players, not {first.player} twice")
    return compare_results(standings.ladder, first, second)


def _find_row(standings: LeaderboardDocument, player: str, source: Sequence[str]) -> LeaderboardRow:
    for row in standings.rows:
        if row.player.lower() == stored_form(player).lower():
            return row
    command = shlex.join(["evilpegs", "leaderboard", standings.ladder, *source])
    raise CommandError(f"{quoted(player)} has no game that counts on {standings.ladder}; see: {command}")


def _check_between(
    ladder: str | None, refresh: float | None, as_csv: bool, kind: ClaimedKind | None, source: Sequence[str]
) -> None:
    if ladder is None:
        command = " ".join(("evilpegs leaderboard LADDER --between A B", shlex.join(source))).strip()
        raise CommandError(f"--between compares two players on one ladder; name it: {command}")
    if refresh is not None or as_csv or kind is not None:
        other = "--csv" if as_csv else "--refresh" if refresh is not None else "--kind"
        raise CommandError(f"--between cannot be combined with {other}")


def _of_kind(standings: list[LeaderboardDocument], kind: ClaimedKind | None) -> list[LeaderboardDocument]:
    if kind and any(row.kind is None for each in standings for row in each.rows):
        raise CommandError("this server is older and does not say which players are bots; leave out --kind")
    return [_only(each, kind) for each in standings] if kind else standings


def _only(standings: LeaderboardDocument, kind: ClaimedKind) -> LeaderboardDocument:
    rows, places = (
        tuple(compress(each, [row.kind == kind for row in standings.rows]))
        for each in (standings.rows, standings.places)
    )
    return standings.model_copy(update={"rows": rows, "places": places})


async def _load(database: str | None, ladder: str | None, until: int) -> list[LeaderboardDocument]:
    from evilpegs.database import open_results  # noqa: PLC0415 - needs the extra `server`
    from evilpegs.kit.standings import load_standings  # noqa: PLC0415 - needs the extra `server`

    with open_results(database) as derived:
        return await load_standings(derived, ladder, until=until)


async def _fetch(server: str, ladder: str | None) -> list[LeaderboardDocument]:
    async with server_reader(server) as reader:
        return await fetch_standings(reader, ladder)


async def _show_refreshed(
    server: str | None, database: str | None, ladder: str | None, kind: ClaimedKind | None, until: int, seconds: float
) -> None:
    board = Board()
    async with _open_reader(server, database, ladder, until, board.say) as read_now:
        board.show(_of_kind(await read_now(), kind))
        with board.screen.live if board.screen else nullcontext():
            while True:
                await asyncio.sleep(seconds)
                board.show(_of_kind(await read_now(), kind))


class Board:
    """A view of leaderboards, redrawn on a terminal; elsewhere, each new version is printed."""

    def __init__(self) -> None:
        self._out = console()
        self._shown: list[LeaderboardDocument] | None = None
        self.screen = LiveScreen(self._out, self._view) if can_redraw(self._out) else None
        self.say: Callable[[ReaderEvent], None] = self.screen.say if self.screen else print_session_event

    def show(self, standings: list[LeaderboardDocument]) -> None:
        is_new, self._shown = standings != self._shown, standings
        if self.screen is not None:
            self.screen.draw()
        elif is_new:
            show_standings(self._out, standings)
            self._out.print()
            self._out.file.flush()

    def _view(self) -> RenderableType:
        return standings_view(self._out, self._shown or [])


@asynccontextmanager
async def _open_reader(
    server: str | None, database: str | None, ladder: str | None, until: int, say: Callable[[ReaderEvent], None]
) -> AsyncIterator[ReadNow]:
    if server is not None:
        async with ServerReader(server, "evilpegs", retry_policy(), say) as reader:
            yield partial(fetch_standings, reader, ladder)
        return
    from evilpegs.database import open_results  # noqa: PLC0415 - needs the extra `server`
    from evilpegs.kit.standings import FollowedStandings  # noqa: PLC0415 - needs the extra `server`

    with open_results(database) as derived:
        followed = FollowedStandings(derived, ladder, until)
        try:
            yield followed.current
        finally:
            await followed.leaderboards.close()
