"""The turns of finished games, which are identified as in `game_sums`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import orjson
from sqlalchemy import Connection, text

_GAMES: Final = text("""
    SELECT json_group_array(json_array(m.id, m.ladder, m.number, chosen.value & 4095))
    FROM json_each(:games) AS chosen JOIN matches AS m ON m.number = chosen.value >> 12
""")
_TURNS: Final = text("""
    SELECT json_group_array(json_array(match, game, code, black, white)) FROM (
        SELECT e.match, json_extract(e.json, '$.game') AS game, json_extract(e.json, '$.code') AS code,
            json_extract(e.json, '$.black') AS black, json_extract(e.json, '$.white') AS white
        FROM events AS e
        WHERE e.match IN (SELECT value >> 12 FROM json_each(:games)) AND e.type = 'feedback'
            AND json_valid(e.json)
            AND (e.match << 12 | json_extract(e.json, '$.game')) IN (SELECT value FROM json_each(:games))
        ORDER BY e.match, e.seq)
""")


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game with its turns, each a code as text, the blacks and the whites."""

    match: str
    ladder: str
    game: int
    turns: list[tuple[str, int, int]] = field(default_factory=list)


def load_stored_games(connection: Connection, games: Iterable[int]) -> list[StoredGame]:
    """Return the games in no particular order; events that are not JSON are left out."""
    parameters = {"games": orjson.dumps(list(games)).decode()}
    loaded = {
        (number, game): StoredGame(match, ladder, game)
        for match, ladder, number, game in orjson.loads(connection.execute(_GAMES, parameters).scalar_one())
    }
    for number, game, code, black, white in orjson.loads(connection.execute(_TURNS, parameters).scalar_one()):
        loaded[number, game].turns.append((code, black, white))
    return list(loaded.values())
