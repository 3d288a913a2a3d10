"""The results of stored games by match, as leaderboards count them.

The database returns one JSON text per query. The driver releases the interpreter lock at each row of a result and has
to compete with the event loop to acquire it again, so a busy server would slow down a result of thousands of rows.

A game is identified by one integer: the number of its match times 2**12, plus the number of the game.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, TextClause, text


class GameResult(NamedTuple):
    """The result of a finished game. ``luck`` is in millionths of a guess by the curve with the hash ``curve``."""

    game: int
    outcome: str
    guesses: int
    luck: int | None
    curve: str | None


class MatchResults(NamedTuple):
    """A match and some of its finished games.

    ``times_ms`` lists the milliseconds of all guesses in these games, but for void ones, with commas between them.
    """

    number: int
    ladder: str
    player: int
    client: str
    games: list[GameResult]
    times_ms: str | None


_RESULTS: Final = """
    SELECT json_group_array(json_array(m.number, m.ladder, m.player, m.client,
        json((SELECT json_group_array(json_array(g.game, g.outcome, g.guesses, g.luck, g.curve))
            FROM games AS g WHERE g.match = m.number AND g.outcome IS NOT NULL {games})),
        (SELECT group_concat(g.times_ms)
            FROM games AS g WHERE g.match = m.number AND g.outcome <> 'void' AND g.times_ms <> '' {games})))
    FROM matches AS m WHERE {matches} AND m.ladder IN (SELECT value FROM json_each(:ladders))
"""
_IN_RANGE: Final = text(_RESULTS.format(games="", matches="m.number > :after AND m.number <= :last"))
_CHOSEN: Final = text(
    _RESULTS.format(
        games="AND (g.match << 12 | g.game) IN (SELECT value FROM json_each(:games))",
        matches="m.number IN (SELECT value FROM json_each(:matches))",
    )
)
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


def game_key(match: int, game: int) -> int:
    """Return the integer that identifies a game."""
    return match << 12 | game


def load_range(connection: Connection, ladders: Iterable[str], after: int, last: int) -> list[MatchResults]:
    """Return all matches on the ladders with a number above ``after`` and up to ``last``, with all finished games."""
    return _results(_read(connection, _IN_RANGE, {"ladders": _json(ladders), "after": after, "last": last}))


def load_chosen(
    connection: Connection, ladders: Iterable[str], games: Iterable[int], matches: Iterable[int] = ()
) -> list[MatchResults]:
    """Return the finished ones of these games by match, and these matches also if none of their games is chosen."""
    games = list(games)
    numbers = {*matches, *(game >> 12 for game in games)}
    parameters = {"ladders": _json(ladders), "games": _json(games), "matches": _json(numbers)}
    return _results(_read(connection, _CHOSEN, parameters))


def load_new(connection: Connection, after: int, last: int) -> tuple[list[int], list[int]]:
    """Return the numbers of matches that began, and the games that ended, at events with ids in a range.

    The ids are above ``after`` and up to ``last``.
    """
    matches, games = _read(connection, _NEW, {"after": after, "last": last})
    return matches, games


def load_newest(connection: Connection) -> tuple[int, int]:
    """Return the id of the event, and the number of the match, that were stored last; 0 if there is none."""
    event, match = _read(connection, _NEWEST, {})
    return event, match


def load_player_names(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of players by their numbers."""
    return dict(_read(connection, _NAMES, {"ids": _json(ids)}))


def _results(rows: list[Any]) -> list[MatchResults]:
    return [
        MatchResults(number, ladder, player, client, [GameResult(*game) for game in games], times_ms)
        for number, ladder, player, client, games, times_ms in rows
    ]


def _read(connection: Connection, statement: TextClause, parameters: Mapping[str, Any]) -> Any:
    return orjson.loads(connection.execute(statement, parameters).scalar_one())


def _json(values: Iterable[object]) -> str:
    return orjson.dumps(list(values)).decode()
