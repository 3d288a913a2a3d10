"""A mirror has what the database has, in the order of each match, whatever nodes, dumps and kills do meanwhile."""

import random
import threading

import pytest
import structlog
from sqlalchemy import text

from evilpegs_server.storage.copies import mirror
from evilpegs_server.storage.copies.backup import check_database
from evilpegs_server.storage.copies.load import copy_to_postgres
from evilpegs_server.storage.copies.mirror import LocalCopy, Mirror
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.engines.postgres import PostgresDatabase
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.log import acts, rounds, writes
from evilpegs_server.storage.log.archive import load_last_event_id, load_log_id
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.queries import read, read_value
from support.matches import TINY
from support.nodes import Nodes
from support.stored_matches import ADMITTED_AT, PLAYERS, StoredPlay, store, store_players

TABLES = {
    "players": "id, name, skeleton, kind, token_hash, created_at",
    "matches": "number, id, player, ladder, seed, started_at, over, client",
    "begun": "match, game, at, client_nonce",
    "luck": "match, game, luck, curve",
    "acts": "id, at, act, player, reason",
    "hidden": "player",
    "ladders": "id, json",
    "rounds": "id, base, games, sealed, opens, closes, published",
    "entrants": "round, player, excluded",
}
EVENTS = "match, seq, at, type, json, hash"


def rows(engine, table, columns=None):
    found = read(engine, f"SELECT {columns or TABLES[table]} FROM {table}")
    return sorted((tuple(bytes(x) if isinstance(x, memoryview) else x for x in row) for row in found), key=repr)


def content(engine):
    """Return the rows of all tables, without the numbers of events."""
    return {table: rows(engine, table) for table in TABLES} | {"events": rows(engine, "events", EVENTS)}


@pytest.fixture
def nodes(postgres_url):
    """Nodes on a new database with three players."""
    nodes = Nodes(postgres_url)
    for each in PLAYERS.values():
        nodes.write("a", [writes.insert_player(each, f"{each.id:064x}", ADMITTED_AT)])
    yield nodes
    nodes.close()


class Following:
    """The mirror of a database in a file; another call ends it, and begins the next."""

    def __init__(self, file):
        self._file, self._open = file, []

    def __call__(self, url, file=None, **options):
        self.close()
        mirrored = Mirror(url, file or self._file, **options)
        self._open.append(mirrored.close)
        return mirrored

    def close(self):
        while self._open:
            self._open.pop()()


@pytest.fixture
def follow(tmp_path):
    """Open a mirror of a database in a file."""
    following = Following(tmp_path / "copy.sqlite3")
    yield following
    following.close()


def finish(mirror):
    while not mirror.catch_up():
        pass


@pytest.fixture
def copy(tmp_path):
    """Open the copy."""
    opened = []

    def copy(file=tmp_path / "copy.sqlite3"):
        opened.append(open_database(f"sqlite:///{file}"))
        return opened[-1]

    yield copy
    for engine in opened:
        engine.dispose()


def ids(engine):
    return read(engine, "SELECT m.id, seq, e.id FROM events AS e JOIN matches AS m ON m.number = match ORDER BY e.id")


def assert_in_order(engine):
    seen = {}
    for match, seq, _ in ids(engine):
        assert seq == seen.get(match, 0) + 1
        seen[match] = seq


@pytest.fixture
def played(engine):
    """A database in a file with matches, one of them open, acts, a round, and a forgotten player."""
    store_players(engine)
    store(engine, *StoredPlay(1, TINY).play(("solved", [30, 4]), ("resigned", [])))
    store(engine, *StoredPlay(2, TINY, "eve").play(("solved", [7])))
    store(engine, *StoredPlay(3, TINY, "bob").play(("solved", [7]))[:2])
    store(engine, [writes.begin_game(f"{3:016x}", 1, 5, "ab" * 32)])
    acts.add_players(engine, {"zoe": "t" * 64}, "human", 200)
    acts.rename_player(engine, "ann", "anna", 300)
    rounds.open_round(engine, rounds.Round("friday", "classic", 9, True, 1, None, None), ["zoe", "anna"])
    rounds.exclude(engine, "friday", "zoe", "late", 350)
    acts.act_on_player(engine, "hide", "bob", 400, "why")
    acts.forget_player(engine, "eve", 500, with_open=True)
    return engine


def test_copy_to_postgres_and_back(played, database, postgres_cluster, follow, copy):
    url = postgres_cluster.create()
    copy_to_postgres(database, url, lambda *_: None)
    there = PostgresDatabase.open(url)
    assert content(there) == content(played)
    assert read(there, "SELECT id, epoch FROM owners JOIN matches ON number = match") == [(f"{3:016x}", 1)]
    there.dispose()
    finish(follow(url))
    back = copy()
    assert content(back) == content(played)
    assert ids(back) == ids(played) != []
    for fact in (load_log_id, load_last_event_id):
        assert fact(back) == fact(played)
    assert check_database("sqlite:///" + str(back.file), lambda *_: None).sound


