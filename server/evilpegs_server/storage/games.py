"""Finished games: their turns, and sums over games and matches by player, ladder and client version.

Connections are those of the derived file. SQLite adds the games up and returns one JSON text per query.

A game is identified by one integer: the number of its match (`matches.number`) times 2**12, plus the number of the game
in the match.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, TextClause, text

Curves = Mapping[str, str | None]
"""The wanted ladders, each with the hash of its value curve, if it has one."""


class MatchSums(NamedTuple):
    """The matches of a player on a ladder with one client version, from the number ``first`` to ``last``."""

    player: int
    ladder: str
    client: str
    matches: int
    first: int
    last: int


class GameSums(NamedTuple):
    """Sums over the finished games of a player on a ladder with one client version, one outcome and one length.

    ``times_ms`` has commas between the times of guesses. ``lucks`` counts the games whose luck was measured with the
    current value curve; ``luck`` sums it up in millionths of a guess, and ``luck_squares`` its squares. ``unadjusted``
    has the other games, but none if the ladder has no value curve.
    """

    player: int
    ladder: str
    client: str
    outcome: str
    guesses: int
    games: int
    times_ms: str | None
    lucks: int
    luck: int
    luck_squares: int
    unadjusted: list[int]


_WANTED: Final = "WITH wanted(ladder, curve) AS MATERIALIZED (SELECT key, value FROM json_each(:curves))"
_SOUND: Final = "m.number NOT IN (SELECT value FROM json_each(:broken))"
_MATCHES: Final = """
    {wanted}
    SELECT json_group_array(json_array(player, ladder, client, matches, first, last)) FROM (
        SELECT m.player, m.ladder, m.client, count(*) AS matches, min(m.number) AS first, max(m.number) AS last
        FROM matches AS m CROSS JOIN wanted AS w ON w.ladder = m.ladder
        WHERE {matches} AND {sound}
        GROUP BY m.player, m.ladder, m.client)
"""
_SQUARES: Final = GameSums._fields.index("luck_squares")
# of squares, summed apart from the others: sums of squares might exceed 63 bits
_LOW_BITS: Final = 20
_GAMES: Final = """
    {wanted}
    SELECT json_group_array(json_array(player, ladder, client, outcome, guesses, games, times_ms, lucks, luck,
        json_array(high, low), json('[' || unadjusted || ']')))
    FROM (
        SELECT player, ladder, client, outcome, guesses,
            count(*) AS games, group_concat(nullif(times_ms, '')) AS times_ms,
            count(luck) AS lucks, coalesce(sum(luck), 0) AS luck,
            coalesce(sum(luck * luck >> 20), 0) AS high, coalesce(sum(luck * luck & 0xfffff), 0) AS low,
            coalesce(group_concat(CASE WHEN luck IS NULL THEN unadjusted END), '') AS unadjusted
        FROM (
            SELECT m.player, m.ladder, m.client, g.outcome, g.guesses, g.times_ms,
                CASE WHEN g.curve = w.curve THEN g.luck END AS luck,
                CASE WHEN w.curve IS NOT NULL THEN g.match << 12 | g.game END AS unadjusted
            FROM matches AS m CROSS JOIN wanted AS w ON w.ladder = m.ladder CROSS JOIN games AS g ON g.match = m.number
            WHERE {matches} AND {sound} AND g.outcome <> 'void' {games})
        GROUP BY player, ladder, client, outcome, guesses)
"""
_OF_PLAYERS: Final = "m.player > :after AND m.player <= :last"
_IN_RANGE: Final = "m.number > :after AND m.number <= :last"
_LISTED: Final = "m.number IN (SELECT value FROM json_each(:matches))"
_ONLY: Final = "AND (g.match << 12 | g.game) IN (SELECT value FROM json_each(:games))"


def _sums(template: str, matches: str, games: str = "") -> TextClause:
    return text(template.format(wanted=_WANTED, sound=_SOUND, matches=matches, games=games))


_MATCHES_OF_PLAYERS: Final = _sums(_MATCHES, _OF_PLAYERS)
_LISTED_MATCHES: Final = _sums(_MATCHES, _LISTED)
_GAMES_OF_PLAYERS: Final = _sums(_GAMES, _OF_PLAYERS)
_GAMES_IN_RANGE: Final = _sums(_GAMES, _IN_RANGE)
_LISTED_GAMES: Final = _sums(_GAMES, _LISTED, _ONLY)
_PLAYER_AFTER: Final = text("""
    SELECT json_array(coalesce(
        (SELECT player FROM matches WHERE player > :after ORDER BY player LIMIT 1 OFFSET :matches),
        (SELECT max(player) FROM matches)))
""")
_NEW: Final = text("""
    SELECT json_array(
        (SELECT json_group_array(match) FROM events WHERE id > :after AND id <= :last AND type = 'match_started'),
        (SELECT json_group_array(match << 12 | json_extract(json, '$.game')) FROM events
            WHERE id > :after AND id <= :last AND type = 'game_over' AND json_valid(json)))
