"""The results of stored events, grouped and counted by the database.

The database returns one JSON text per query. The driver releases the interpreter lock at each row of a result and has
to compete with the event loop to acquire it again, so a busy server would slow down a result of thousands of rows.
"""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import orjson
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError


class ResultCount(NamedTuple):
    """Events of one kind with equal results, and their number ``events``.

    ``type`` is the type of the events, and ``at`` the time of the last of them in Unix milliseconds. ``value`` is the
    time of a guess in milliseconds, or the number of guesses of a finished game, which also has an ``outcome``.
    """

    ladder: str
    player: int
    client: str
    type: str
    value: int
    outcome: str | None
    events: int
    at: int


# The left table of CROSS JOIN is the outer loop, so that the events are read once, in the order of their ids.
_RESULTS: Final = """
    SELECT json_group_array(json_array(ladder, player, client, type, coalesce(value, 0), outcome, number, at)) FROM (
        SELECT m.ladder, m.player, m.client, e.type,
            CASE e.type WHEN 'feedback' THEN json_extract(e.json, '$.took_ms')
                WHEN 'game_over' THEN json_extract(e.json, '$.guesses') END AS value,
            CASE e.type WHEN 'game_over' THEN json_extract(e.json, '$.outcome') END AS outcome,
            count(*) AS number, max(e.at) AS at
        FROM events AS e CROSS JOIN matches AS m ON m.number = e.match
        WHERE e.id > :after AND e.id <= :last AND e.type IN ('match_started', 'feedback', 'game_over')
            AND m.ladder IN (SELECT value FROM json_each(:ladders)) {condition}
        GROUP BY 1, 2, 3, 4, 5, 6)
"""
_ALL_RESULTS: Final = text(_RESULTS.format(condition=""))
_SOUND_RESULTS: Final = text(
    _RESULTS.format(
        condition="AND e.match NOT IN (SELECT value FROM json_each(:broken)) AND json_valid(e.json)",
    )
)
"""The results if some matches are broken or some events are not JSON, in half as much time again."""
_NAMES: Final = text(
    "SELECT json_group_array(json_array(id, name)) FROM players WHERE id IN (SELECT value FROM json_each(:ids))"
)


def load_result_counts(
    engine: Engine, after: int, last: int, ladders: Iterable[str], broken: Collection[int] = ()
) -> list[ResultCount]:
    """Return the results on ``ladders`` of all events with ids above ``after`` and up to ``last``.

    Events never change, so the counts of adjacent ranges add up. Matches whose numbers are in ``broken`` are left out,
    and so are events that cannot be read as JSON.
    """
    parameters = {"after": after, "last": last, "ladders": orjson.dumps(list(ladders)).decode()}
    sound = parameters | {"broken": orjson.dumps(list(broken)).decode()}
    with engine.connect() as connection:
        try:
            query = (_SOUND_RESULTS, sound) if broken else (_ALL_RESULTS, parameters)
            result = connection.execute(*query).scalar_one()
        except OperationalError:
            result = connection.execute(_SOUND_RESULTS, sound).scalar_one()
    rows = orjson.loads(result)
    return [ResultCount(*row) for row in rows if isinstance(row[4], int)]


def load_player_names(engine: Engine, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of players by their numbers."""
    parameters = {"ids": orjson.dumps(list(ids)).decode()}
    with engine.connect() as connection:
        return dict(orjson.loads(connection.execute(_NAMES, parameters).scalar_one()))
