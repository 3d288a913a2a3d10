"""The writer commits many jobs at once, reports a job when it is durable, and lets a bad job fail alone."""

import sqlite3
from contextlib import closing
from threading import Event

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, event, insert

from evilpegs_server.storage.writer import MAX_JOBS, WAKE_JOBS, Write, Writer

metadata = MetaData()
parents = Table("parents", metadata, Column("id", Integer, primary_key=True))
children = Table("children", metadata, Column("id", Integer, primary_key=True), Column("parent", Integer))


def parent(number):
    return Write(0, insert(parents), [{"id": number}])


def child(number, parent=1):
    return Write(1, insert(children), [{"id": number, "parent": parent}])


@pytest.fixture
def commits(engine):
    """Return a list that grows by one number per commit."""
    metadata.create_all(engine)
    seen = []
    event.listen(engine, "commit", lambda _connection: seen.append(len(seen) + 1))
    return seen


@pytest.fixture
def writer(engine, commits):
    """Return a writer that reports on its own thread; it is not started, so that jobs gather first."""
    writer = Writer(engine, lambda report: report())
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


def test_job_is_durable_when_done(writer, stored):
    seen = []
    writer.submit([parent(1), child(7)], lambda _error: seen.append((stored("parents"), stored("children"))))
    writer.start()
    writer.close()
    assert seen == [([1], [7])]


def test_parents_are_written_before_children(writer, engine):
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2].split()[2]))
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
    assert went_on.wait(10)
    assert stored("parents") == [1, 2]
    assert [error is None for error in errors] == [True, False]


def test_failed_rows_are_not_committed_later(writer, stored, broken_disk):
    errors, failed = [], Event()
    broken_disk.on = True
    writer.start()
    writer.submit([parent(1)], lambda error: (errors.append(error), failed.set()))
    assert failed.wait(10)
    broken_disk.on = False
    writer.submit([parent(2)], errors.append)
    writer.close()
    assert [type(error) for error in errors] == [OSError, type(None)]
    assert stored("parents") == [2]


def test_done_runs_where_notify_says(engine, commits):
    reports, done = [], []
    writer = Writer(engine, reports.append)
    for number in range(3):
        writer.submit([parent(number)], done.append)
    writer.start()
    writer.close()
    assert done == []
    for report in reports:
        report()
    assert done == [None] * 3


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
        writer = Writer(engine, lambda report: report(), due.append)
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
        assert done.wait(10)
        assert due == []
        assert stored("parents") == [1, 2]

    def test_writer_wakes_for_enough_jobs(self, writer, due, commits, stored):
        done = Event()
        for number in range(WAKE_JOBS):
            writer.submit([parent(number)], lambda _error, number=number: number == WAKE_JOBS - 1 and done.set())
        assert done.wait(10)
        assert stored("parents") == list(range(WAKE_JOBS))
        assert len(commits) == 1
        due.pop()()

    def test_close_commits_without_waking(self, writer, stored):
        writer.submit([parent(1)], lambda _error: None)
        writer.close()
        assert stored("parents") == [1]
