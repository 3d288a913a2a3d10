"""The results of a database that a test fills."""

import weakref

from sqlalchemy import event

from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.derived.games import END_OF_TIME
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.timing import Timing

_FILES = weakref.WeakKeyDictionary()


def derived_of(engine):
    """Return the derived file of a database, one per engine, with the results of all its events."""
    if engine not in _FILES:
        _FILES[engine] = DerivedFile(f"sqlite:///{engine.file}")
        event.listen(engine.engine, "engine_disposed", lambda _: _FILES.pop(engine).close(), once=True)
    _FILES[engine].follow(load_last_event_id(engine))
    return _FILES[engine]


def live_leaderboards(engine, ladders, log, until=END_OF_TIME):
    """Return leaderboards that count at once what is stored when they are told to."""
    return LiveLeaderboards(
        derived_of(engine), ladders, log, lambda: load_last_event_id(engine), Timing(count_seconds=0.0), until
    )
