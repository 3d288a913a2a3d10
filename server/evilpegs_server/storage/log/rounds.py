"""Rounds: a ladder's terms under an id of their own, played once by each entrant, with one match of all games."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from typing import Final, NamedTuple

import orjson
from sqlalchemy import Connection, insert, select, text, update

from evilpegs_game.errors import EvilpegsError
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.log import tables
from evilpegs_server.storage.log.acts import BANS, find_players, note_act
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.queries import Reader, read, read_value

_entrants: Final = tables.entrants.c

_ENTERED: Final = "SELECT ladder, player FROM matches WHERE ladder IN (SELECT id FROM rounds WHERE published IS NULL)"
_POSSIBLE: Final = "FROM players WHERE kind <> 'guest' AND id NOT IN (SELECT player FROM hidden)"
_EXCLUDED: Final = text("SELECT player FROM entrants WHERE round = :round AND excluded IS NOT NULL")
_ADMIT: Final = text("""
    INSERT INTO entrants (round, player) VALUES (:round, :player)
    ON CONFLICT (round, player) DO UPDATE SET excluded = NULL
""")
_PUBLISH: Final = text("""
    UPDATE rounds SET published = :now
    WHERE id = :round AND published IS NULL AND NOT EXISTS (SELECT 1 FROM matches WHERE ladder = rounds.id AND NOT over)
""")
_CHANGED: Final = """
    SELECT max(at) FROM acts WHERE at > :after AND (act IN ('exclude', 'admit') AND reason = :round
        OR act IN ('hide', 'show', 'forget') AND player IN (SELECT player FROM entrants WHERE round = :round))
"""
_GAMES: Final = """
    SELECT p.name, e.excluded, p.id IN (SELECT player FROM hidden), m.started_at,
        CASE WHEN m.over THEN (SELECT at FROM events WHERE match = m.number ORDER BY seq DESC LIMIT 1) END,
        count(g.outcome), count(b.game),
        count(*) FILTER (WHERE g.outcome = 'void'),
        json_group_array(1000000 * g.guesses - CASE WHEN :curve IS NULL THEN 0 WHEN g.curve = :curve THEN g.luck END)
            FILTER (WHERE g.outcome = 'solved') AS scores
    FROM entrants AS e JOIN players AS p ON p.id = e.player
    LEFT JOIN matches AS m ON m.player = p.id AND m.ladder = e.round
    LEFT JOIN games AS g ON g.match = m.number AND g.outcome IS NOT NULL
    LEFT JOIN begun AS b ON b.match = g.match AND b.game = g.game
    WHERE e.round = :round GROUP BY p.id ORDER BY p.name
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


def load_rounds(database: Reader) -> list[Round]:
    rows = read(database, "SELECT id, base, games, sealed, opens, closes, published FROM rounds ORDER BY opens, id")
    return [Round(row.id, row.base, row.games, bool(row.sealed), *row[4:]) for row in rows]


def find_round(database: Reader, name: str) -> Round:
    """Raise RoundError if there is no such round."""
    rounds = {each.id: each for each in load_rounds(database)}
    if name not in rounds:
        close = get_close_matches(name, rounds, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(rounds) or 'none'}"
        raise RoundError(f"there is no round {name!r:.50}; {hint}")
    return rounds[name]


def load_entrants(database: Reader) -> set[tuple[str, int]]:
    return set(map(tuple, read(database, "SELECT round, player FROM entrants WHERE excluded IS NULL")))


def load_entered(database: Reader) -> set[tuple[str, int]]:
    """Return the round and the player of each who began to play in a round that is not over."""
    return set(map(tuple, read(database, _ENTERED)))


def load_round_games(database: Reader, name: str, curve: str | None) -> list[RoundGames]:
    """Return the games by entrant, from the derived file; scores are luck-adjusted if the hash ``curve`` is given."""
    rows = read(database, _GAMES, curve=curve, round=name)
    return [RoundGames._make((*row[:-1], orjson.loads(row.scores))) for row in rows]


def open_round(database: Database, wanted: Round, names: Sequence[str] | None) -> int:
    """Store a round with these entrants, or all players but guests, banned and hidden ones; return their number."""
    with database.changing() as connection:
        used = text("SELECT 1 FROM rounds WHERE id = :id UNION SELECT 1 FROM matches WHERE ladder = :id")
        if connection.execute(used, {"id": wanted.id}).first() is not None:
            raise RoundError(f"the id {wanted.id} is in use; give the round another one")
        connection.execute(insert(tables.rounds).values(**asdict(wanted)))
        if names is None:
            possible = f"SELECT name {_POSSIBLE} AND id NOT IN (SELECT player FROM ({BANS}) AS bans)"  # noqa: S608 - of constants
            names = connection.execute(text(possible)).scalars().all()
        return _admit(connection, wanted.id, names, wanted.opens)


def load_change(database: Reader, played: Round) -> int | None:
    """Return when the operator last changed the results of a round that was over, in Unix milliseconds."""
    changed = played.published and read_value(database, _CHANGED, after=played.published, round=played.id)
    return None if changed is None else int(changed)


def admit(database: Database, name: str, players: Sequence[str], at: int, *, with_new: bool = True) -> int:
    """Admit entrants to a round, also ones who were excluded. Raises UnknownPlayerError, or RoundError for new ones."""
    with database.changing() as connection:
        theirs = select(_entrants.player).where(_entrants.round == name)
        entered = set(connection.execute(theirs).scalars())
        for player in () if with_new else players:
            if not entered.issuperset(find_players(connection, [player], _POSSIBLE)):
                raise RoundError(f"{name} is closed, and {player} is no entrant; nobody can enter any more")
        return _admit(connection, name, players, at)


def exclude(database: Database, name: str, player: str, reason: str, at: int) -> None:
    """Leave an entrant out of the results, with a reason that is shown. Raises UnknownPlayerError or RoundError."""
    with database.changing() as connection:
        (number,) = find_players(connection, [player], _POSSIBLE)
        theirs = (_entrants.round == name) & (_entrants.player == number)
        if not connection.execute(update(tables.entrants).where(theirs).values(excluded=reason)).rowcount:
            raise RoundError(f"{player} is no entrant of {name}")
        note_act(connection, "exclude", number, at, name)


def set_closing(database: Database, name: str, closes: int) -> None:
    with database.changing() as connection:
        connection.execute(update(tables.rounds).where(tables.rounds.c.id == name).values(closes=closes))


def publish_round(database: Database, name: str, now: int) -> bool:
    """Note that the round is over, and return True, unless a match of it is open."""
    with database.changing() as connection:
        return bool(connection.execute(_PUBLISH, {"now": now, "round": name}).rowcount)


def _admit(connection: Connection, name: str, players: Sequence[str], at: int) -> int:
    excluded = set(connection.execute(_EXCLUDED, {"round": name}).scalars())
    for number in find_players(connection, players, _POSSIBLE):
        connection.execute(_ADMIT, {"round": name, "player": number})
        if number in excluded:
            note_act(connection, "admit", number, at, name)
    return len(set(players))
