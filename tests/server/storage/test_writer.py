"""The writer commits many jobs at once, reports a job when it is durable, and lets a bad job fail alone."""

import sqlite3
from contextlib import closing
from threading import Event
from types import SimpleNamespace

import pytest
from sqlalchemy import event

from evilpegs_server.storage.engines.sqlite import SqliteStore
from evilpegs_server.storage.errors import DatabaseMovedError, DatabaseUnavailableError
from evilpegs_server.storage.log.writer import MAX_JOBS, WAKE_JOBS, Fact, Write, Writer
from evilpegs_server.timing import Timing
from support.patience import PATIENCE

TABLES = (
    "CREATE TABLE parents (id INTEGER PRIMARY KEY)",
    "CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER)",
    "CREATE TABLE blobs (id INTEGER PRIMARY KEY, data BLOB)",
)
BLOB = 9
STATEMENTS = {
    Fact.PLAYER: "INSERT INTO parents (id) VALUES (?)",
    Fact.MATCH: "INSERT INTO children (id, parent) VALUES (?, ?)",
    BLOB: "INSERT INTO blobs (id, data) VALUES (?, ?)",
}


def parent(number):
    return Write(Fact.PLAYER, [(number,)])


def child(number, parent=1):
    return Write(Fact.MATCH, [(number, parent)])


@pytest.fixture
def commits(engine):
    """Return a list that grows by one number per commit."""
    with engine.begin() as connection:
        for table in TABLES:
            connection.exec_driver_sql(table)
    seen = []
    event.listen(engine.engine, "commit", lambda _connection: seen.append(len(seen) + 1))
    return seen


@pytest.fixture
def writer(engine, commits):
    """Return a writer that reports on its own thread; it is not started, so that jobs gather first."""
    quick = Timing(busy_seconds=0.05)
    writer = Writer(SqliteStore(engine, statements=STATEMENTS), lambda report: report(), timing=quick)
    yield writer
    writer.close()


@pytest.fixture
def stored(tmp_path):
    """Return a function that reads the ids in a table through another connection."""

    def read(table):
        with closing(sqlite3.connect(tmp_path / "evilpegs.sqlite3")) as connection:
            return [row[0] for row in connection.execute(f"SELECT id FROM {table} ORDER BY rowid")]

    return read


def test_waiting_jobs_share_commit(writer, commits, stored):
    done = []
    for number in range(50):
        writer.submit([parent(number)], done.append)
    writer.start()
    writer.close()
    assert done == [None] * 50
    assert stored("parents") == list(range(50))
    assert len(commits) == 1


def test_commit_takes_limited_jobs(writer, commits):
    for number in range(MAX_JOBS + 1):
        writer.submit([parent(number)], lambda _error: None)
    writer.start()
    writer.close()
    assert len(commits) == 2


def test_commit_of_full_lists_keeps_limit(engine, commits):
    """The eighth list of jobs would exceed the limit."""
    sizes = []
    event.listen(engine.engine, "before_cursor_execute", lambda *call: sizes.append(len(call[3])))
    writer = Writer(SqliteStore(engine, statements=STATEMENTS), lambda report: report(), lambda _flush: None)
    for number in range(8 * WAKE_JOBS):
        writer.submit([parent(number)], lambda _error: None)
    writer.start()
    writer.close()
    assert sum(sizes) == 8 * WAKE_JOBS > MAX_JOBS >= max(sizes)
    assert len(commits) == 2


def test_job_is_durable_when_done(writer, stored):
    seen = []
    writer.submit([parent(1), child(7)], lambda _error: seen.append((stored("parents"), stored("children"))))
    writer.start()
    writer.close()
    assert seen == [([1], [7])]


def test_parents_are_written_before_children(writer, engine):
    statements = []
    event.listen(engine.engine, "before_cursor_execute", lambda *call: statements.append(call[2].split()[2]))
    writer.submit([child(1), parent(1)], lambda _error: None)
    writer.submit([child(2), parent(2)], lambda _error: None)
    writer.start()
    writer.close()
    assert statements == ["parents", "children"]


