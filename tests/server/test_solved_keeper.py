"""What devils have solved is kept over restarts, and a file that will not do stops nothing."""

import pytest
from structlog import wrap_logger
from structlog.testing import LogCapture

from evilpegs_game.solved import SolvedPositions
from evilpegs_server.solved_keeper import SolvedKeeper


def learnt():
    solved = SolvedPositions()
    solved.learn(bytes(16), at_least=3)
    return solved.to_bytes()


LEARNT = learnt()


@pytest.fixture
def logged():
    return LogCapture()


@pytest.fixture
def log(logged):
    return wrap_logger(None, processors=[logged])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "solved"


def test_it_comes_back(path, log, logged):
    keeper = SolvedKeeper(path, log)
    keeper.save(LEARNT)
    assert SolvedKeeper(path, log).solved.to_bytes() == LEARNT
    assert [each.name for each in path.parent.iterdir()] == ["solved"]
    assert logged.entries == []


def test_without_a_file_nothing_is_kept(log, logged):
    SolvedKeeper(None, log).save(LEARNT)
    assert logged.entries == []


def flip(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("harm", [lambda data: data[:-1], lambda data: flip(data, 45), lambda data: b""])
def test_a_damaged_file_is_told_of_not_believed_and_replaced(path, log, logged, harm):
    path.write_bytes(harm(LEARNT))
    keeper = SolvedKeeper(path, log)
    assert len(keeper.solved) == 0
    [entry] = logged.entries
    assert (entry["log_level"], entry["event"]) == ("warning", "solved positions will be solved anew")
    keeper.save(LEARNT)
    assert SolvedKeeper(path, log).solved.to_bytes() == LEARNT


def test_somebodys_file_is_left_alone(path, log, logged):
    path.write_text("of mine")
    keeper = SolvedKeeper(path, log)
    keeper.save(LEARNT)
    assert path.read_text() == "of mine"
    assert [entry["event"] for entry in logged.entries] == ["solved positions are not kept"]


def test_where_nothing_can_be_read_nothing_is_kept(path, log, logged):
    path.mkdir()
    SolvedKeeper(path, log).save(LEARNT)
    assert [entry["event"] for entry in logged.entries] == ["solved positions are not kept"]


def test_a_disk_that_fails_costs_what_was_learnt_and_no_more(path, log, logged, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    keeper = SolvedKeeper(path, log)
    monkeypatch.setattr("os.fsync", full)
    keeper.save(LEARNT)
    assert list(path.parent.iterdir()) == []
    [entry] = logged.entries
    assert (entry["event"], entry["why"]) == ("cannot keep solved positions", "No space left on device")
    monkeypatch.undo()
    keeper.save(LEARNT)
    assert path.exists()