def play_on(nodes, rng, count=6, names=("a", "b", "c")):
    """Let the nodes play ``count`` matches at the same time, each of which often moves between them."""
    waiting = {}
    for number in range(1, count + 1):
        player = rng.choice(sorted(PLAYERS))
        play = StoredPlay(number, TINY, player, at=rng.randrange(1_000, 1_100))
        waiting[play.log.match] = (play, play.play(*[("solved", [3, 4, 5])] * rng.randrange(1, 4)))
    owners = {}
    while waiting:
        match = rng.choice(sorted(waiting))
        play, steps = waiting[match]
        node = rng.choice(names)
        if owners.setdefault(match, node) != node and match in owners:
            nodes.move(play, node)
            owners[match] = node
        nodes.write(node, steps.pop(0))
        if not steps:
            del waiting[match]


@pytest.mark.parametrize("batch", [2, 7])
def test_matches_that_move_between_nodes(nodes, follow, copy, monkeypatch, batch):
    """Small batches cut the events of one node off while those of another wait for them."""
    monkeypatch.setattr(mirror, "EVENTS", batch)
    rng = random.Random(batch)
    mirrored, copied = follow(nodes.url), copy()
    play_on(nodes, rng)
    while not mirrored.catch_up():
        assert_in_order(copied)
    assert_in_order(copied)
    assert content(copied) == content(nodes.engine)
    assert read_value(copied, "SELECT count(*) FROM matches WHERE NOT over") == 0
    assert check_database(f"sqlite:///{copied.file}", lambda *_: None).sound


def test_each_look_while_nodes_play(nodes, follow, copy):
    """Whoever follows the ids of the copy sees each event once and in order."""
    mirrored, copied, seen = follow(nodes.url), copy(), []
    write = nodes.write

    def write_and_look(*args):
        write(*args)
        finish(mirrored)
        last = seen[-1][2] if seen else 0
        seen.extend(row for row in ids(copied) if row[2] > last)

    nodes.write = write_and_look
    play_on(nodes, random.Random(1), count=3)
    assert [row[:2] for row in seen] == [row[:2] for row in ids(copied)]
    assert content(copied) == content(nodes.engine)


def test_events_committed_out_of_order(nodes, follow, copy):
    """The event with the earlier time is committed after the other one; a cursor on the time misses it."""
    early, late = StoredPlay(1, TINY, at=1_000), StoredPlay(2, TINY, "bob", at=2_000)
    nodes.write("a", early.start())
    nodes.write("b", late.start())
    mirrored, copied = follow(nodes.url), copy()
    finish(mirrored)
    by_time = {row.hash: row.at for row in read(nodes.engine, "SELECT hash, at FROM events")}

    def look_by_time():
        query = "SELECT hash, at FROM events WHERE at > :last"
        by_time.update(map(tuple, read(nodes.engine, query, last=max(by_time.values()))))

    early.at, late.at = 3_000, 4_000
    (first,), (second,) = early.guess(1, 1, 5), late.guess(1, 1, 5)
    with nodes.engine.begin() as slow:  # a statement of the node a that takes long
        slow.execute(text("UPDATE nodes SET written = written + 1 WHERE name = 'a'"))
        (entry,) = first.rows
        event = "INSERT INTO events SELECT number, :seq, :at, :type, :json, :hash, 'a', 2 FROM matches WHERE id = :id"
        slow.execute(text(event), dict(zip(("id", "seq", "at", "type", "json", "hash"), entry, strict=True)))
        nodes.write("b", [second])
        finish(mirrored)
        look_by_time()
    finish(mirrored)
    look_by_time()
    assert rows(copied, "events", "hash") == rows(nodes.engine, "events", "hash")
    assert len(ids(copied)) == 4
    assert len(by_time) == 3  # the control


def test_mirror_goes_on_after_a_kill(nodes, follow, copy, monkeypatch):
    """Each batch and its place are stored together, wherever the process ends."""
    monkeypatch.setattr(mirror, "EVENTS", 6)
    play_on(nodes, random.Random(2), count=4)
    store_events, kills = mirror.rows_of.store_events, iter([True, False] * 100)

    def fail_after(target, events):
        store_events(target, events)
        if next(kills):
            raise KeyboardInterrupt

    monkeypatch.setattr(mirror.rows_of, "store_events", fail_after)
    is_whole = deaths = False
    while not is_whole:
        mirrored = follow(nodes.url)
        try:
            is_whole = mirrored.catch_up()
        except KeyboardInterrupt:
            deaths += 1
    assert deaths > 3
    copied = copy()
    assert_in_order(copied)
    assert content(copied) == content(nodes.engine)


