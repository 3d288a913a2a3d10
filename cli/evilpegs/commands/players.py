"""`evilpegs players`: what an operator does to players and to registration, also while a server runs."""

import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.database import now_ms, open_for_reading, open_for_writing, open_results, stopped_server
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, write_csv
from evilpegs.kit.names import SOON, ListOfNames, check_reason, given_names
from evilpegs.kit.standings import load_standings
from evilpegs.new_tokens import given_tokens, new_private_file
from evilpegs.options import Database, Json, Operator
from evilpegs.output import Column, console, format_time, pluralize, print_json, print_table
from evilpegs.slips import check_slips, slips
from evilpegs_protocol.fields import ClaimedKind
from evilpegs_server.leaderboard.standing import games_for_rank
from evilpegs_server.storage.log.acts import (
    ListedPlayer,
    OpenMatchesError,
    PlayerDeed,
    act_on_player,
    add_players,
    forget_player,
    list_players,
    rename_player,
    replace_token,
    set_registration,
)
from evilpegs_server.storage.log.ladders import known_ladders
from evilpegs_server.storage.log.look_alikes import skeleton, stored_form
from evilpegs_server.storage.log.players import NameRefusedError, check_display_name, check_name, new_token

FORFEIT_SECONDS: Final = 5.0  # for a running server to end the matches of a player who is banned
LOOK_SECONDS: Final = 0.1
Name = Annotated[str, Parameter(name="NAME", help="The name of the player.")]
Reason = Annotated[str | None, Parameter(help="What the player reads, in one short line.")]
Slips = Annotated[
    str | None,
    Parameter(name="--slips", help="The new file for a page with a slip per player, with a QR code to log in."),
]
COLUMNS: Final[tuple[Column[ListedPlayer], ...]] = (
    Column("player", lambda each: each.name),
    Column("kind", lambda each: each.kind),
    Column("name claimed", lambda each: format_time(each.claimed_at)),
    Column("last match", lambda each: "" if each.last_match_at is None else format_time(each.last_match_at)),
    Column("matches", lambda each: f"{each.matches:,}", "right"),
    Column("games", lambda each: f"{each.games:,}", "right"),
    Column("", lambda each: ", ".join([*["banned"] * each.is_banned, *["hidden"] * each.is_hidden])),
)
Tokens = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True, help="The new CSV file for names and tokens; only you can read it. - prints them."
    ),
]


def list_all(
    *,
    ladder: Annotated[
        str | None, Parameter(help="Show how many games of the latest version on this ladder are left to a rank.")
    ] = None,
    as_csv: Annotated[bool, Parameter(name="--csv", help="Print CSV.")] = False,
    as_json: Json = False,
    operator: Operator = False,
    database: Database = None,
) -> None:
    """List the players: kind, when they claimed their names and last began a match, matches, games begun.

    Guests are in the list once they have played. Times in CSV and JSON are Unix milliseconds.
    """
    with open_for_reading(database) as engine:
        players = list_players(engine, with_sealed=operator)
    left = {} if ladder is None else _games_to_rank(database, ladder, [each.name for each in players])
    rows = [each._asdict() | {"games_to_rank": left.get(each.name)} for each in players]
    if as_json:
        print_json({"players": rows})
    elif as_csv:
        write_csv(STANDARD, [[*ListedPlayer._fields, "games_to_rank"], *(row.values() for row in rows)])
    else:
        to_rank = Column[ListedPlayer]("games to a rank", lambda each: f"{left[each.name]:,}", "right")
        print_table(console(), players, [*COLUMNS[:-1], *([to_rank] if left else []), COLUMNS[-1]])


def _games_to_rank(database: str | None, ladder: str, names: Sequence[str]) -> dict[str, int]:
    with open_results(database) as derived:
        (standings,) = asyncio.run(load_standings(derived, ladder))
        terms = known_ladders(derived.engine)[ladder]
    needed = games_for_rank(terms.codemaker, terms.kind)
    played = {row.player: row.games for row in standings.rows}
    return {name: max(0, needed - played.get(name, 0)) for name in names}


def add(
    *names: Annotated[str, Parameter(name="NAMES", help="The names of the players.")],
    tokens: Tokens,
    csv_file: ListOfNames = None,
    kind: Annotated[ClaimedKind, Parameter(help="What the players are.")] = "bot",
    slips_file: Slips = None,
    site: Annotated[
        str | None, Parameter(help="The address of the page, as the players reach it, for --slips.")
    ] = None,
    database: Database = None,
) -> None:
    """Add players, all or none, and write their tokens to a file.

    A player proves the name with the token: evilpegs bot STRATEGY --name NAME --token TOKEN. Reserved names, such as
    those of strategies, can be given too. No name may look like that of another player. For a class, --slips writes a
    page to print and cut out, and a phone is in with the code on its slip.
    """
    check_slips(slips_file, site)
    wanted = given_names(names, csv_file)
    if not wanted:
        raise CommandError("name the players to add, or a file with --from")
    for name in names:
        try:
            check_name(name)
        except NameRefusedError as error:
            raise CommandError(f"{name!r:.30}: {error}; nobody was added") from None
    shapes: dict[str, str] = {}
    for name in wanted:
        if (other := shapes.get(skeleton(name))) is not None:
            why = f"{name} is named twice" if other == name else f"{name} looks like {other}; change one of them"
            raise CommandError(f"{why}; nobody was added")
        shapes[skeleton(name)] = name
    given = {name: new_token() for name in wanted}
    with ExitStack() as files:
        engine = files.enter_context(open_for_writing(database))
        files.enter_context(given_tokens(given, tokens))
        if slips_file is not None and site is not None:
            files.enter_context(new_private_file(slips_file, slips(site, given)))
        try:
            add_players(engine, given, kind, now_ms())
        except NameRefusedError as error:
            raise CommandError(f"{error}; nobody was added") from None
    console(sys.stderr).print(f"added {pluralize(len(wanted), 'player')}; {SOON}", soft_wrap=True)


