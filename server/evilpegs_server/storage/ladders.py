"""The ladders that the operator added, which are known for as long as they have matches."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, Engine

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.match.ladders import Ladder, load_ladders

_KEYS: Final = ("rules", "codemaker", "clock", "guess_limit", "games", "rated")
# a ladder that was never played may change or go
_FORGET_UNPLAYED: Final = """
    DELETE FROM ladders WHERE NOT EXISTS (SELECT 1 FROM matches WHERE matches.ladder = ladders.id)
    AND id NOT IN (SELECT base FROM rounds)
"""


class LadderChangedError(EvilpegsError):
    """A ladder that was played with other values."""


def known_ladders(engine: Engine) -> dict[str, Ladder]:
    """Return the built-in ladders and those of the database, by id."""
    with engine.connect() as connection:
        return load_ladders() | _stored_ladders(connection)


def store_ladders(engine: Engine, own: Mapping[str, Ladder]) -> dict[str, Ladder]:
    """Store the ladders of the settings and return all ladders by id. Raises LadderChangedError."""
    with engine.begin() as connection:
        connection.exec_driver_sql(_FORGET_UNPLAYED)
        stored = _stored_ladders(connection)
        rounds = set(connection.exec_driver_sql("SELECT id FROM rounds").scalars())
        for ladder in own.values():
            if ladder.id in rounds:
                raise LadderChangedError(f"{ladder.id} is a round; give the ladder in evilpegs.toml another id")
            _check_unchanged(stored.get(ladder.id, ladder), ladder)
            text = ladder.info().model_dump_json(exclude={"opens", "closes"})
            connection.exec_driver_sql(
                "INSERT INTO ladders (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING", (ladder.id, text)
            )
    return load_ladders() | {ladder.id: replace(ladder, former=True) for ladder in stored.values()} | dict(own)


def _stored_ladders(connection: Connection) -> dict[str, Ladder]:
    texts = connection.exec_driver_sql("SELECT json FROM ladders ORDER BY rowid").scalars()
    ladders = [Ladder.from_info(LadderInfo.model_validate_json(text)) for text in texts]
    return {ladder.id: ladder for ladder in ladders}


def _check_unchanged(played: Ladder, wanted: Ladder) -> None:
    both = [(key, getattr(played, key), getattr(wanted, key)) for key in _KEYS]
    changes = [f"{key} was {old} and is now {new}".lower() for key, old, new in both if old != new]
    if changes:
        raise LadderChangedError(
            f"ladder {wanted.id} has matches with other values: {', '.join(changes)}; "
            "write the old ones into evilpegs.toml, or give the new ladder another id"
        )
