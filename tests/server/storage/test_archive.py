"""Players, matches and records are read back as they were written."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.fields import Program
from evilpegs_server.match.events import GuessAnswered
from evilpegs_server.match.match import Match
from evilpegs_server.play.recovery import facts_from_events
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Recorder
from evilpegs_server.replies.codemaking import Reply
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log import writes
from evilpegs_server.storage.log.archive import (
    load_last_event_id,
    load_match,
    load_open_matches,
    load_players,
    newest_match_ids,
)
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.log.writer import Writer
from support.examples import share
from support.match_states import durable_state
from support.stores import store_for

DATABASES = ("sqlite", "postgresql")

ANN, BOB = Player(1, "ann", "bot"), Player(2, "bob-2", "human")
SEED = bytes(range(32))
CLIENT = Program(name="minimax", version="1.0")


class Store:
    """A database to which a test writes; each call waits until its writes are committed."""

    def __init__(self, engine):
        self.engine = engine

    def __call__(self, *written):
        errors = []
        writer = Writer(store_for(self.engine), lambda report: report())
        writer.submit(written, errors.append)
        writer.start()
        writer.close()
        assert errors == [None]

    def open(self, match, at=5, player=ANN, ladder="tiny"):
        self(writes.insert_match(match, player, CLIENT, ladder, SEED, at))


@pytest.fixture
def store(engine):
    """Return a store with the players Ann and Bob."""
    store = Store(engine)
    store(writes.insert_player(ANN, "aa" * 32, 100), writes.insert_player(BOB, "bb" * 32, 200))
    return store


def written(driver, match, client_program):
    """Return the record of a match and every write that belongs to it."""
    event_log = EventLog(match)
    recorder = Recorder(MatchKey(match, driver.match.ladder, SEED), event_log, lambda: 9)
    changes = [recorder.open([], "ann", client_program)]
    for fact in driver.facts:
        reply = Reply(fact.feedback) if isinstance(fact, GuessAnswered) else None
        changes.append(recorder.record([fact], reply))
    return event_log, [write for each in changes for write in writes.store_changes(match, each)]


def test_load_players_restores_claimed_players(store):
    players = load_players(store.engine)
    assert len(players) == 2
    assert players.new_player("carl", "bot").id == 3
    with store.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM players ORDER BY id").all()
    assert [tuple(row) for row in rows] == [
        (1, "ann", "AM", "bot", "aa" * 32, 100),
        (2, "bob-2", "BOBZ", "human", "bb" * 32, 200),
    ]


@settings(max_examples=share(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_load_match_restores_any_match(tmp_path_factory, make_database, random_matches, client_program, data):
    driver = data.draw(random_matches)
    make_database(url := f"sqlite:///{tmp_path_factory.mktemp('match') / 'evilpegs.sqlite3'}")
    engine = open_database(url)
    store = Store(engine)
    store(writes.insert_player(ANN, "aa" * 32, 100))
    store.open("00112233445566aa")
    event_log, to_write = written(driver, "00112233445566aa", client_program)
    for write in to_write:
        store(write)
    stored = load_match(engine, event_log.match)
    engine.dispose()
    assert (stored.player, stored.ladder, stored.seed, stored.over) == (1, "tiny", SEED, driver.match.over)
    assert stored.entries == event_log.entries
    events = [decode_record_event(entry.text) for entry in stored.entries]
    rebuilt = Match.from_facts(
        driver.match.ladder, facts_from_events(driver.match.ladder, events, stored.client_nonces)
    )
    if not driver.match.over:
        assert durable_state(rebuilt) == durable_state(driver.match)
    assert rebuilt.over == driver.match.over


def test_begun_games_keep_the_nonces_of_clients(store, new_match, client_program):
    driver = new_match()
    driver.begin("mine")
    driver.wait(700).answer("11")
    driver.do("resign", 1)
    driver.begin()
    store.open("00112233445566aa")
    store(*written(driver, "00112233445566aa", client_program)[1])
    assert load_match(store.engine, "00112233445566aa").client_nonces == {1: "mine", 2: None}


def test_load_open_matches_skips_finished_matches(store):
    for match in ("a" * 16, "b" * 16):
        store.open(match)
    store(writes.finish_match("a" * 16))
    assert [stored.id for stored in load_open_matches(store.engine)] == ["b" * 16]
    assert load_match(store.engine, "a" * 16).over


def test_load_match_returns_none_for_unknown_id(store):
    assert load_match(store.engine, "f" * 16) is None


def test_stored_match_repr_hides_secrets(store):
    store.open("a" * 16)
    store(writes.begin_game("a" * 16, 1, 0, "client-nonce"))
    text = repr(load_match(store.engine, "a" * 16))
    assert repr(SEED) not in text
    assert "client-nonce" not in text


def test_matches_are_found_by_prefix_and_age(store):
    for number in range(12):
        store.open(f"a{number:x}".ljust(16, "0"), at=number)
    store.open("b" * 16, at=99)
    assert newest_match_ids(store.engine, "b", 10, with_sealed=False) == ["b" * 16]
    assert len(newest_match_ids(store.engine, "a", 10, with_sealed=False)) == 10
    assert newest_match_ids(store.engine, "%", 10, with_sealed=False) == []
    assert newest_match_ids(store.engine, "", 2, with_sealed=False) == ["b" * 16, "ab".ljust(16, "0")]


def log_entries(match, *texts):
    """Return entries of an event log with these texts, numbered from 1."""
    event_log = EventLog(match)
    return [event_log.append_text(5, "feedback", text) for text in texts]


@pytest.mark.sqlite
def test_events_of_all_matches_follow_in_stored_order(store):
    for match in ("a" * 16, "b" * 16):
        store.open(match, ladder=f"tiny-{match[0]}")
    first, second = log_entries("a" * 16, "one", "three")
    store(writes.insert_events("a" * 16, [first]))
    store(writes.insert_events("b" * 16, log_entries("b" * 16, "two")))
    store(writes.insert_events("a" * 16, [second]))
    assert stored_texts(store.engine) == [(1, "one"), (2, "two"), (3, "three")]
    assert load_last_event_id(store.engine) == 3


@pytest.mark.sqlite
def test_vacuum_keeps_event_ids(store):
    store.open("a" * 16)
    store(writes.insert_events("a" * 16, log_entries("a" * 16, "one", "two", "three")))
    with store.engine.connect() as connection:
        connection.exec_driver_sql("DELETE FROM events WHERE json = 'two'")
        connection.commit()
        connection.exec_driver_sql("VACUUM")
    assert stored_texts(store.engine) == [(1, "one"), (3, "three")]


def stored_texts(engine):
    """Return the id and the text of every event, in the order of ids."""
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT id, json FROM events ORDER BY id")
        return [tuple(row) for row in rows]
