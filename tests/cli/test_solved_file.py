import pytest

from evilpegs.errors import CommandError
from evilpegs.solved_file import read_solved, save_solved
from evilpegs_game.solved import SolvedPositions

KEY = bytes(16)


@pytest.fixture
def solved():
    solved = SolvedPositions()
    solved.learn(KEY, at_least=3)
    return solved


def test_it_comes_back(tmp_path, solved):
    save_solved(tmp_path / "solved", solved)
    assert list(read_solved(tmp_path / "solved")) == list(solved)
    assert [path.name for path in tmp_path.iterdir()] == ["solved"]


def test_no_file_is_nothing_known(tmp_path, capsys):
    assert len(read_solved(tmp_path / "solved")) == 0
    assert capsys.readouterr().err == ""


def test_a_file_of_another_kind_is_left_alone(tmp_path):
    (tmp_path / "notes").write_text("of mine")
    with pytest.raises(CommandError, match="holds something else than solved positions"):
        read_solved(tmp_path / "notes")


@pytest.mark.parametrize("content", [b"", b"evilpegs solved positions 0\n"])
def test_an_empty_or_outdated_file_is_told_of_and_not_believed(tmp_path, capsys, content):
    path = tmp_path / "solved"
    path.write_bytes(content)
    assert len(read_solved(path)) == 0
    assert "not solved positions of this version; they will be solved anew" in capsys.readouterr().err


def test_nothing_new_is_not_written(tmp_path, solved):
    save_solved(tmp_path / "solved", SolvedPositions())
    assert list(tmp_path.iterdir()) == []
    save_solved(tmp_path / "solved", solved)
    (tmp_path / "solved").unlink()
    save_solved(tmp_path / "solved", solved)
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_file(tmp_path, solved, monkeypatch):
    path = tmp_path / "solved"
    save_solved(path, solved)
    before = path.read_bytes()
    solved.learn(KEY, at_most=4)

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CommandError, match=r"cannot write solved positions at .*: No space left on device"):
        save_solved(path, solved)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["solved"]
    assert solved.changed


def test_a_directory_is_no_file(tmp_path, solved):
    with pytest.raises(CommandError, match="cannot read solved positions"):
        read_solved(tmp_path)
    with pytest.raises(CommandError, match="cannot write solved positions"):
        save_solved(tmp_path / "nowhere" / "solved", solved)
