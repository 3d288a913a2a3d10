"""The matches that are being played, as their players know them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import orjson
from sqlalchemy import Engine, text


class OpenMatchRow(NamedTuple):
    match: str
    ladder: str
    player: str
    client: Mapping[str, str]
    """Name and version, as in `match_started`."""
    started_at: int
    newest: str
    """The JSON text of the newest event."""
    last_begun: int
    """The last game for which the player was ready, 0 before the first."""


# one JSON text, for the reason that `games` gives; 30 ms for 4,000 open matches
_OPEN: Final = text(
    """
    SELECT json_group_array(json_array(number, id, ladder, player, json(client), started_at, newest, last_begun)) FROM (
        SELECT m.number, m.id, m.ladder, p.name AS player, m.started_at,
            (SELECT json_extract(e.json, '$.client') FROM events AS e WHERE e.match = m.number AND e.seq = 1) AS client,
            (SELECT e.json FROM events AS e WHERE e.match = m.number AND e.id <= :last ORDER BY e.seq DESC LIMIT 1)
                AS newest,
            coalesce((SELECT max(b.game) FROM begun AS b WHERE b.match = m.number), 0) AS last_begun
        FROM matches AS m JOIN players AS p ON p.id = m.player WHERE NOT m.over)
    WHERE newest IS NOT NULL
    """
)


def list_open_matches(engine: Engine, last_event: int) -> list[OpenMatchRow]:
    """Return the open matches in the order of their start, as they are after the event with the id ``last_event``."""
    with engine.connect() as connection:
        rows = orjson.loads(connection.execute(_OPEN, {"last": last_event}).scalar_one())
    return [OpenMatchRow(*row[1:]) for row in sorted(rows)]