def test_acts_are_followed(nodes, follow, copy):
    nodes.play("a", StoredPlay(1, TINY).play(("solved", [1])))
    nodes.play("b", StoredPlay(2, TINY, "eve").play(("solved", [1])))
    clock = iter(range(0, 10_000, 2))
    mirrored, copied = follow(nodes.url, now=lambda: next(clock)), copy()
    finish(mirrored)
    there = nodes.engine
    for act in (
        lambda: acts.rename_player(there, "ann", "anna", 1),
        lambda: acts.rename_player(there, "bob", "robert", 2),
        lambda: acts.replace_token(there, "eve", "t" * 64, 3),
        lambda: acts.act_on_player(there, "hide", "eve", 4),
        lambda: acts.act_on_player(there, "show", "eve", 5),
        lambda: acts.set_registration(there, 6, is_open=False),
        lambda: acts.add_players(there, {"zoe": "z" * 64}, "bot", 7),
        lambda: rounds.open_round(there, rounds.Round("friday", "classic", 9, True, 1, None, None), ["zoe"]),
        lambda: rounds.exclude(there, "friday", "zoe", "late", 350),
        lambda: rounds.publish_round(there, "friday", 9),
        lambda: nodes.change("INSERT INTO ladders (id, json) VALUES ('own', '{}')"),
        lambda: acts.forget_player(there, "eve", 10, with_open=True),
        lambda: nodes.write("b", [writes.insert_player(Player(9, "eve", "bot"), "e" * 64, 5)]),
    ):
        act()
        finish(mirrored)
        assert content(copied) == content(there)
    assert load_last_event_id(copied) == 8


def test_names_that_change_places(nodes, follow, copy):
    mirrored, copied = follow(nodes.url), copy()
    finish(mirrored)
    for old, new in (("ann", "other"), ("bob", "rob"), ("rob", "bobby")):
        acts.rename_player(nodes.engine, old, new, 1)
    nodes.change("UPDATE players SET name = 'ann', skeleton = 'ann' WHERE id = 2")
    finish(mirrored)
    assert rows(copied, "players") == rows(nodes.engine, "players")


def test_round_is_sealed_before_its_first_event(nodes, follow, copy):
    """A look that copies an event has the round that seals it, also between two whole looks."""
    mirrored, copied = follow(nodes.url, now=lambda: 0), copy()
    finish(mirrored)
    nodes.change("INSERT INTO rounds VALUES ('tiny', 'classic', 2, true, 1, NULL, NULL)")
    nodes.write("a", [writes.insert_player(PLAYERS["ann"], "a" * 64, ADMITTED_AT)])
    nodes.change("INSERT INTO entrants SELECT 'tiny', id FROM players")
    nodes.write("a", StoredPlay(1, TINY).start())
    assert mirrored.catch_up()
    assert (len(ids(copied)), read_value(copied, "SELECT sealed FROM rounds")) == (1, 1)


def test_players_and_games_without_events(nodes, follow, copy):
    play = StoredPlay(1, TINY)
    nodes.write("a", play.start())
    time = [0]
    mirrored, copied = follow(nodes.url, now=lambda: time[0]), copy()
    finish(mirrored)
    nodes.write("b", [writes.insert_player(Player(7, "zoe", "human"), "7" * 64, ADMITTED_AT - 50_000)])
    nodes.write("a", [writes.begin_game(play.log.match, 1, 5, None)])
    nodes.change("UPDATE matches SET over = true")
    assert mirrored.catch_up()
    assert content(copied) != content(nodes.engine)
    time[0] += mirror.FULL_SECONDS
    assert mirrored.catch_up()
    assert content(copied) == content(nodes.engine)


@pytest.fixture
def dumped(nodes, follow, postgres_cluster):
    """Dump the database in its state of now; return the URL of where it is restored."""

    def dumped():
        follow.close()
        nodes.close()
        nodes.stores.clear()
        return postgres_cluster.create(of=nodes.url)

    return dumped


@pytest.fixture
def elsewhere():
    """Nodes on another database."""
    opened = []

    def elsewhere(url):
        opened.append(Nodes(url))
        return opened[-1]

    yield elsewhere
    for each in opened:
        each.close()


def test_restored_dump_is_followed_on(nodes, follow, copy, dumped, elsewhere):
    play_on(nodes, random.Random(3), count=4)
    finish(follow(nodes.url))
    restored = elsewhere(dumped())
    before = ids(copy())
    restored.play("a", StoredPlay(50, TINY).play(("solved", [1])))
    finish(mirrored := follow(restored.url))
    assert mirrored.places.gone == 0
    assert ids(copy())[: len(before)] == before
    assert content(copy()) == content(restored.engine)


