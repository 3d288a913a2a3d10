"""Files of solved positions as the command line reads and writes them."""

import errno
import os

import pytest

from evilpegs.commands.duel import read_solved_positions, write_solved_positions
from evilpegs.errors import CommandError
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_protocol.files import ForeignFileError

KEY = bytes(16)


@pytest.fixture
def solved():
    solved = SolvedPositions()
    solved.tighten(KEY, at_least=3)
    return solved


def test_solved_file_round_trips(tmp_path, solved):
    write_solved_positions(tmp_path / "solved", solved)
    assert list(read_solved_positions(tmp_path / "solved")) == list(solved)
    assert [path.name for path in tmp_path.iterdir()] == ["solved"]


def test_solved_file_missing_is_empty(tmp_path, capsys):
    assert len(read_solved_positions(tmp_path / "solved")) == 0
    assert capsys.readouterr().err == ""


def test_solved_file_refuses_foreign_file(tmp_path):
    (tmp_path / "notes").write_text("of mine")
    with pytest.raises(CommandError) as caught:
        read_solved_positions(tmp_path / "notes")
    assert isinstance(caught.value.__cause__, ForeignFileError)
    assert str(tmp_path / "notes") in str(caught.value)
    assert (tmp_path / "notes").read_text() == "of mine"


@pytest.mark.parametrize("content", [b"", b"evilpegs solved positions 0\n"])
def test_solved_file_ignores_outdated_file_with_warning(tmp_path, capsys, content):
    path = tmp_path / "solved"
    path.write_bytes(content)
    assert len(read_solved_positions(path)) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"evilpegs: {path}: ")


def test_solved_file_is_written_only_if_changed(tmp_path, solved):
    write_solved_positions(tmp_path / "solved", SolvedPositions())
    assert list(tmp_path.iterdir()) == []
    write_solved_positions(tmp_path / "solved", solved)
    (tmp_path / "solved").unlink()
    write_solved_positions(tmp_path / "solved", solved)
    assert list(tmp_path.iterdir()) == []


def test_solved_file_survives_failed_write(tmp_path, solved, monkeypatch):
    path = tmp_path / "solved"
    write_solved_positions(path, solved)
    before = path.read_bytes()
    solved.tighten(KEY, at_most=4)

    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CommandError, match=os.strerror(errno.ENOSPC)) as caught:
        write_solved_positions(path, solved)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["solved"]
    assert solved.changed


def test_solved_file_refuses_unusable_path(tmp_path, solved):
    with pytest.raises(CommandError, match=os.strerror(errno.EISDIR)):
        read_solved_positions(tmp_path)
    with pytest.raises(CommandError, match=os.strerror(errno.ENOENT)):
        write_solved_positions(tmp_path / "nowhere" / "solved", solved)
