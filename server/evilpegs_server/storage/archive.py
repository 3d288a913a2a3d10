"""Functions that read players, matches with their event logs, and results from the database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, exists, func, select

from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.players import Player, PlayerKind, Players
from evilpegs_server.storage.tables import cursors, events, games, matches, players


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as stored in the database.

    ``id``, ``player`` and ``ladder`` are the ids of the match, its player and its ladder. ``seed`` is the secret seed
    from which the server's nonces follow. ``entries`` has the entries of the event log, oldest first. ``client_nonces``
    maps the number of each game that has begun or is over, from 1, to the nonce that the client gave, or to None if the
    client gave none.
    """

    id: str
    player: int
    ladder: str
    seed: bytes = field(repr=False)
    over: bool
    entries: list[LogEntry]
    client_nonces: Mapping[int, str | None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The result of a finished match.

    ``match`` is the id of the match. ``started`` and ``over`` are the JSON texts of the first and the last event of the
    match, `match_started` and `match_over`.
    """

    match: str
    event: int
    """The id of the event `match_over`."""
    started: str
    over: str


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of results of finished matches, in the order in which the results were stored.

    The next page begins after the event with the id ``last_event``. ``is_last`` is True if the page is not full: then
    no further results were stored when the page was read, and ``last_event`` may be an event after the last result.
    """

    results: list[StoredResult]
    last_event: int
    is_last: bool


def load_players(engine: Engine, lapsed_before: int | None = None) -> Players:
    """Return all players who ever claimed a name, and the guests who have an open match.

    Other guests are loaded only when they return, because most never do. Players who claimed their name before
    ``lapsed_before``, in Unix milliseconds, and never began a match are left out: the name stays reserved, but the
    token is forgotten. If ``lapsed_before`` is None, nobody is left out.
    """
    loaded = Players()
    open_matches = select(matches.c.player).where(~matches.c.over)
    wanted = select(players).where((players.c.kind != "guest") | players.c.id.in_(open_matches))
    with engine.connect() as connection:
        for row in connection.execute(wanted):
            loaded.add(_player(row), row.token_hash)
        loaded.skip_ids(connection.execute(select(func.max(players.c.id))).scalar() or 0)
    for token_hash in [] if lapsed_before is None else lapsed_tokens(engine, lapsed_before):
        loaded.lapse(token_hash)
    return loaded


def load_player(engine: Engine, token_hash: str) -> Player | None:
    """Return the stored player whose token has the hash ``token_hash``, or None if there is none."""
    with engine.connect() as connection:
        row = connection.execute(select(players).where(players.c.token_hash == token_hash)).one_or_none()
    return None if row is None else _player(row)


def lapsed_tokens(engine: Engine, before: int) -> list[str]:
    """Return the token hashes of all players who claimed their name before ``before`` and never began a match.

    ``before`` is in Unix milliseconds. Guests are left out.
    """
    query = select(players.c.token_hash).where(
        players.c.kind != "guest",
        players.c.created_at < before,
        ~exists().where(matches.c.player == players.c.id),
    )
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def _player(row: Any) -> Player:
    kind: PlayerKind = row.kind
    return Player(row.id, row.name, kind)


def load_open_matches(
    engine: Engine, skip: Callable[[str, DatabaseUnusableError], None] | None = None
) -> list[StoredMatch]:
    """Return every match that is not over, in no particular order.

    ``skip`` is called with the id and the error of each match whose events cannot be read; these matches are left out.

    Raises:
        DatabaseUnusableError: a match cannot be read and ``skip`` is None.
    """
    stored = []
    with engine.connect() as connection:
        for row in connection.execute(select(matches).where(~matches.c.over)).all():
            try:
                stored.append(_stored_match(connection, row))
            except DatabaseUnusableError as error:
                if skip is None:
                    raise
                skip(row.id, error)
    return stored


def load_match(engine: Engine, match: str) -> StoredMatch | None:
    """Return the match with the id ``match``, or None if there is none."""
    with engine.connect() as connection:
        row = connection.execute(select(matches).where(matches.c.id == match)).one_or_none()
        return None if row is None else _stored_match(connection, row)


def load_results_after(engine: Engine, event: int, limit: int) -> ResultPage:
    """Return a page of at most ``limit`` results of matches, the first that were stored after the event ``event``.

    ``event`` is the id of an event, or 0 for a page that begins with the first of all results.
    """
    started = events.alias("started")
    query = (
        select(events.c.id, matches.c.id.label("match_id"), started.c.json.label("started"), events.c.json)
        .join(matches, matches.c.number == events.c.match)
        .join(started, (started.c.match == events.c.match) & (started.c.seq == 1))
        .where(events.c.id > event, events.c.type == "match_over")
        .order_by(events.c.id)
        .limit(limit)
    )
    with engine.connect() as connection:
        newest: int = connection.execute(select(func.max(events.c.id))).scalar() or 0
        rows = connection.execute(query.where(events.c.id <= newest)).all()
    results = [StoredResult(row.match_id, row.id, row.started, row.json) for row in rows]
    is_last = len(rows) < limit
    return ResultPage(results, max(event, newest) if is_last else rows[-1].id, is_last)


def load_last_event_id(engine: Engine) -> int:
    """Return the id of the event that was stored last, or 0 if there is none."""
    with engine.connect() as connection:
        return connection.execute(select(func.max(events.c.id))).scalar() or 0


def load_cursor(engine: Engine, reader: str) -> int | None:
    """Return the id of the last event that ``reader`` has processed, or None if no id is stored for the reader.

    ``reader`` is the name of a part of the server that follows the event log.
    """
    with engine.connect() as connection:
        return connection.execute(select(cursors.c.event).where(cursors.c.reader == reader)).scalar()


def match_ids_with_prefix(engine: Engine, prefix: str) -> list[str]:
    """Return the ids of at most ten matches whose ids begin with ``prefix``, in no particular order."""
    query = select(matches.c.id).where(matches.c.id.startswith(prefix, autoescape=True)).limit(10)
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def newest_match_ids(engine: Engine, count: int) -> list[str]:
    """Return the ids of the ``count`` matches that began last, newest first."""
    query = select(matches.c.id).order_by(matches.c.started_at.desc(), matches.c.id).limit(count)
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def _stored_match(connection: Connection, row: Any) -> StoredMatch:
    rows = connection.execute(select(events).where(events.c.match == row.number).order_by(events.c.seq))
    entries = [_log_entry(row) for row in rows]
    begun = connection.execute(select(games.c.game, games.c.client_nonce).where(games.c.match == row.number))
    nonces = {game: nonce for game, nonce in begun}  # noqa: C416 - rows are not pairs
    return StoredMatch(row.id, row.player, row.ladder, row.seed, row.over, entries, nonces)


def _log_entry(row: Any) -> LogEntry:
    return LogEntry(row.seq, row.at, row.type, row.json, row.hash)