""")
_NEWEST: Final = text("SELECT json_array((SELECT event FROM place), coalesce((SELECT max(number) FROM matches), 0))")
_NAMES: Final = text(
    "SELECT json_group_array(json_array(id, name)) FROM players WHERE id IN (SELECT value FROM json_each(:ids))"
)


def last_player(connection: Connection, after: int, matches: int) -> int | None:
    """Return the last player of the next group, which begins after the id ``after`` and ends above ``matches`` matches.

    The last group may have fewer matches; after it, the result is at most ``after``. It is None if no match is stored.
    """
    (player,) = _read(connection, _PLAYER_AFTER, {"after": after, "matches": matches})
    return None if player is None else int(player)


def sum_players(
    connection: Connection, curves: Curves, after: int, last: int, broken: Collection[int] = ()
) -> tuple[list[MatchSums], list[GameSums]]:
    """Sum up the players with an id above ``after`` and up to ``last``, without void games and ``broken`` matches."""
    parameters = {"curves": _json(curves), "after": after, "last": last, "broken": _json(list(broken))}
    matches = _read(connection, _MATCHES_OF_PLAYERS, parameters)
    return _match_sums(matches), _game_sums(_read(connection, _GAMES_OF_PLAYERS, parameters))


def sum_matches(
    connection: Connection, curves: Curves, matches: Iterable[int], broken: Collection[int] = ()
) -> list[MatchSums]:
    """Sum up the matches with the given numbers, without those in ``broken``."""
    parameters = {"curves": _json(curves), "matches": _json(list(matches)), "broken": _json(list(broken))}
    return _match_sums(_read(connection, _LISTED_MATCHES, parameters))


def sum_games(
    connection: Connection, curves: Curves, games: Collection[int], broken: Collection[int] = ()
) -> list[GameSums]:
    """Sum up the finished games among ``games``, without void games and those of matches in ``broken``."""
    parameters = {
        "curves": _json(curves),
        "matches": _json(list({game >> 12 for game in games})),
        "games": _json(list(games)),
        "broken": _json(list(broken)),
    }
    return _game_sums(_read(connection, _LISTED_GAMES, parameters))


def load_unadjusted(connection: Connection, curves: Curves, after: int, last: int) -> list[int]:
    """Return the finished games without luck in the matches above ``after`` and up to ``last``, in ascending order.

    Luck that was measured with another curve than the ladder's in ``curves`` counts as missing.
    """
    parameters = {"curves": _json(curves), "after": after, "last": last, "broken": "[]"}
    sums = _game_sums(_read(connection, _GAMES_IN_RANGE, parameters))
    return sorted(game for each in sums for game in each.unadjusted)


def load_new(connection: Connection, after: int, last: int) -> tuple[list[int], list[int]]:
    """Return the matches that began and the games that ended in the events above ``after`` and up to ``last``."""
    matches, games = _read(connection, _NEW, {"after": after, "last": last})
    return matches, games


def load_newest(connection: Connection) -> tuple[int, int]:
    """Return the id of the last event whose results are stored, and the greatest match number."""
    event, match = _read(connection, _NEWEST, {})
    return event, match


def load_player_names(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    return dict(_read(connection, _NAMES, {"ids": _json(list(ids))}))


def _match_sums(rows: list[Any]) -> list[MatchSums]:
    return [MatchSums(*row) for row in rows]


def _game_sums(rows: list[list[Any]]) -> list[GameSums]:
    for row in rows:
        high, low = row[_SQUARES]
        row[_SQUARES] = (high << _LOW_BITS) + low
    return [GameSums(*row) for row in rows]


def _read(connection: Connection, statement: TextClause, parameters: Mapping[str, Any]) -> Any:
    return orjson.loads(connection.execute(statement, parameters).scalar_one())


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


_STORED_GAMES: Final = text("""
    SELECT json_group_array(json_array(m.number, m.ladder, chosen.value & 4095))
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
    """A game with the number of its match, and its turns, each a code as text, the blacks and the whites."""

    match: int
    ladder: str
    game: int
    turns: list[tuple[str, int, int]] = field(default_factory=list)


def load_stored_games(connection: Connection, games: Iterable[int]) -> list[StoredGame]:
    """Return the games in no particular order; events that are not JSON are left out."""
    parameters = {"games": orjson.dumps(list(games)).decode()}
    loaded = {
        (match, game): StoredGame(match, ladder, game)
        for match, ladder, game in orjson.loads(connection.execute(_STORED_GAMES, parameters).scalar_one())
    }
    for match, game, code, black, white in orjson.loads(connection.execute(_TURNS, parameters).scalar_one()):
        loaded[match, game].turns.append((code, black, white))
    return list(loaded.values())
