"""Finished games: their turns, and sums over games and matches by player, ladder and client version.

Connections are those of the derived file. A game is identified by its rowid there, which grows as games end.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, text

from evilpegs_protocol.server_messages import PlayerKind
from evilpegs_server.sealing import SHOWN

END_OF_TIME: Final = 2**63 - 1
"""Greater than all times, in Unix milliseconds, and all numbers of matches."""
Ids = Collection[int]
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
    """Sums over the finished games of a player on a ladder with one client version, one outcome and one length."""

    player: int
    ladder: str
    client: str
    outcome: str
    guesses: int
    games: int
    times_ms: str | None  # of guesses, separated by commas
    lucks: int  # games whose luck was measured with the current value curve
    luck: int  # their sum in millionths of a guess
    luck_squares: int
    unadjusted: str | None  # the other games, separated by commas; none if the ladder has no value curve

    @property
    def unadjusted_games(self) -> Iterable[int]:
        return map(int, self.unadjusted.split(",")) if self.unadjusted else ()


_WANTED: Final = "WITH wanted(ladder, curve) AS MATERIALIZED (SELECT key, value FROM json_each(:curves))"
_COUNTS: Final = f"m.number NOT IN (SELECT value FROM json_each(:broken)) AND {SHOWN}"  # noqa: S608 - of constants
_MATCHES: Final = f"""
    {_WANTED}
    SELECT m.player, m.ladder, m.client, count(*), min(m.number), max(m.number)
    FROM matches AS m CROSS JOIN wanted AS w ON w.ladder = m.ladder
    WHERE m.number > :after AND m.number <= :last AND m.started_at < :until AND {_COUNTS}
    GROUP BY m.player, m.ladder, m.client
"""  # noqa: S608 - of constants
_GAMES: Final = f"""
    {_WANTED}
    SELECT player, ladder, client, outcome, guesses, count(*), group_concat(nullif(times_ms, '')),
        count(luck), coalesce(sum(luck), 0), coalesce(sum(luck * luck), 0),
        group_concat(CASE WHEN luck IS NULL THEN unadjusted END)
    FROM (
        SELECT m.player, m.ladder, m.client, g.outcome, g.guesses, g.times_ms,
            CASE WHEN g.curve = w.curve THEN g.luck END AS luck,
            CASE WHEN w.curve IS NOT NULL THEN g.rowid END AS unadjusted
        FROM games AS g CROSS JOIN matches AS m ON m.number = g.match CROSS JOIN wanted AS w ON w.ladder = m.ladder
        WHERE {{games}} AND {_COUNTS} AND g.outcome <> 'void')
    GROUP BY player, ladder, client, outcome, guesses
"""  # noqa: S608 - of constants
_GAMES_IN_RANGE: Final = _GAMES.format(games="g.rowid > :after AND g.rowid <= :last")
# a query of its own, because the derived file does not know when a game ended
_ENDED_GAMES_IN_RANGE: Final = _GAMES.format(
    games="""g.rowid > :after AND g.rowid <= :last AND m.started_at < :until AND (g.match, g.game) IN (
        SELECT match, json_extract(json, '$.game') FROM events
        WHERE match IN (SELECT match FROM games WHERE rowid > :after AND rowid <= :last)
        AND type = 'game_over' AND at < :until AND json_valid(json))"""
)
_RESULTS: Final = f"""
    {_WANTED}
    SELECT m.ladder, m.id, g.game, p.name, p.kind, m.client, g.outcome, g.guesses,
        CASE WHEN g.curve = w.curve THEN g.luck END, m.started_at, e.at, g.elapsed_ms
    FROM matches AS m CROSS JOIN wanted AS w ON w.ladder = m.ladder CROSS JOIN players AS p ON p.id = m.player
    CROSS JOIN events AS e ON e.match = m.number AND e.type = 'game_over' AND e.at < :until
    CROSS JOIN games AS g ON g.match = m.number
        AND g.game = CASE WHEN json_valid(e.json) THEN json_extract(e.json, '$.game') END
    WHERE m.number > :after AND m.number <= :last AND m.started_at < :until AND {_COUNTS} ORDER BY m.number, g.game
"""  # noqa: S608 - of constants
_LISTED_GAMES: Final = _GAMES.format(games="g.rowid IN (SELECT value FROM json_each(:games))")
# a match that began in an event after the last one that is derived may be unknown to its player
_NEWEST: Final = """
    SELECT coalesce(
        (SELECT min(match) - 1 FROM events WHERE id > (SELECT event FROM place) AND type = 'match_started'),
        (SELECT max(number) FROM matches), 0)
