"""The writer: many jobs a commit, durable before done, and a bad job alone in its failure."""

import sqlite3
from contextlib import closing
from threading import Event

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, event, insert

from evilpegs_server.storage.writer import ENOUGH_JOBS, MOST_JOBS, Write, Writer

metadata = MetaData()
parents = Table("parents", metadata, Column("id", Integer, primary_key=True))
children = Table("children", metadata, Column("id", Integer, primary_key=True), Column("parent", Integer))


def parent(number):
    return Write(0, insert(parents), [{"id": number}])


def child(number, parent=1):
    return Write(1, insert(children), [{"id": number, "parent": parent}])


@pytest.fixture
def commits(engine):
    """The number of each commit so far."""
    metadata.create_all(engine)
    seen = []
    event.listen(engine, "commit", lambda _connection: seen.append(len(seen) + 1))
    return seen


@pytest.fixture
def writer(engine, commits):
    """A writer that reports on its own thread, not yet started: what is submitted before gathers."""
    writer = Writer(engine, lambda report: report())
    yield writer
    writer.close()


@pytest.fixture
def stored(tmp_path):
    """The rows of a table, through another connection."""

    def read(table):
        with closing(sqlite3.connect(tmp_path / "evilpegs.sqlite3")) as connection:
            return [row[0] for row in connection.execute(f"SELECT id FROM {table} ORDER BY rowid")]

    return read


def test_jobs_that_wait_share_a_commit(writer, commits, stored):
    done = []
    for number in range(50):
        writer.submit([parent(number)], done.append)
    writer.start()
    writer.close()
    assert done == [None] * 50
    assert stored("parents") == list(range(50))
    assert len(commits) == 1


def test_no_more_than_so_many_jobs_share_one(writer, commits):
    for number in range(MOST_JOBS + 1):
        writer.submit([parent(number)], lambda _error: None)
    writer.start()
    writer.close()
    assert len(commits) == 2


def test_a_job_is_durable_when_it_is_done(writer, stored):
    seen = []
    writer.submit([parent(1), child(7)], lambda _error: seen.append((stored("parents"), stored("children"))))
    writer.start()
    writer.close()
    assert seen == [([1], [7])]


def test_parents_are_written_before_children_whatever_the_order(writer, engine):
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2].split()[2]))
    writer.submit([child(1), parent(1)], lambda _error: None)
    writer.submit([child(2), parent(2)], lambda _error: None)
    writer.start()
    writer.close()
    assert statements == ["parents", "children"]


def test_a_bad_job_fails_alone(writer, stored):
    outcomes = {}
    for number, write in enumerate([parent(1), parent(2), parent(1), parent(3)]):
        writer.submit([child(number), write], lambda error, number=number: outcomes.update({number: error}))
    writer.start()
    writer.close()
    assert [type(outcomes[number]).__name__ for number in range(4)] == ["NoneType"] * 2 + ["IntegrityError", "NoneType"]
    assert stored("parents") == [1, 2, 3]
    assert stored("children") == [0, 1, 3]


def test_after_a_failure_it_goes_on(writer, stored):
    errors, went_on = [], Event()
    writer.start()
    for _ in range(2):
        writer.submit([parent(1)], errors.append)
    writer.submit([parent(2)], lambda _error: went_on.set())
    assert went_on.wait(10)
    assert stored("parents") == [1, 2]
    assert [error is None for error in errors] == [True, False]


def test_what_could_not_be_committed_does_not_come_with_the_next_commit(writer, stored, broken_disk):
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


def test_done_is_called_where_notify_says(engine, commits):
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


def test_closing_commits_everything_and_takes_no_more(writer, stored):
    writer.start()
    for number in range(200):
        writer.submit([parent(number)], lambda _error: None)
    writer.close()
    writer.close()
    assert stored("parents") == list(range(200))
    with pytest.raises(RuntimeError, match="closed"):
        writer.submit([parent(999)], lambda _error: None)


def test_rows_are_not_in_a_repr():
    """Seeds are among them."""
    assert "12345" not in repr(parent(12345))


class TestWaking:
    """The thread is woken once for what is submitted together."""

    @pytest.fixture
    def due(self):
        """What the submitting thread is to call back soon."""
        return []

    @pytest.fixture
    def writer(self, engine, commits, due):
        writer = Writer(engine, lambda report: report(), due.append)
        writer.start()
        yield writer
        writer.close()

    def test_it_is_woken_when_nothing_more_was_submitted(self, writer, due, stored):
        done = Event()
        writer.submit([parent(1)], lambda _error: None)
        writer.submit([parent(2)], lambda _error: done.set())
        due.pop()()  # a second one came since the first
        assert stored("parents") == []
        due.pop()()
        assert done.wait(10)
        assert due == []
        assert stored("parents") == [1, 2]

    def test_it_is_woken_for_enough(self, writer, due, commits, stored):
        done = Event()
        for number in range(ENOUGH_JOBS):
            writer.submit([parent(number)], lambda _error, number=number: number == ENOUGH_JOBS - 1 and done.set())
        assert done.wait(10)
        assert stored("parents") == list(range(ENOUGH_JOBS))
        assert len(commits) == 1
        due.pop()()

    def test_closing_commits_what_it_was_not_woken_for(self, writer, stored):
        writer.submit([parent(1)], lambda _error: None)
        writer.close()
        assert stored("parents") == [1]
