"""Solved positions survive restarts, and a file that cannot be used stops nothing."""

import errno
import os

import pytest
from structlog import wrap_logger
from structlog.testing import LogCapture

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_server.storage.solved_positions import SolvedPositionsFile, solved_path


def learned():
    """Return solved positions as bytes."""
    solved = SolvedPositions()
    solved.tighten(bytes(16), at_least=3)
    return solved.to_bytes()


LEARNED = learned()


@pytest.fixture
def logged():
    return LogCapture()


@pytest.fixture
def log(logged):
    return wrap_logger(None, processors=[logged])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "solved"


def test_pipe_is_not_waited_for(path, log, logged):
    os.mkfifo(path)
    SolvedPositionsFile(path, log).save(LEARNED)
    assert [(entry["path"], "pipe" in entry["why"]) for entry in logged.entries] == [(str(path), True)]
    assert path.is_fifo()


def warned_of(logged):
    """Return the paths that warnings name; nothing but warnings was logged."""
    assert {entry["log_level"] for entry in logged.entries} <= {"warning"}
    return [entry["path"] for entry in logged.entries]


@pytest.mark.parametrize(("given", "used"), [(None, "a.sqlite3.solved"), ("b", "b")])
def test_solved_path_defaults_beside_database(tmp_path, given, used):
    assert solved_path(f"sqlite:///{tmp_path / 'a.sqlite3'}", given and tmp_path / given) == tmp_path / used


def test_saved_positions_are_loaded(path, log, logged):
    solved_file = SolvedPositionsFile(path, log)
    solved_file.save(LEARNED)
    assert SolvedPositionsFile(path, log).solved.to_bytes() == LEARNED
    assert [each.name for each in path.parent.iterdir()] == ["solved"]
    assert logged.entries == []


def flip(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("harm", [lambda data: data[:-1], lambda data: flip(data, 45), lambda data: b""])
def test_damaged_solved_file_is_reported_and_replaced(path, log, logged, harm):
    path.write_bytes(harm(LEARNED))
    solved_file = SolvedPositionsFile(path, log)
    assert len(solved_file.solved) == 0
    assert warned_of(logged) == [str(path)]
    solved_file.save(LEARNED)
    assert SolvedPositionsFile(path, log).solved.to_bytes() == LEARNED


def test_foreign_file_is_left_alone(path, log, logged):
    path.write_text("of mine")
    solved_file = SolvedPositionsFile(path, log)
    solved_file.save(LEARNED)
    assert path.read_text() == "of mine"
    assert warned_of(logged) == [str(path)]


def test_unreadable_path_keeps_nothing(path, log, logged):
    path.mkdir()
    SolvedPositionsFile(path, log).save(LEARNED)
    assert warned_of(logged) == [str(path)]
    assert list(path.iterdir()) == []


def test_full_disk_loses_only_learned_positions(path, log, logged, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    solved_file = SolvedPositionsFile(path, log)
    monkeypatch.setattr("os.fsync", full)
    solved_file.save(LEARNED)
    assert list(path.parent.iterdir()) == []
    assert warned_of(logged) == [str(path)]
    assert logged.entries[0]["why"] == os.strerror(errno.ENOSPC)
    monkeypatch.undo()
    solved_file.save(LEARNED)
    assert path.exists()
