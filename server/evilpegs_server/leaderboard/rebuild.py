"""The rows of the table `games`, computed again from the events and compared with the stored rows.

Their values follow from the events, except for the client's nonce: it is stored before any event shows it, and is not
compared or changed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from sqlalchemy import Connection, Engine, select, update

from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.luck.game_luck import ValueCurve
from evilpegs_server.leaderboard.luck import ladder_curve
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.tables import events, games, matches
from evilpegs_server.work.tasks import measure_luck

MATCHES: Final = 200  # per transaction


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The columns of `games` that follow from events; all None if no event says that the game is over."""

    outcome: str | None = None
    guesses: int | None = None
    elapsed_ms: int | None = None
    times_ms: str | None = None
    luck: int | None = None
    curve: str | None = None


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A column ``name`` of a game whose stored value differs from the computed one."""

    match: str
    game: int
    name: str
    stored: str | int | None
    computed: str | int | None

    @property
    def is_missing(self) -> bool:
        """True if the column is null or the game has no row."""
        return self.stored is None


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The number of games whose rows were computed, their differences, and the matches with unreadable events."""

    games: int
    differences: list[RowDifference]
    unreadable: list[str]


def rebuild_games(
    engine: Engine, ladders: Mapping[str, Ladder], *, write: bool, progress: Callable[[int, int], None]
) -> Iterator[Rebuilt]:
    """Compute the rows of all finished games again, and yield a result for each `MATCHES` matches.

    With ``write``, computed values replace stored values that differ. Luck that cannot be measured is not compared or
    changed. ``progress`` gets the number of matches done and of all matches.
    """
    with engine.connect() as connection:
        numbers = list(connection.execute(select(matches.c.number).order_by(matches.c.number)).scalars())
    live_sets = LiveSets()
    for start in range(0, len(numbers), MATCHES):
        chunk = numbers[start : start + MATCHES]
        with engine.begin() as connection:
            rebuilt = [_rebuild_match(connection, number, ladders, live_sets, write=write) for number in chunk]
        yield Rebuilt(
            sum(each.games for each in rebuilt),
            [difference for each in rebuilt for difference in each.differences],
            [match for each in rebuilt for match in each.unreadable],
        )
        progress(min(start + MATCHES, len(numbers)), len(numbers))


def _rebuild_match(
    connection: Connection, number: int, ladders: Mapping[str, Ladder], live_sets: LiveSets, *, write: bool
) -> Rebuilt:
    match = connection.execute(select(matches.c.id, matches.c.ladder).where(matches.c.number == number)).one()
    ladder = ladders.get(match.ladder)
    stored = {row.game: row for row in connection.execute(select(games).where(games.c.match == number))}
    try:
        computed = _computed_facts(connection, number, ladder, live_sets)
    except (ValueError, KeyError, TypeError):
        return Rebuilt(0, [], [match.id])
    for game, row in stored.items():
        if row.outcome is not None:
            computed.setdefault(game, GameFacts())  # no event says that it is over
    differences = [
        RowDifference(
            match.id, game, field.name, getattr(stored.get(game), field.name, None), getattr(facts, field.name)
        )
        for game, facts in computed.items()
        for field in fields(GameFacts)
        if _differs(facts, stored.get(game), field.name)
    ]
    if write:
        for game in {difference.game for difference in differences}:
            _store(connection, number, game, computed[game], is_new=game not in stored)
    return Rebuilt(len(computed), differences, [])


def _differs(facts: GameFacts, row: Any, name: str) -> bool:
    # luck that cannot be measured is not compared
    if facts.curve is None and name in {"luck", "curve"}:
        return False
    return bool(getattr(row, name, None) != getattr(facts, name))


def _computed_facts(
    connection: Connection, number: int, ladder: Ladder | None, live_sets: LiveSets
) -> dict[int, GameFacts]:
    texts = connection.execute(
        select(events.c.json)
        .where(events.c.match == number, events.c.type.in_(["feedback", "game_over"]))
        .order_by(events.c.seq)
    ).scalars()
    turns: dict[int, list[dict[str, Any]]] = {}
    overs: dict[int, dict[str, Any]] = {}
    for event in map(json.loads, texts):
        if event["type"] == "game_over":
            overs[event["game"]] = event
        else:
            turns.setdefault(event["game"], []).append(event)
    return {game: _facts(over, turns.get(game, []), ladder, live_sets) for game, over in overs.items()}


def _facts(over: dict[str, Any], turns: list[dict[str, Any]], ladder: Ladder | None, live_sets: LiveSets) -> GameFacts:
    curve = None if ladder is None or over["outcome"] == "void" else ladder_curve(ladder)
    luck = None if curve is None or ladder is None else _luck(turns, ladder, curve, live_sets)
    return GameFacts(
        outcome=over["outcome"],
        guesses=over["guesses"],
        elapsed_ms=over["elapsed_ms"],
        times_ms=",".join(str(turn["took_ms"]) for turn in turns),
        luck=luck,
        curve=None if luck is None or curve is None else curve.hash,
    )


def _luck(turns: list[dict[str, Any]], ladder: Ladder, curve: ValueCurve, live_sets: LiveSets) -> int | None:
    written = ((turn["code"], turn["black"], turn["white"]) for turn in turns)
    return measure_luck(ladder.rules, written, curve, live_sets)


def _store(connection: Connection, number: int, game: int, facts: GameFacts, *, is_new: bool) -> None:
    values = {field.name: getattr(facts, field.name) for field in fields(GameFacts)}
    if facts.curve is None:
        del values["luck"], values["curve"]
    if is_new:
        connection.execute(games.insert().values(match=number, game=game, **values))
    else:
        connection.execute(update(games).where(games.c.match == number, games.c.game == game).values(**values))