def test_bad_job_fails_alone(writer, stored):
    outcomes = {}
    for number, write in enumerate([parent(1), parent(2), parent(1), parent(3)]):
        writer.submit([child(number), write], lambda error, number=number: outcomes.update({number: error}))
    writer.start()
    writer.close()
    assert [type(outcomes[number]).__name__ for number in range(4)] == ["NoneType"] * 2 + ["IntegrityError", "NoneType"]
    assert stored("parents") == [1, 2, 3]
    assert stored("children") == [0, 1, 3]


def test_writer_continues_after_failure(writer, stored):
    errors, went_on = [], Event()
    writer.start()
    for _ in range(2):
        writer.submit([parent(1)], errors.append)
    writer.submit([parent(2)], lambda _error: went_on.set())
    assert went_on.wait(PATIENCE)
    assert stored("parents") == [1, 2]
    assert [error is None for error in errors] == [True, False]


def test_failed_rows_are_not_committed_later(writer, stored, broken_disk):
    errors, failed = [], Event()
    broken_disk.on = True
    writer.start()
    writer.submit([parent(1)], lambda error: (errors.append(error), failed.set()))
    assert failed.wait(PATIENCE)
    broken_disk.on = False
    writer.submit([parent(2)], errors.append)
    writer.close()
    assert [type(error) for error in errors] == [OSError, type(None)]
    assert stored("parents") == [2]


def test_done_runs_where_notify_says(engine, commits):
    reports, done = [], []
    writer = Writer(SqliteStore(engine, statements=STATEMENTS), reports.append)
    for number in range(3):
        writer.submit([parent(number)], done.append)
    writer.start()
    writer.close()
    assert done == []
    for report in reports:
        report()
    assert done == [None] * 3


def test_callback_that_raises_keeps_no_other_job_waiting(engine, commits):
    reports, done = [], []
    writer = Writer(SqliteStore(engine, statements=STATEMENTS), reports.append)
    writer.submit([parent(1)], done.append)
    writer.submit([parent(2)], lambda _error: done[2])
    writer.submit([parent(3)], done.append)
    writer.start()
    writer.close()
    (report,) = reports
    with pytest.raises(IndexError):  # the event loop logs it
        report()
    assert done == [None, None]
    assert writer.health.stuck is False


def test_close_commits_everything_and_refuses_more(writer, stored):
    writer.start()
    for number in range(200):
        writer.submit([parent(number)], lambda _error: None)
    writer.close()
    writer.close()
    assert stored("parents") == list(range(200))
    with pytest.raises(RuntimeError, match="closed"):
        writer.submit([parent(999)], lambda _error: None)


def test_write_repr_hides_rows():
    """The rows hold seeds."""
    assert "12345" not in repr(parent(12345))


class TestWaking:
    """The thread of the writer wakes once for jobs that are submitted together."""

    @pytest.fixture
    def due(self):
        """Return the callbacks that the submitting thread owes."""
        return []

    @pytest.fixture
    def writer(self, engine, commits, due):
        writer = Writer(SqliteStore(engine, statements=STATEMENTS), lambda report: report(), due.append)
        writer.start()
        yield writer
        writer.close()

    def test_writer_wakes_when_submitting_pauses(self, writer, due, stored):
        done = Event()
        writer.submit([parent(1)], lambda _error: None)
        writer.submit([parent(2)], lambda _error: done.set())
        due.pop()()  # a second job came after the first
        assert stored("parents") == []
        due.pop()()
        assert done.wait(PATIENCE)
        assert due == []
        assert stored("parents") == [1, 2]

    def test_writer_wakes_for_enough_jobs(self, writer, due, commits, stored):
        done = Event()
        for number in range(WAKE_JOBS):
            writer.submit([parent(number)], lambda _error, number=number: number == WAKE_JOBS - 1 and done.set())
        assert done.wait(PATIENCE)
        assert stored("parents") == list(range(WAKE_JOBS))
        assert len(commits) == 1
        due.pop()()

    def test_close_commits_without_waking(self, writer, stored):
        writer.submit([parent(1)], lambda _error: None)
        writer.close()
        assert stored("parents") == [1]


@pytest.fixture
def transactions(engine):
    """Return a list that grows with each transaction that is begun."""
    seen = []
    event.listen(engine.engine, "begin", lambda _connection: seen.append(1))
    return seen


