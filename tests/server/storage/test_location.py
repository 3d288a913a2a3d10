"""The files of a database: found by every name, and closed to everyone but their owner."""

from pathlib import Path

import pytest
import structlog

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.location import database_file, keep_private, side_files


def lax(*paths):
    for path in paths:
        path.touch()
        path.chmod(0o664)
    return paths


def mode(path):
    return path.stat().st_mode & 0o777


def keep(file, *others):
    """Keep the files private and return the names that were logged, a text per line of the log."""
    with structlog.testing.capture_logs() as logged:
        keep_private(file, others, structlog.get_logger())
    return [line["files"] for line in logged]


@pytest.mark.parametrize("name", ["plain", "a b", "50%", "a#b", "file:odd"])
def test_database_of_any_name_is_opened_in_place(tmp_path, name):
    engine = open_database(f"sqlite:///{tmp_path}/{name}")
    assert engine.file == tmp_path / name
    assert {path.name for path in tmp_path.iterdir()} <= {name, f"{name}-wal", f"{name}-shm"}
    engine.dispose()


def test_lax_files_are_tightened_in_one_line(tmp_path):
    file, solved = tmp_path / "a.sqlite3", tmp_path / "a.sqlite3.solved"
    files = lax(file, *side_files(file), solved)
    assert keep(file, solved) == ["a.sqlite3, a.sqlite3-wal, a.sqlite3-shm, a.sqlite3.solved"]
    assert {mode(path) for path in files} == {0o600}
    assert keep(file, solved) == []


def test_private_and_missing_files_are_left_alone(tmp_path):
    (file,) = lax(tmp_path / "a.sqlite3")
    file.chmod(0o400)
    assert keep(file, tmp_path / "missing") == []
    assert mode(file) == 0o400


def test_rights_of_folders_are_left_alone(tmp_path):
    (file,) = lax(tmp_path / "a.sqlite3")
    (folder := tmp_path / "a.sqlite3.solved").mkdir(mode=0o755)
    assert keep(file, folder) == ["a.sqlite3"]
    assert mode(folder) == 0o755


def test_target_of_symbolic_link_is_tightened(tmp_path):
    (file,) = lax(tmp_path / "a.sqlite3")
    (link := tmp_path / "link").symlink_to(file)
    lax(tmp_path / "a.sqlite3-wal")
    assert keep(link) == ["link, a.sqlite3-wal"]
    assert mode(file) == 0o600


def test_files_that_cannot_be_tightened_are_named(tmp_path, monkeypatch):
    def refuse(_path, _mode):
        raise PermissionError(1, "Operation not permitted")

    (file,) = lax(tmp_path / "a.sqlite3")
    monkeypatch.setattr(Path, "chmod", refuse)
    assert keep(file) == ["a.sqlite3"]


def test_database_file_is_that_of_url():
    assert database_file("sqlite:///a/b") == Path("a/b")
