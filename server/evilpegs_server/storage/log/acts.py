"""The operator's acts: what is done to players and to registration, also while a server uses the database.

Each act is a row of `acts`, which a running server follows; what it changes is stored in the same transaction.
"""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from sqlalchemy import Connection, Delete, Table, delete, func, insert, select, text, update

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.server_messages import PlayerKind
from evilpegs_server.sealing import UNSEALED
from evilpegs_server.storage.log import players, tables
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.log.look_alikes import skeleton, stored_form
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.queries import Reader, read, read_value

MAX_REASON_BYTES: Final = 80
"""So that the reason fits into the close frame of a WebSocket."""
PlayerDeed = Literal["ban", "unban", "kick", "hide", "show"]
Deed = PlayerDeed | Literal["add", "token", "rename", "forget", "open", "close", "exclude", "admit"]

FORMER_NAMES: Final = """
    SELECT a.reason, p.id, p.name, p.kind FROM acts AS a JOIN players AS p ON p.id = a.player
    WHERE a.act = 'rename' AND a.reason IS NOT NULL
"""
"""Query for names that players had before the operator renamed them."""

_ACTS: Final = """
    SELECT a.id, a.act, p.id, p.name, p.kind, p.token_hash, a.reason
    FROM acts AS a LEFT JOIN players AS p ON p.id = a.player WHERE a.id > :after ORDER BY a.id
"""
BANS: Final = """
    SELECT player, reason FROM acts AS a WHERE act = 'ban' AND NOT EXISTS (
        SELECT 1 FROM acts AS b WHERE b.player = a.player AND b.id > a.id AND b.act IN ('ban', 'unban'))
"""
_HIDE: Final = text("INSERT INTO hidden VALUES (:player) ON CONFLICT DO NOTHING")
_MATCH_COUNTS: Final = text("SELECT count(*) FILTER (WHERE NOT over), count(*) FROM matches WHERE player = :player")
_PLAYERS: Final = """
    SELECT p.name, p.kind, p.created_at, m.last, coalesce(m.matches, 0), coalesce(g.games, 0),
        p.id IN (SELECT player FROM ({bans}) AS bans) AS is_banned, p.id IN (SELECT player FROM hidden) AS is_hidden
    FROM players AS p
    LEFT JOIN (
        SELECT player, max(started_at) AS last, count(*) AS matches FROM matches AS m WHERE {matches} GROUP BY player
    ) AS m ON m.player = p.id
    LEFT JOIN (
        SELECT player, count(*) AS games FROM begun JOIN matches AS m ON number = match WHERE {matches} GROUP BY player
    ) AS g ON g.player = p.id
    ORDER BY p.name
"""


class UnknownPlayerError(EvilpegsError):
    """There is no player of the given name."""


class NothingToUndoError(EvilpegsError):
    """A player who is not banned cannot be let in again, nor shown who is not hidden."""


class OpenMatchesError(EvilpegsError):
    """The matches of a player cannot be deleted while some are open."""


class Act(NamedTuple):
    """An act, and its player with the hash of their token as they are now."""

    id: int
    deed: Deed
    player: Player | None
    token_hash: str | None
    reason: str | None


class ListedPlayer(NamedTuple):
    """A player with times in Unix milliseconds; ``games`` are those that the player began."""

    name: str
    kind: PlayerKind
    claimed_at: int
    last_match_at: int | None
    matches: int
    games: int
    is_banned: bool
    is_hidden: bool


def load_acts(database: Reader, after: int) -> list[Act]:
    return [
        Act(act, deed, None if number is None else Player(number, name, kind), token_hash, reason)
        for act, deed, number, name, kind, token_hash, reason in read(database, _ACTS, after=after)
    ]


def load_last_hiding(database: Reader) -> tuple[int, int]:
    """Return the id and the time of the last act by which matches were hidden or forgotten; zeros if there is none."""
    rows = read(database, "SELECT id, at FROM acts WHERE act IN ('hide', 'forget') ORDER BY id DESC LIMIT 1")
    return tuple(rows[0]) if rows else (0, 0)


def load_last_act(database: Reader) -> int:
    return int(read_value(database, "SELECT coalesce(max(id), 0) FROM acts"))


def load_bans(database: Reader) -> dict[int, str | None]:
    return dict(map(tuple, read(database, BANS)))


def load_registration(database: Reader) -> bool | None:
    """Return whether registration was opened or closed last; None if neither ever was."""
    deed = read_value(database, "SELECT act FROM acts WHERE act IN ('open', 'close') ORDER BY id DESC LIMIT 1")
    return None if deed is None else deed == "open"


def list_players(database: Reader, *, with_sealed: bool = True) -> list[ListedPlayer]:
    """Return all players and the guests who have played, by name; ``with_sealed`` counts sealed matches too."""
    rows = read(database, _PLAYERS.format(bans=BANS, matches="TRUE" if with_sealed else UNSEALED))
    return [ListedPlayer._make((*row[:-2], bool(row.is_banned), bool(row.is_hidden))) for row in rows]


