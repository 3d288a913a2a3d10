"""The operator's acts: what is done to players and to registration, also while a server uses the database.

Each act is a row of `acts`, which a running server follows; what it changes is stored in the same transaction.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from sqlalchemy import Connection, Engine

from evilpegs_game.errors import EvilpegsError
from evilpegs_server.storage.players import (
    FIRST_ADDED,
    Player,
    PlayerKind,
    check_name,
    hash_token,
    skeleton,
    taken_name,
)

MAX_REASON_BYTES: Final = 80
"""So that the reason fits into the close frame of a WebSocket."""
Deed = Literal["add", "token", "ban", "unban", "kick", "open", "close"]

_ACTS: Final = """
    SELECT a.id, a.act, p.id, p.name, p.kind, p.token_hash, a.reason
    FROM acts AS a LEFT JOIN players AS p ON p.id = a.player WHERE a.id > ? ORDER BY a.id
"""
_BANS: Final = """
    SELECT player, reason FROM acts AS a WHERE act = 'ban' AND NOT EXISTS (
        SELECT 1 FROM acts AS b WHERE b.player = a.player AND b.id > a.id AND b.act IN ('ban', 'unban'))
"""
_PLAYERS: Final = """
    SELECT p.id, p.name, p.kind, p.created_at, m.last, coalesce(m.matches, 0), coalesce(g.games, 0)
    FROM players AS p
    LEFT JOIN (SELECT player, max(started_at) AS last, count(*) AS matches FROM matches GROUP BY player) AS m
        ON m.player = p.id
    LEFT JOIN (SELECT player, count(*) AS games FROM begun JOIN matches ON number = match GROUP BY player) AS g
        ON g.player = p.id
    ORDER BY p.name
"""


class UnknownPlayerError(EvilpegsError):
    """There is no player of the given name."""


class NotBannedError(EvilpegsError):
    """A player who is not banned cannot be let in again."""


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


def load_acts(engine: Engine, after: int) -> list[Act]:
    """Return the acts with an id above ``after``, in their order."""
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(_ACTS, (after,)).all()
    return [
        Act(act, deed, None if number is None else Player(number, name, kind), token_hash, reason)
        for act, deed, number, name, kind, token_hash, reason in rows
    ]


def load_last_act(engine: Engine) -> int:
    with engine.connect() as connection:
        last: int = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM acts").scalar_one()
    return last


def load_bans(engine: Engine) -> dict[int, str | None]:
    """Return the reason by player who is banned."""
    with engine.connect() as connection:
        return dict(map(tuple, connection.exec_driver_sql(_BANS)))


def load_registration(engine: Engine) -> bool | None:
    """Return whether registration was opened or closed last; None if neither ever was."""
    query = "SELECT act FROM acts WHERE act IN ('open', 'close') ORDER BY id DESC LIMIT 1"
    with engine.connect() as connection:
        deed = connection.exec_driver_sql(query).scalar()
    return None if deed is None else deed == "open"


def list_players(engine: Engine) -> list[ListedPlayer]:
    """Return all players and the guests who have played, by name."""
    bans = load_bans(engine)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(_PLAYERS).all()
    return [ListedPlayer._make((*row[1:], row.id in bans)) for row in rows]


def add_players(engine: Engine, tokens: Mapping[str, str], kind: PlayerKind, at: int) -> None:
    """Add players with their tokens, all or none. Raises NameRefusedError, though not for reserved names."""
    with _acting(engine) as connection:
        known = dict(map(tuple, connection.exec_driver_sql("SELECT skeleton, name FROM players")))
        first = max((connection.exec_driver_sql("SELECT max(id) FROM players").scalar() or 0) + 1, FIRST_ADDED)
        for number, (name, token) in enumerate(tokens.items(), first):
            check_name(name)
            if (other := known.get(skeleton(name))) is not None:
                raise taken_name(name, other, known)
            known[skeleton(name)] = name
            row = number, name, skeleton(name), kind, hash_token(token), at
            connection.exec_driver_sql("INSERT INTO players VALUES (?, ?, ?, ?, ?, ?)", row)
            _note(connection, "add", number, at, None)


def replace_token(engine: Engine, name: str, token: str, at: int) -> None:
    """Replace the token of a player. Raises UnknownPlayerError."""
    with _acting(engine) as connection:
        player = _find(connection, name)
        connection.exec_driver_sql("UPDATE players SET token_hash = ? WHERE id = ?", (hash_token(token), player))
        _note(connection, "token", player, at, None)


def act_on_player(
    engine: Engine, deed: Literal["ban", "unban", "kick"], name: str, at: int, reason: str | None = None
) -> None:
    """Store an act on a player. Raises UnknownPlayerError, and NotBannedError if there is no ban to end."""
    with _acting(engine) as connection:
        player = _find(connection, name)
        if deed == "unban" and player not in dict(map(tuple, connection.exec_driver_sql(_BANS))):
            raise NotBannedError(f"{name} is not banned")
        _note(connection, deed, player, at, reason)


def set_registration(engine: Engine, at: int, *, is_open: bool) -> None:
    with _acting(engine) as connection:
        _note(connection, "open" if is_open else "close", None, at, None)


@contextmanager
def _acting(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # or the server could write between what is read and written here
        yield connection
        connection.commit()


def _note(connection: Connection, deed: Deed, player: int | None, at: int, reason: str | None) -> None:
    row = at, deed, player, reason
    connection.exec_driver_sql("INSERT INTO acts (at, act, player, reason) VALUES (?, ?, ?, ?)", row)


def _find(connection: Connection, name: str) -> int:
    player: int | None = connection.exec_driver_sql("SELECT id FROM players WHERE name = ?", (name,)).scalar()
    if player is None:
        names = connection.exec_driver_sql("SELECT name FROM players").scalars().all()
        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]}?" if close else "evilpegs players list shows them"
        raise UnknownPlayerError(f"there is no player {name!r:.50}; {hint}")
    return player
