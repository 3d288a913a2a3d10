"""Sums over stored games and matches, by player, ladder and client version.

The database adds the games up and returns one JSON text per query. The driver releases the interpreter lock at each row
of a result and has to compete with the event loop to acquire it again, so a result of thousands of rows would slow down
a busy server.

A game is identified by one integer: the number of its match (`matches.number`) times 2**12, plus the number of the game
in the match, from 1. A value curve gives the guesses that a good strategy still expects, by the number of codes still
possible; luck is measured with it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, TextClause, text

Curves = Mapping[str, str | None]
"""A mapping from the id of each wanted ladder to the hash of its value curve, or to None if the ladder has no curve."""


class MatchSums(NamedTuple):
    """The number of matches that a player has on a ladder with one client version.

    ``player`` and ``ladder`` are ids, and ``client`` is the name and version of the client. ``matches`` is the number
    of these matches. ``first`` and ``last`` are the least and the greatest of their numbers in the column
    `matches.number`.
    """

    player: int
    ladder: str
    client: str
    matches: int
    first: int
    last: int


class GameSums(NamedTuple):
    """Sums over the finished games of a player on a ladder with one client version, one outcome and one length.

    ``player`` and ``ladder`` are ids, and ``client`` is the name and version of the client. The length is ``guesses``,
    and ``games`` is the number of these games. ``times_ms`` lists the milliseconds that each guess of these games took,
    with commas between them; it is None if no times are stored.

    ``lucks`` is the number of the games whose luck was measured with the current value curve of the ladder, which gives
    the guesses that a good strategy still expects. ``luck`` is the sum of the luck of these ``lucks`` games in
    millionths of a guess, and ``luck_squares`` the sum of the squares of their luck. ``unadjusted`` has an integer for
    each other game: the number of its match times 2**12, plus the number of the game. It is empty if the ladder has no
    value curve.
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
_LOW_BITS: Final = 20
"""The number of low bits of each square that are summed separately, because sums of squares might exceed 63 bits."""
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
_NEWEST: Final = text(
    "SELECT json_array(coalesce((SELECT max(id) FROM events), 0), coalesce((SELECT max(number) FROM matches), 0))"
)
_NAMES: Final = text(
    "SELECT json_group_array(json_array(id, name)) FROM players WHERE id IN (SELECT value FROM json_each(:ids))"
)


def last_player(connection: Connection, after: int, matches: int) -> int | None:
    """Return the greatest player id of the next group of players, to sum up the results of players group by group.

    The group takes the players in ascending order of id, from the first id above ``after`` on. It ends at the first
    player with whom it has more than ``matches`` matches in total. If all players with an id above ``after`` have at
    most ``matches`` matches in total, return the greatest id of all players with a match. This id is at most ``after``
    if no group is left. Return None if there are no matches at all.
    """
    (player,) = _read(connection, _PLAYER_AFTER, {"after": after, "matches": matches})
    return None if player is None else int(player)


def sum_players(
    connection: Connection, curves: Curves, after: int, last: int, broken: Collection[int] = ()
) -> tuple[list[MatchSums], list[GameSums]]:
    """Return sums over all matches and over all games of the players with an id above ``after`` and up to ``last``.

    `MatchSums` and `GameSums` say what is summed up. Only ladders whose ids are keys of ``curves`` count; the values
    are the hashes of their value curves. Void games, and the matches whose numbers (`matches.number`) are in
    ``broken``, are left out.
    """
    parameters = {"curves": _json(curves), "after": after, "last": last, "broken": _json(list(broken))}
    matches = _read(connection, _MATCHES_OF_PLAYERS, parameters)
    return _match_sums(matches), _game_sums(_read(connection, _GAMES_OF_PLAYERS, parameters))


def sum_matches(
    connection: Connection, curves: Curves, matches: Iterable[int], broken: Collection[int] = ()
) -> list[MatchSums]:
    """Return the counts of the matches whose numbers are in ``matches``, by player, ladder and client version.

    The numbers are those of the column `matches.number`. Only ladders whose ids are keys of ``curves`` count. The
    matches whose numbers are in ``broken`` are left out.
    """
    parameters = {"curves": _json(curves), "matches": _json(list(matches)), "broken": _json(list(broken))}
    return _match_sums(_read(connection, _LISTED_MATCHES, parameters))


def sum_games(
    connection: Connection, curves: Curves, games: Collection[int], broken: Collection[int] = ()
) -> list[GameSums]:
    """Return sums over the finished games among ``games``, by player, ladder, client version, outcome and length.

    ``games`` has identifiers: the number of the match (`matches.number`) times 2**12, plus the number of the game. Only
    ladders whose ids are keys of ``curves`` count; the values are the hashes of their value curves. Void games, and
    games of the matches whose numbers are in ``broken``, are left out.
    """
    parameters = {
        "curves": _json(curves),
        "matches": _json(list({game >> 12 for game in games})),
        "games": _json(list(games)),
        "broken": _json(list(broken)),
    }
    return _game_sums(_read(connection, _LISTED_GAMES, parameters))


def load_unadjusted(connection: Connection, curves: Curves, after: int, last: int) -> list[int]:
    """Return the identifiers of finished games whose luck is not stored, in ascending order.

    An identifier is the number of the match (`matches.number`) times 2**12, plus the number of the game. ``curves``
    maps the id of a ladder to the hash of its value curve, with which luck is measured. Luck that was measured with a
    curve of another hash counts as not stored. Only ladders of ``curves`` whose hash is not None, and matches with a
    number above ``after`` and up to ``last``, are searched.
    """
    parameters = {"curves": _json(curves), "after": after, "last": last, "broken": "[]"}
    sums = _game_sums(_read(connection, _GAMES_IN_RANGE, parameters))
    return sorted(game for each in sums for game in each.unadjusted)


def load_new(connection: Connection, after: int, last: int) -> tuple[list[int], list[int]]:
    """Return the matches that began, and the games that ended, in the events with an id above ``after`` up to ``last``.

    Matches are given by `matches.number`, and games by identifier: the number of the match times 2**12, plus the number
    of the game.
    """
    matches, games = _read(connection, _NEW, {"after": after, "last": last})
    return matches, games


def load_newest(connection: Connection) -> tuple[int, int]:
    """Return the greatest event id and the greatest match number (`matches.number`); each is 0 if there is none."""
    event, match = _read(connection, _NEWEST, {})
    return event, match


def load_player_names(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of the players with the given ids, by id. Ids without a player are left out."""
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