def token(name: Name, /, *, tokens: Tokens = STANDARD, database: Database = None) -> None:
    """Give a player a new token, because the old one was lost or stolen; the old one proves nothing any more.

    Connections that were made with the old token are closed; open matches stay open, and go on with the new token.
    """
    with open_for_writing(database) as engine, given_tokens({name: new_token()}, tokens) as given:
        replace_token(engine, name, given[name], now_ms())
    console(sys.stderr).print(f"{name} has a new token; {SOON}", soft_wrap=True)


def ban(name: Name, /, *, reason: Reason = None, database: Database = None) -> None:
    """Close the connections of a player, forfeit their open matches, and let them in no more.

    To let them in again with unban does not give the matches back.
    """
    _act("ban", name, reason, database, f"{name} is banned")


def unban(name: Name, /, *, database: Database = None) -> None:
    """Let a banned player in again."""
    _act("unban", name, None, database, f"{name} is not banned any more")


def kick(name: Name, /, *, reason: Reason = None, database: Database = None) -> None:
    """Close the connections of a player, who may come back at once."""
    _act("kick", name, reason, database, f"{name} is disconnected, and may come back")


def hide(name: Name, /, *, database: Database = None) -> None:
    """Leave a player and their matches out of the leaderboards, all lists, streams and the MQTT feed.

    They go on playing. Who knows the id of one of their matches can still read its record.
    """
    _act("hide", name, None, database, f"{name} is hidden")


def show(name: Name, /, *, database: Database = None) -> None:
    """Show a hidden player again, with all matches."""
    _act("show", name, None, database, f"{name} is shown again")


def rename(
    name: Name,
    new: Annotated[
        str, Parameter(name="NEW", help="2 to 20 letters of one script in use today, digits, _ and -; first a letter.")
    ],
    /,
    *,
    database: Database = None,
) -> None:
    """Give a player another name, which may have letters of any one script.

    It is shown in place of the old one, for earlier matches too, but their records keep the name that was recorded.
    The token stays. Nobody else can claim the old name. Connections of the player are closed, and may come back.
    """
    new = stored_form(new)
    with open_for_writing(database) as engine:
        try:
            check_display_name(new)
            rename_player(engine, name, new, now_ms())
        except NameRefusedError as error:
            raise CommandError(f"{error}; {name} was not renamed") from None
    console(sys.stderr).print(f"{name} is now {new}; {SOON}", soft_wrap=True, markup=False)


def forget(
    name: Name,
    /,
    *,
    yes: Annotated[bool, Parameter(help="Do it; it cannot be undone.")] = False,
    database: Database = None,
) -> None:
    """Delete a player: the name, the token and all matches with their records, for good.

    The player is banned first, which ends open matches. Backups, the broker and whoever fetched a record still have
    what they have.
    """
    with stopped_server(database) as is_stopped, open_for_writing(database) as engine:
        matches = next((each.matches for each in list_players(engine) if each.name == stored_form(name)), None)
        if matches is not None and not yes:
            act = f"forget deletes {name} and {pluralize(matches, 'match', 'matches')} for good"
            raise CommandError(f"{act}; if you mean it, add --yes")
        act_on_player(engine, "ban", name, now_ms())
        until = time.monotonic() + FORFEIT_SECONDS
        while True:
            try:
                deleted = forget_player(engine, name, now_ms(), with_open=is_stopped)
                break
            except OpenMatchesError as error:
                if time.monotonic() > until:
                    raise CommandError(f"{error} that the server has not ended yet; try again") from None
            time.sleep(LOOK_SECONDS)
        while not (is_overwritten := engine.overwrite_deleted()) and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
    err, what = console(sys.stderr), pluralize(deleted, "match", "matches")
    err.print(f"deleted {name} and {what}", soft_wrap=True, markup=False)
    if not is_overwritten:
        rest = "until it ends, what was deleted is still in the file that ends with -wal"
        err.print(f"another program reads the database; {rest}", soft_wrap=True)


def open_registration(*, database: Database = None) -> None:
    """Let anyone claim a new name, whatever the setting `registration` says."""
    _register(database, is_open=True)


def close_registration(*, database: Database = None) -> None:
    """Let nobody claim a new name, whatever the setting `registration` says; `add` still adds players."""
    _register(database, is_open=False)


def _act(deed: PlayerDeed, name: str, reason: str | None, database: str | None, done: str) -> None:
    if reason is not None:
        check_reason(reason)
    with open_for_writing(database) as engine:
        act_on_player(engine, deed, name, now_ms(), reason)
    console(sys.stderr).print(f"{done}; {SOON}", soft_wrap=True)


def _register(database: str | None, *, is_open: bool) -> None:
    with open_for_writing(database) as engine:
        set_registration(engine, now_ms(), is_open=is_open)
    console(sys.stderr).print(f"registration is {'open' if is_open else 'closed'}; {SOON}", soft_wrap=True)
