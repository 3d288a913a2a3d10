"""The operator's acts: what is done to players and to registration, also while a server uses the database.

Each act is a row of `acts`, which a running server follows; what it changes is stored in the same transaction.
"""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from sqlalchemy import Connection, Engine

from evilpegs_game.errors import EvilpegsError
from evilpegs_server.sealing import UNSEALED
from evilpegs_server.storage import players
from evilpegs_server.storage.look_alikes import skeleton, stored_form
from evilpegs_server.storage.players import Player, PlayerKind
from evilpegs_server.storage.queries import changing, is_postgres, read, read_value

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
    FROM acts AS a LEFT JOIN players AS p ON p.id = a.player WHERE a.id > ? ORDER BY a.id
"""
BANS: Final = """
    SELECT player, reason FROM acts AS a WHERE act = 'ban' AND NOT EXISTS (
        SELECT 1 FROM acts AS b WHERE b.player = a.player AND b.id > a.id AND b.act IN ('ban', 'unban'))
"""
_HIDE: Final = "INSERT INTO hidden VALUES (?) ON CONFLICT DO NOTHING"
_MATCH_COUNTS: Final = "SELECT count(*) FILTER (WHERE NOT over), count(*) FROM matches WHERE player = ?"
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


def load_acts(engine: Engine, after: int) -> list[Act]:
    return [
        Act(act, deed, None if number is None else Player(number, name, kind), token_hash, reason)
        for act, deed, number, name, kind, token_hash, reason in read(engine, _ACTS, after)
    ]


def load_last_hiding(engine: Engine) -> tuple[int, int]:
    """Return the id and the time of the last act by which matches were hidden or forgotten; zeros if there is none."""
    rows = read(engine, "SELECT id, at FROM acts WHERE act IN ('hide', 'forget') ORDER BY id DESC LIMIT 1")
    return tuple(rows[0]) if rows else (0, 0)


def load_last_act(engine: Engine) -> int:
    return int(read_value(engine, "SELECT coalesce(max(id), 0) FROM acts"))


def load_bans(engine: Engine) -> dict[int, str | None]:
    return dict(map(tuple, read(engine, BANS)))


def load_registration(engine: Engine) -> bool | None:
    """Return whether registration was opened or closed last; None if neither ever was."""
    deed = read_value(engine, "SELECT act FROM acts WHERE act IN ('open', 'close') ORDER BY id DESC LIMIT 1")
    return None if deed is None else deed == "open"


def list_players(engine: Engine, *, with_sealed: bool = True) -> list[ListedPlayer]:
    """Return all players and the guests who have played, by name; ``with_sealed`` counts sealed matches too."""
    rows = read(engine, _PLAYERS.format(bans=BANS, matches="TRUE" if with_sealed else UNSEALED))
    return [ListedPlayer._make((*row[:-2], bool(row.is_banned), bool(row.is_hidden))) for row in rows]


def add_players(engine: Engine, tokens: Mapping[str, str], kind: PlayerKind, at: int) -> None:
    """Add players with their tokens, all or none. Raises NameRefusedError, though not for reserved names."""
    with changing(engine) as connection:
        names = _names(connection)
        first = max((connection.exec_driver_sql("SELECT max(id) FROM players").scalar() or 0) + 1, players.FIRST_ADDED)
        for number, (name, token) in enumerate(tokens.items(), first):
            players.check_name(name)
            if (owner := names.get(skeleton(name))) is not None:
                raise players.taken_name(name, owner[1], names)
            names[skeleton(name)] = number, name
            row = number, name, skeleton(name), kind, players.hash_token(token), at
            connection.exec_driver_sql("INSERT INTO players VALUES (?, ?, ?, ?, ?, ?)", row)
            note_act(connection, "add", number, at, None)


def replace_token(engine: Engine, name: str, token: str, at: int) -> None:
    with changing(engine) as connection:
        (player,) = find_players(connection, [name])
        connection.exec_driver_sql(
            "UPDATE players SET token_hash = ? WHERE id = ?", (players.hash_token(token), player)
        )
        note_act(connection, "token", player, at, None)


def act_on_player(engine: Engine, deed: PlayerDeed, name: str, at: int, reason: str | None = None) -> None:
    """Store an act on a player. Raises UnknownPlayerError or NothingToUndoError."""
    with changing(engine) as connection:
        (player,) = find_players(connection, [name])
        if deed == "unban" and player not in load_bans(engine):
            raise NothingToUndoError(f"{name} is not banned")
        if deed == "hide":
            connection.exec_driver_sql(_HIDE, (player,))
        shown = "DELETE FROM hidden WHERE player = ?"
        if deed == "show" and not connection.exec_driver_sql(shown, (player,)).rowcount:
            raise NothingToUndoError(f"{name} is not hidden")
        note_act(connection, deed, player, at, reason)


def rename_player(engine: Engine, name: str, new: str, at: int) -> None:
    """Rename a player to what `check_display_name` accepts. Raises UnknownPlayerError or NameRefusedError."""
    with changing(engine) as connection:
        (player,), names = find_players(connection, [name]), _names(connection)
        owner, other = names.get(skeleton(new), (player, new))
        if owner != player:
            raise players.taken_name(new, other, names)
        row = new, skeleton(new), player
        connection.exec_driver_sql("UPDATE players SET name = ?, skeleton = ? WHERE id = ?", row)
        note_act(connection, "rename", player, at, stored_form(name))


def forget_player(engine: Engine, name: str, at: int, *, with_open: bool) -> int:
    """Delete a player's matches and names; return how many matches. Raises UnknownPlayerError or OpenMatchesError."""
    with changing(engine) as connection:
        (player,) = find_players(connection, [name])
        open_matches, matches = connection.exec_driver_sql(_MATCH_COUNTS, (player,)).one()
        if open_matches and not with_open:
            raise OpenMatchesError(f"{name} has an open match")
        if not is_postgres(engine):
            # the bytes are overwritten in the file once `empty_side_file` has succeeded
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
            connection.exec_driver_sql(
                "UPDATE log SET deleted = max(deleted, (SELECT coalesce(max(id), 0) FROM events))"
            )
        for table in ("events", "begun", "luck", *(("owners",) if is_postgres(engine) else ())):
            theirs = f"DELETE FROM {table} WHERE match IN (SELECT number FROM matches WHERE player = ?)"  # noqa: S608
            connection.exec_driver_sql(theirs, (player,))
        connection.exec_driver_sql("DELETE FROM matches WHERE player = ?", (player,))
        connection.exec_driver_sql("UPDATE acts SET reason = NULL WHERE player = ?", (player,))
        connection.exec_driver_sql("UPDATE entrants SET excluded = NULL WHERE player = ?", (player,))
        tombstone = f"{players.FORGOTTEN_PREFIX}{player}"
        row = tombstone, tombstone, players.hash_token(players.new_token()), player
        connection.exec_driver_sql("UPDATE players SET name = ?, skeleton = ?, token_hash = ? WHERE id = ?", row)
        connection.exec_driver_sql(_HIDE, (player,))
        note_act(connection, "forget", player, at, None)
    return int(matches)


