"""Rounds: a ladder's terms under an id of their own, played once by each entrant, with one match of all games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final, NamedTuple

import orjson
from sqlalchemy import Connection, Engine

from evilpegs_game.errors import EvilpegsError
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.acts import BANS, find_players, note_act
from evilpegs_server.storage.queries import changing, read, read_value

_ENTERED: Final = "SELECT ladder, player FROM matches WHERE ladder IN (SELECT id FROM rounds WHERE published IS NULL)"
_POSSIBLE: Final = "FROM players WHERE kind <> 'guest' AND id NOT IN (SELECT player FROM hidden)"
_EXCLUDED: Final = "SELECT player FROM entrants WHERE round = ? AND excluded IS NOT NULL"
_ADMIT: Final = """
    INSERT INTO entrants (round, player) VALUES (?, ?) ON CONFLICT (round, player) DO UPDATE SET excluded = NULL
"""
_PUBLISH: Final = """
    UPDATE rounds SET published = ?
    WHERE id = ? AND published IS NULL AND NOT EXISTS (SELECT 1 FROM matches WHERE ladder = rounds.id AND NOT over)
"""
_CHANGED: Final = """
    SELECT max(at) FROM acts WHERE at > ? AND (act IN ('exclude', 'admit') AND reason = ?
        OR act IN ('hide', 'show', 'forget') AND player IN (SELECT player FROM entrants WHERE round = ?))
"""
_GAMES: Final = """
    SELECT p.name, e.excluded, p.id IN (SELECT player FROM hidden), m.started_at,
        CASE WHEN m.over THEN (SELECT at FROM events WHERE match = m.number ORDER BY seq DESC LIMIT 1) END,
        count(g.outcome), count(b.game),
        count(*) FILTER (WHERE g.outcome = 'void'),
        json_group_array(1000000 * g.guesses - CASE WHEN ?1 IS NULL THEN 0 WHEN g.curve = ?1 THEN g.luck END)
            FILTER (WHERE g.outcome = 'solved') AS scores
    FROM entrants AS e JOIN players AS p ON p.id = e.player
    LEFT JOIN matches AS m ON m.player = p.id AND m.ladder = e.round
    LEFT JOIN games AS g ON g.match = m.number AND g.outcome IS NOT NULL
    LEFT JOIN begun AS b ON b.match = g.match AND b.game = g.game
    WHERE e.round = ?2 GROUP BY p.id ORDER BY p.name
"""


class RoundError(EvilpegsError):
    """What the operator asked of a round cannot be done; the message says why."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round; times are Unix milliseconds."""

    id: str
    base: str
    games: int
    sealed: bool
    opens: int
    closes: int | None  # None while only a command closes it
    published: int | None  # when the last game had ended

    @property
    def is_over(self) -> bool:
        return self.published is not None

    def is_closed(self, now: int) -> bool:
        return self.closes is not None and now >= self.closes

    def ladder(self, ladders: Mapping[str, Ladder]) -> Ladder:
        terms = replace(ladders[self.base], opens=None, closes=None, former=False)
        return replace(terms, id=self.id, games=self.games, kind=None, is_round=True, sealed=self.sealed)


class RoundGames(NamedTuple):
    """The games of an entrant; ``begun`` counts the ended ones for which the player was ready.

    The times are those at which the match began and ended, in Unix milliseconds.
    """

    name: str
    excluded: str | None
    hidden: bool
    started_at: int | None
    over_at: int | None
    ended: int
    begun: int
    void: int
    scores: list[int | None]
    """Of solved games, in millionths of a guess; None while their luck is not measured."""


def load_rounds(engine: Engine) -> list[Round]:
    rows = read(engine, "SELECT id, base, games, sealed, opens, closes, published FROM rounds ORDER BY opens, id")
    return [Round(row.id, row.base, row.games, bool(row.sealed), *row[4:]) for row in rows]


def find_round(engine: Engine, name: str) -> Round:
    """Raise RoundError if there is no such round."""
    rounds = {each.id: each for each in load_rounds(engine)}
    if name not in rounds:
        close = get_close_matches(name, rounds, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(rounds) or 'none'}"
        raise RoundError(f"there is no round {name!r:.50}; {hint}")
    return rounds[name]