@pytest.mark.parametrize("later", ["nothing", "one event", "as many events", "another node", "an act", "another log"])
def test_restored_older_dump_is_noticed(nodes, follow, copy, dumped, elsewhere, later):
    """What the copy has is no longer what the database has, whatever was written since."""
    play_on(nodes, random.Random(4), count=3, names=("a",))
    acts.set_registration(nodes.engine, 1, is_open=True)
    restored = elsewhere(dumped())
    if later == "an act":
        acts.set_registration(nodes.engine, 2, is_open=False)
        acts.set_registration(restored.engine, 3, is_open=False)
    else:
        nodes.play("c" if later == "another node" else "a", StoredPlay(50, TINY).play(("solved", [1, 2, 3])))
    finish(follow(nodes.url))
    had = load_last_event_id(copy())
    if later == "another log":
        restored.change("UPDATE log SET id = 'another'")
    elif later != "nothing":
        other = StoredPlay(51, TINY, "bob").play(("solved", [1, 2, 3, 4]))
        restored.play("a", other[:1] if later == "one event" else other)
    with structlog.testing.capture_logs() as lines:
        finish(mirrored := follow(restored.url, log=structlog.get_logger()))
    assert [line["log_level"] for line in lines] == ["warning"]
    assert content(copy()) == content(restored.engine)
    assert_in_order(copy())
    assert (mirrored.places.gone, min(row[2] for row in ids(copy()))) == (had, had + 1)
    assert load_log_id(copy()) == load_log_id(restored.engine)


def test_file_is_followed(played, database, follow, copy):
    """While a server writes, with the ids that it gives."""
    mirrored, copied = follow(database, now=iter(range(0, 10_000, 2)).__next__), copy()
    finish(mirrored)
    assert (content(copied), ids(copied)) == (content(played), ids(played))
    store(played, *StoredPlay(9, TINY, "bob").play(("solved", [1])))
    finish(mirrored)
    acts.forget_player(played, "bob", 600, with_open=True)
    finish(mirrored)
    store(played, *StoredPlay(8, TINY).play(("solved", [1])))
    finish(mirrored)
    assert (content(copied), ids(copied)) == (content(played), ids(played))
    assert copied.file.stat().st_mode & 0o777 == 0o600


def test_lost_event_does_not_stop_a_mirror(played, database, follow, copy):
    with played.begin() as connection:
        connection.exec_driver_sql("DELETE FROM events WHERE match = 1 AND seq = 2")
    finish(follow(database))
    assert content(copy()) == content(played)


def test_copy_on_which_a_server_played(played, database, follow, copy):
    finish(follow(database))
    follow.close()
    store(copy(), *StoredPlay(9, TINY, "bob").play(("solved", [1])))
    before = content(copy())
    with pytest.raises(DatabaseUnusableError, match="a server has written"):
        follow(database)
    assert content(copy()) == before


def test_database_of_its_own_is_not_a_copy(played, database, follow, nodes):
    with pytest.raises(DatabaseUnusableError, match="of its own"):
        follow(nodes.url, played.file)
    assert len(ids(played)) > 0


def test_processes_copy_in_turns(nodes, postgres_cluster, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    play_on(nodes, random.Random(5), count=2)
    first, second = LocalCopy(nodes.url), LocalCopy(nodes.url)
    first.follow()
    second.follow()
    assert first.places.last == second.places.last == read_value(nodes.engine, "SELECT count(*) FROM events")
    nodes.play("a", StoredPlay(50, TINY).play(("solved", [1])))
    waiting = threading.Thread(target=second.follow)
    waiting.start()
    first.follow()
    waiting.join()
    assert second.places.last == first.places.last
    first.close()
    nodes.play("a", StoredPlay(51, TINY).play(("solved", [1])))
    second.follow()
    assert second.places.last == first.places.last + 4
    second.close()


def test_mirrors_of_one_file_look_in_turns(nodes, tmp_path, copy, monkeypatch):
    """Each goes on where the other ended, also in the middle of what it has itself begun to copy."""
    monkeypatch.setattr(mirror, "EVENTS", 5)
    rng = random.Random(6)
    mirrors = [Mirror(nodes.url, tmp_path / "copy.sqlite3") for _ in range(2)]
    write = nodes.write

    def write_and_look(*args):
        write(*args)
        if rng.random() < 0.5:
            rng.choice(mirrors).catch_up()

    nodes.write = write_and_look
    play_on(nodes, rng, count=4)
    acts.forget_player(nodes.engine, "bob", 10, with_open=True)
    for each in mirrors:
        finish(each)
        each.close()
    assert_in_order(copy())
    assert content(copy()) == content(nodes.engine)
    assert mirrors[0].places.last == mirrors[1].places.last