class TestUnusableDatabase:
    """An error of the whole database fails the whole batch, after one attempt."""

    def submit(self, writer, count):
        errors = []
        for number in range(count):
            writer.submit([parent(number)], errors.append)
        return errors

    @pytest.fixture
    def lock_file(self, tmp_path):
        """Return a function that takes the write lock as another process would."""

        def lock():
            other = sqlite3.connect(tmp_path / "evilpegs.sqlite3", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            return closing(other)

        return lock

    def test_batch_waits_once_for_write_lock(self, writer, transactions, stored, lock_file):
        with lock_file():
            errors = self.submit(writer, 50)
            writer.start()
            writer.close()
        assert {type(error) for error in errors} == {DatabaseUnavailableError}
        assert (len(errors), len(transactions)) == (50, 1)
        assert stored("parents") == []

    def test_bad_job_takes_one_transaction_per_job(self, writer, transactions):
        """The control of the test above."""
        errors = self.submit(writer, 5)
        writer.submit([parent(1)], errors.append)
        writer.start()
        writer.close()
        assert len(transactions) == 7

    def test_writer_stores_again_after_lock(self, writer, stored, lock_file):
        failed, done = Event(), []
        writer.start()
        with lock_file():
            writer.submit([parent(1)], lambda _error: failed.set())
            assert failed.wait(PATIENCE)
        writer.submit([parent(2)], done.append)
        writer.close()
        assert done == [None]
        assert stored("parents") == [2]

    def test_full_database_fails_whole_batch(self, engine, commits, writer, transactions):
        event.listen(engine.engine, "checkout", lambda driver, *_: driver.execute("PRAGMA max_page_count=1"))
        errors = []
        for number in range(50):
            blob = Write(BLOB, [(number, b"x" * 5000)])
            writer.submit([blob], errors.append)
        writer.start()
        writer.close()
        assert {type(error) for error in errors} == {DatabaseUnavailableError}
        assert "full" in str(errors[0])
        assert len(transactions) == 1

    def test_close_gives_up_on_disk_that_never_responds(self, writer, engine):
        entered, responds = Event(), Event()
        event.listen(engine.engine, "commit", lambda _connection: (entered.set(), responds.wait(PATIENCE)))
        self.submit(writer, 1)
        writer.start()
        assert entered.wait(PATIENCE)
        assert writer.close(0.01) is False
        responds.set()
        assert writer.close() is True


class TestMovedFile:
    """The writer looks for the file before and after each batch, and while there is nothing to write."""

    @pytest.fixture
    def place(self):
        """A place where the file is, unless an error is set."""
        return SimpleNamespace(error=None, checked=Event())

    @pytest.fixture
    def writer(self, engine, commits, place):
        def check():
            place.checked.set()
            if place.error is not None:
                raise place.error

        store, quick = SqliteStore(engine, check, statements=STATEMENTS), Timing(file_look_seconds=0.001)
        writer = Writer(store, lambda report: report(), timing=quick)
        yield writer
        writer.close()

    def test_file_that_left_fails_batch_before_it_is_written(self, writer, place, stored, commits):
        errors = []
        place.error = DatabaseMovedError("gone")
        for number in range(3):
            writer.submit([parent(number)], errors.append)
        writer.start()
        writer.close()
        assert errors == [place.error] * 3
        assert commits == []

    def test_file_that_left_during_commit_fails_batch(self, writer, place, engine):
        errors = []
        gone = DatabaseMovedError("gone")
        event.listen(engine.engine, "commit", lambda _connection: setattr(place, "error", gone))
        writer.submit([parent(1)], errors.append)
        writer.submit([parent(2)], errors.append)
        writer.start()
        writer.close()
        assert errors == [gone, gone]

    def test_idle_writer_notices_file_that_left_and_returned(self, writer, place):
        place.error = DatabaseMovedError("gone")
        writer.start()
        self.wait_for_check(place)
        assert writer.health.obstacle == "gone"
        place.error = None
        self.wait_for_check(place)
        assert writer.health.obstacle is None

    def wait_for_check(self, place):
        """Wait until one more check has ended, which the next one shows when it begins."""
        for _ in range(2):
            place.checked.clear()
            assert place.checked.wait(PATIENCE)