def empty_side_file(engine: Engine) -> bool:
    """Move all pages of the side file to the database; return False if a reader is in the way."""
    return is_postgres(engine) or not read_value(engine, "PRAGMA main.wal_checkpoint(TRUNCATE)")


def set_registration(engine: Engine, at: int, *, is_open: bool) -> None:
    with changing(engine) as connection:
        note_act(connection, "open" if is_open else "close", None, at, None)


def note_act(connection: Connection, deed: Deed, player: int | None, at: int, reason: str | None) -> None:
    row = at, deed, player, reason
    connection.exec_driver_sql("INSERT INTO acts (at, act, player, reason) VALUES (?, ?, ?, ?)", row)


def _names(connection: Connection) -> dict[str, tuple[int, str]]:
    # the player and the name by skeleton, former names too
    former = [(skeleton(name), (player, name)) for name, player, *_ in connection.exec_driver_sql(FORMER_NAMES)]
    now = connection.exec_driver_sql("SELECT id, name FROM players")
    return dict(former) | {skeleton(name): (player, name) for player, name in now}


def find_players(connection: Connection, names: Collection[str], among: str = "FROM players") -> list[int]:
    """Return the ids of players by name. Raises UnknownPlayerError."""
    known: dict[str, int] = dict(map(tuple, connection.exec_driver_sql(f"SELECT name, id {among}")))
    names = list(map(stored_form, names))
    if unknown := sorted(set(names) - known.keys()):
        close = get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {close[0]}?" if close else "evilpegs players list shows them"
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise UnknownPlayerError(f"there is no player {unknown[0]!r:.50}{more}; {hint}")
    return [known[name] for name in names]