def add_players(database: Database, tokens: Mapping[str, str], kind: PlayerKind, at: int) -> None:
    """Add players with their tokens, all or none. Raises NameRefusedError, though not for reserved names."""
    with database.changing() as connection:
        names = _names(connection)
        highest = connection.execute(select(func.max(tables.players.c.id))).scalar() or 0
        first = max(highest + 1, players.FIRST_ADDED)
        for number, (name, token) in enumerate(tokens.items(), first):
            players.check_name(name)
            if (owner := names.get(skeleton(name))) is not None:
                raise players.taken_name(name, owner[1], names)
            names[skeleton(name)] = number, name
            row = {"id": number, **_named(name), "kind": kind, "token_hash": players.hash_token(token)}
            connection.execute(insert(tables.players).values(**row, created_at=at))
            note_act(connection, "add", number, at, None)


def replace_token(database: Database, name: str, token: str, at: int) -> None:
    with database.changing() as connection:
        (player,) = find_players(connection, [name])
        _update_player(connection, player, token_hash=players.hash_token(token))
        note_act(connection, "token", player, at, None)


def act_on_player(database: Database, deed: PlayerDeed, name: str, at: int, reason: str | None = None) -> None:
    """Store an act on a player. Raises UnknownPlayerError or NothingToUndoError."""
    with database.changing() as connection:
        (player,) = find_players(connection, [name])
        if deed == "unban" and player not in load_bans(database):
            raise NothingToUndoError(f"{name} is not banned")
        if deed == "hide":
            connection.execute(_HIDE, {"player": player})
        if deed == "show" and not connection.execute(_of(tables.hidden, player)).rowcount:
            raise NothingToUndoError(f"{name} is not hidden")
        note_act(connection, deed, player, at, reason)


def rename_player(database: Database, name: str, new: str, at: int) -> None:
    """Rename a player to what `check_display_name` accepts. Raises UnknownPlayerError or NameRefusedError."""
    with database.changing() as connection:
        (player,), names = find_players(connection, [name]), _names(connection)
        owner, other = names.get(skeleton(new), (player, new))
        if owner != player:
            raise players.taken_name(new, other, names)
        _update_player(connection, player, **_named(new))
        note_act(connection, "rename", player, at, stored_form(name))


def forget_player(database: Database, name: str, at: int, *, with_open: bool) -> int:
    """Delete a player's matches and names; return how many matches. Raises UnknownPlayerError or OpenMatchesError."""
    with database.changing() as connection:
        (player,) = find_players(connection, [name])
        open_matches, matches = connection.execute(_MATCH_COUNTS, {"player": player}).one()
        if open_matches and not with_open:
            raise OpenMatchesError(f"{name} has an open match")
        database.prepare_to_forget(connection, player)
        theirs = select(tables.matches.c.number).where(tables.matches.c.player == player)
        for table in tables.events, tables.begun, tables.luck:
            connection.execute(delete(table).where(table.c.match.in_(theirs)))
        connection.execute(_of(tables.matches, player))
        for table, column in (tables.acts, "reason"), (tables.entrants, "excluded"):
            connection.execute(update(table).where(table.c.player == player).values({column: None}))
        tombstone, unknown = f"{players.FORGOTTEN_PREFIX}{player}", players.hash_token(players.new_token())
        _update_player(connection, player, name=tombstone, skeleton=tombstone, token_hash=unknown)
        connection.execute(_HIDE, {"player": player})
        note_act(connection, "forget", player, at, None)
    return int(matches)


def set_registration(database: Database, at: int, *, is_open: bool) -> None:
    with database.changing() as connection:
        note_act(connection, "open" if is_open else "close", None, at, None)


def note_act(connection: Connection, deed: Deed, player: int | None, at: int, reason: str | None) -> None:
    connection.execute(insert(tables.acts).values(at=at, act=deed, player=player, reason=reason))


def _named(name: str) -> dict[str, str]:
    return {"name": name, "skeleton": skeleton(name)}


def _update_player(connection: Connection, player: int, **values: str) -> None:
    connection.execute(update(tables.players).where(tables.players.c.id == player).values(**values))


def _of(table: Table, player: int) -> Delete:
    return delete(table).where(table.c.player == player)


def _names(connection: Connection) -> dict[str, tuple[int, str]]:
    # the player and the name by skeleton, former names too
    former = [(skeleton(name), (player, name)) for name, player, *_ in connection.execute(text(FORMER_NAMES))]
    now = connection.execute(text("SELECT id, name FROM players"))
    return dict(former) | {skeleton(name): (player, name) for player, name in now}


def find_players(connection: Connection, names: Collection[str], among: str = "FROM players") -> list[int]:
    """Return the ids of players by name. Raises UnknownPlayerError."""
    known: dict[str, int] = dict(map(tuple, connection.execute(text(f"SELECT name, id {among}"))))
    names = list(map(stored_form, names))
    if unknown := sorted(set(names) - known.keys()):
        close = get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {close[0]}?" if close else "evilpegs players list shows them"
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise UnknownPlayerError(f"there is no player {unknown[0]!r:.50}{more}; {hint}")
    return [known[name] for name in names]
