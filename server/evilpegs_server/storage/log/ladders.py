"""The ladders that the operator added, which are known for as long as they have matches."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, text

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.queries import Reader

_KEYS: Final = ("rules", "codemaker", "clock", "guess_limit", "games", "rated")
# a ladder that was never played may change or go
_FORGET_UNPLAYED: Final = text("""
    DELETE FROM ladders WHERE NOT EXISTS (SELECT 1 FROM matches WHERE matches.ladder = ladders.id)
    AND id NOT IN (SELECT base FROM rounds)
""")
_STORE: Final = text("INSERT INTO ladders (id, json) VALUES (:id, :json) ON CONFLICT DO NOTHING")


class LadderChangedError(EvilpegsError):
    """A ladder that was played with other values."""


def known_ladders(database: Reader) -> dict[str, Ladder]:
    """Return the built-in ladders and those of the database, by id."""
    with database.connect() as connection:
        return load_ladders() | _stored_ladders(connection)


def store_ladders(database: Database, own: Mapping[str, Ladder]) -> dict[str, Ladder]:
    """Store the ladders of the settings and return all ladders by id. Raises LadderChangedError."""
    with database.begin() as connection:
        connection.execute(_FORGET_UNPLAYED)
        stored = _stored_ladders(connection)
        rounds = set(connection.execute(text("SELECT id FROM rounds")).scalars())
        for ladder in own.values():
            if ladder.id in rounds:
                raise LadderChangedError(f"{ladder.id} is a round; give the ladder in evilpegs.toml another id")
            _check_unchanged(stored.get(ladder.id, ladder), ladder)
            info = ladder.info().model_dump_json(exclude={"opens", "closes"})
            connection.execute(_STORE, {"id": ladder.id, "json": info})
    return load_ladders() | {ladder.id: replace(ladder, former=True) for ladder in stored.values()} | dict(own)


def _stored_ladders(connection: Connection) -> dict[str, Ladder]:
    infos = connection.execute(text("SELECT json FROM ladders ORDER BY rowid")).scalars()
    ladders = [Ladder.from_info(LadderInfo.model_validate_json(info)) for info in infos]
    return {ladder.id: ladder for ladder in ladders}


def _check_unchanged(played: Ladder, wanted: Ladder) -> None:
    both = [(key, getattr(played, key), getattr(wanted, key)) for key in _KEYS]
    changes = [f"{key} was {old} and is now {new}".lower() for key, old, new in both if old != new]
    if changes:
        raise LadderChangedError(
            f"ladder {wanted.id} has matches with other values: {', '.join(changes)}; "
            "write the old ones into evilpegs.toml, or give the new ladder another id"
        )