def load_entrants(engine: Engine) -> set[tuple[str, int]]:
    return set(map(tuple, read(engine, "SELECT round, player FROM entrants WHERE excluded IS NULL")))


def load_entered(engine: Engine) -> set[tuple[str, int]]:
    """Return the round and the player of each who began to play in a round that is not over."""
    return set(map(tuple, read(engine, _ENTERED)))


def load_round_games(engine: Engine, name: str, curve: str | None) -> list[RoundGames]:
    """Return the games by entrant, from the derived file; scores are luck-adjusted if the hash ``curve`` is given."""
    rows = read(engine, _GAMES, curve, name)
    return [RoundGames._make((*row[:-1], orjson.loads(row.scores))) for row in rows]


def open_round(engine: Engine, wanted: Round, names: Sequence[str] | None) -> int:
    """Store a round with these entrants, or all players but guests, banned and hidden ones; return their number."""
    with changing(engine) as connection:
        used = "SELECT 1 FROM rounds WHERE id = ? UNION SELECT 1 FROM matches WHERE ladder = ?"
        if connection.exec_driver_sql(used, (wanted.id, wanted.id)).first() is not None:
            raise RoundError(f"the id {wanted.id} is in use; give the round another one")
        row = wanted.id, wanted.base, wanted.games, wanted.sealed, wanted.opens, wanted.closes
        connection.exec_driver_sql(
            "INSERT INTO rounds (id, base, games, sealed, opens, closes) VALUES (?, ?, ?, ?, ?, ?)", row
        )
        if names is None:
            possible = f"SELECT name {_POSSIBLE} AND id NOT IN (SELECT player FROM ({BANS}) AS bans)"  # noqa: S608 - of constants
            names = connection.exec_driver_sql(possible).scalars().all()
        return _admit(connection, wanted.id, names, wanted.opens)


def load_change(engine: Engine, played: Round) -> int | None:
    """Return when the operator last changed the results of a round that was over, in Unix milliseconds."""
    changed = played.published and read_value(engine, _CHANGED, played.published, played.id, played.id)
    return None if changed is None else int(changed)


def admit(engine: Engine, name: str, players: Sequence[str], at: int, *, with_new: bool = True) -> int:
    """Admit entrants to a round, also ones who were excluded. Raises UnknownPlayerError, or RoundError for new ones."""
    with changing(engine) as connection:
        entered = set(connection.exec_driver_sql("SELECT player FROM entrants WHERE round = ?", (name,)).scalars())
        for player in () if with_new else players:
            if not entered.issuperset(find_players(connection, [player], _POSSIBLE)):
                raise RoundError(f"{name} is closed, and {player} is no entrant; nobody can enter any more")
        return _admit(connection, name, players, at)


def exclude(engine: Engine, name: str, player: str, reason: str, at: int) -> None:
    """Leave an entrant out of the results, with a reason that is shown. Raises UnknownPlayerError or RoundError."""
    with changing(engine) as connection:
        (number,) = find_players(connection, [player], _POSSIBLE)
        row = reason, name, number
        changed = connection.exec_driver_sql("UPDATE entrants SET excluded = ? WHERE round = ? AND player = ?", row)
        if not changed.rowcount:
            raise RoundError(f"{player} is no entrant of {name}")
        note_act(connection, "exclude", number, at, name)


def set_closing(engine: Engine, name: str, closes: int) -> None:
    with changing(engine) as connection:
        connection.exec_driver_sql("UPDATE rounds SET closes = ? WHERE id = ?", (closes, name))


def publish_round(engine: Engine, name: str, now: int) -> bool:
    """Note that the round is over, and return True, unless a match of it is open."""
    with changing(engine) as connection:
        return bool(connection.exec_driver_sql(_PUBLISH, (now, name)).rowcount)


def _admit(connection: Connection, name: str, players: Sequence[str], at: int) -> int:
    excluded = set(connection.exec_driver_sql(_EXCLUDED, (name,)).scalars())
    for number in find_players(connection, players, _POSSIBLE):
        connection.exec_driver_sql(_ADMIT, (name, number))
        if number in excluded:
            note_act(connection, "admit", number, at, name)
    return len(set(players))