"""
_STORED_GAMES: Final = """
    SELECT m.number, m.ladder, g.game FROM games AS g JOIN matches AS m ON m.number = g.match
    WHERE g.rowid IN (SELECT value FROM json_each(:games))
"""
_TURNS: Final = """
    SELECT match, json_extract(json, '$.game'), json_extract(json, '$.code'), json_extract(json, '$.black'),
        json_extract(json, '$.white')
    FROM events WHERE match IN (SELECT value FROM json_each(:matches)) AND type = 'feedback' AND json_valid(json)
    ORDER BY match, seq
"""


def sum_matches(
    connection: Connection, curves: Curves, after: int, last: int, broken: Ids = (), until: int = END_OF_TIME
) -> list[MatchSums]:
    """Sum up the matches numbered above ``after`` and up to ``last``, begun before ``until`` and not in ``broken``."""
    rows = _read(connection, _MATCHES, curves=curves, after=after, last=last, broken=broken, until=until)
    return [MatchSums(*row) for row in rows]


def sum_games(
    connection: Connection, curves: Curves, after: int, last: int, broken: Ids = (), until: int = END_OF_TIME
) -> list[GameSums]:
    """Sum up games as `sum_matches` does matches, those that ended before ``until``; void ones are left out."""
    query = _GAMES_IN_RANGE if until == END_OF_TIME else _ENDED_GAMES_IN_RANGE
    rows = _read(connection, query, curves=curves, after=after, last=last, broken=broken, until=until)
    return [GameSums(*row) for row in rows]


def sum_listed_games(
    connection: Connection, curves: Curves, games: Collection[int], broken: Collection[int] = ()
) -> list[GameSums]:
    rows = _read(connection, _LISTED_GAMES, curves=curves, games=games, broken=broken)
    return [GameSums(*row) for row in rows]


def load_newest_match(connection: Connection) -> int:
    """Return the greatest number of a match that began in an event whose results are stored."""
    return int(connection.execute(text(_NEWEST)).scalar_one())


def load_newest_game(connection: Connection) -> int:
    return int(connection.execute(text("SELECT coalesce(max(rowid), 0) FROM games")).scalar_one())


def load_named_players(connection: Connection, ids: Collection[int]) -> dict[int, tuple[str, PlayerKind]]:
    query = "SELECT id, name, kind FROM players WHERE id IN (SELECT value FROM json_each(:ids))"
    return {player: (name, kind) for player, name, kind in _read(connection, query, ids=ids)}


class GameResult(NamedTuple):
    """A finished game of a rated match; times are Unix milliseconds, and luck is in millionths of a guess."""

    ladder: str
    match: str
    game: int
    player: str
    kind: PlayerKind
    client: str
    outcome: str
    guesses: int
    luck: int | None
    started_at: int
    ended_at: int
    elapsed_ms: int


def load_results(
    connection: Connection, curves: Curves, after: int, last: int, broken: Ids = (), until: int = END_OF_TIME
) -> list[GameResult]:
    """Return the games that ended before ``until``, void ones too, of the matches that `sum_matches` sums up."""
    rows = _read(connection, _RESULTS, curves=curves, after=after, last=last, broken=broken, until=until)
    return [GameResult(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game with the number of its match, and its turns, each a code as text, the blacks and the whites."""

    match: int
    ladder: str
    game: int
    turns: list[tuple[str, int, int]] = field(default_factory=list)


def load_stored_games(connection: Connection, games: Collection[int]) -> list[StoredGame]:
    """Return the games in no particular order; events that are not JSON are left out."""
    rows = _read(connection, _STORED_GAMES, games=games)
    loaded = {(match, game): StoredGame(match, ladder, game) for match, ladder, game in rows}
    for match, game, *turn in _read(connection, _TURNS, matches={match for match, _ in loaded}):
        if (match, game) in loaded:
            loaded[match, game].turns.append(tuple(turn))
    return list(loaded.values())


def _read(connection: Connection, query: str, **parameters: int | Collection[Any]) -> Sequence[Any]:
    # collections are for json_each
    values = {
        name: value if isinstance(value, int) else orjson.dumps(value, default=list).decode()
        for name, value in parameters.items()
    }
    return connection.execute(text(query), values).all()
