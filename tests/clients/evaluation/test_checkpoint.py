"""The checkpoint of a run: finished tasks are found again, and no changed line is believed."""

import errno
import fcntl
import os
import subprocess
import sys
from io import FileIO

import pytest

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.checkpoint import (
    Checkpoint,
    CheckpointDamagedError,
    CheckpointFormatError,
    CheckpointMismatchError,
    CheckpointUnusableError,
    default_checkpoint_path,
    memory_checkpoint,
    open_checkpoint,
)

RUN = "5" * 64
TASKS = {"0 choice": {"guess": "112", "parts": {"0,0": 8}}, "0 part 112:0,0": {"distribution": [0, 3, 5]}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "run.journal"


def is_disk_full(error):
    return error.errno == errno.ENOSPC


def outcomes(path, run=RUN):
    with open_checkpoint(path, run, "minimax on 3x3") as checkpoint:
        return dict(checkpoint.outcomes)


@pytest.fixture
def written(path):
    with open_checkpoint(path, RUN, "minimax on 3x3") as checkpoint:
        for key, outcome in TASKS.items():
            checkpoint.add(key, outcome)
    return path


def test_checkpoint_keeps_added_tasks(written):
    assert outcomes(written) == TASKS


WRITTEN = (
    '["evilpegs checkpoint 1",{"run":"5555555555555555555555555555555555555555555555555555555555555555",'
    '"about":"minimax on 3x3"}] d64136a0ea3d397f\n'
    '["0 choice",{"guess":"112","parts":{"0,0":8}}] b84d47587d183671\n'
    '["0 part 112:0,0",{"distribution":[0,3,5]}] cd5351e7d2f5c02a\n'
)


def test_checkpoint_format_is_unchanged(written):
    """Checkpoints that an earlier version wrote are read, so these bytes never change without a new format."""
    assert written.read_text() == WRITTEN


def test_checkpoint_knows_task_at_once(path):
    with open_checkpoint(path, RUN, "") as checkpoint:
        assert checkpoint.outcomes == {}
        checkpoint.add("0 choice", 1)
        assert checkpoint.outcomes == {"0 choice": 1}


@pytest.mark.parametrize("cut", range(1, 20))
def test_checkpoint_drops_torn_last_line(written, cut):
    written.write_bytes(written.read_bytes()[:-cut])
    first, last = TASKS
    with open_checkpoint(written, RUN, "minimax on 3x3") as checkpoint:
        assert checkpoint.outcomes == {first: TASKS[first]}
        checkpoint.add(last, TASKS[last])
    assert outcomes(written) == TASKS


def test_checkpoint_rewrites_torn_heading(path, written):
    whole = written.read_bytes()
    heading = whole.index(b"\n") + 1
    for length in range(heading):
        path.write_bytes(whole[:length])
        assert outcomes(path) == {}
        assert path.read_bytes() == whole[:heading]


def test_checkpoint_names_damaged_line(written):
    text = written.read_text()
    for line, before, extend_history in [(3, "[0,3,5]", "[0,4,4]"), (2, "0,0", "0,1"), (2, "choice", "part")]:
        written.write_text(text.replace(before, extend_history, 1))
        with pytest.raises(CheckpointDamagedError, match=f"line {line} ") as caught:
            outcomes(written)
        assert str(written) in str(caught.value)


@pytest.mark.parametrize("place", range(10))
def test_checkpoint_notices_any_changed_byte(written, place):
    data = bytearray(written.read_bytes())
    at = len(data) * place // 10
    data[at] ^= 1
    written.write_bytes(data)
    with pytest.raises(EvaluationError):
        outcomes(written)


def test_checkpoint_of_other_run_stays_untouched(written):
    before = written.read_bytes()
    with pytest.raises(CheckpointMismatchError, match="--journal") as caught:
        outcomes(written, "6" * 64)
    assert caught.value.stored == caught.value.expected == "minimax on 3x3"
    assert str(written) in str(caught.value)
    assert written.read_bytes() == before


def test_checkpoint_refuses_line_of_other_run(written, tmp_path):
    other = tmp_path / "other.journal"
    with open_checkpoint(other, "6" * 64, "") as checkpoint:
        checkpoint.add("0 part", {})
    with written.open("ab") as file:
        file.write(other.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(CheckpointDamagedError, match="line 4 "):
        outcomes(written)


OTHER_FORMATS = {
    "text without end": "hello",
    "text": "hello\n",
    "empty line": "\n",
    "later version": '["evilpegs checkpoint 2",{}] 0\n',
    "version 0.1.0": '["evilpegs journal 1",{}] 0\n',
    "torn version 0.1.0": '["evilpegs journal 1",{"run":',
    "proof log": "evilpegs proof log 2 3x4 51a7d0ea5e2e0b7d\n",
    "proof log of format 1": "evilpegs proof log 1\nrules 3x4\n",
    "proof log of version 0.1.0": "evilpegs journal 1\nrules 3x4\n",
}


@pytest.mark.parametrize("text", OTHER_FORMATS.values(), ids=OTHER_FORMATS)
def test_checkpoint_leaves_other_formats_untouched(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(CheckpointFormatError, match="--journal") as caught:
        outcomes(path)
    assert str(path) in str(caught.value)
    assert path.read_text() == text


def test_checkpoint_refuses_each_kind_of_file_differently(path):
    path.parent.mkdir()
    messages = []
    for text in ("hello\n", OTHER_FORMATS["version 0.1.0"], OTHER_FORMATS["proof log"]):
        path.write_text(text)
        with pytest.raises(CheckpointFormatError) as caught:
            outcomes(path)
        messages.append(str(caught.value))
    assert len(set(messages)) == 3


def test_checkpoint_is_locked_by_one_run(written):
    with (
        open_checkpoint(written, RUN, ""),
        pytest.raises(CheckpointUnusableError, match="--journal") as caught,
        open_checkpoint(written, RUN, ""),
    ):
        pass
    assert caught.value.__cause__ is None
    assert str(written) in str(caught.value)
    assert outcomes(written) == TASKS
    assert list(written.parent.iterdir()) == [written]


def test_checkpoint_is_locked_for_every_name_of_file(written, tmp_path):
    (tmp_path / "other").symlink_to(written)
    with open_checkpoint(written, RUN, ""), pytest.raises(CheckpointUnusableError):
        outcomes(tmp_path / "other")


def test_checkpoint_respects_lock_of_earlier_version(written):
    with written.open("ab") as earlier:
        fcntl.flock(earlier, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(CheckpointUnusableError):
            outcomes(written)


HOLDER = f"""
import sys
from pathlib import Path
from evilpegs_clients.evaluation.checkpoint import open_checkpoint
with open_checkpoint(Path(sys.argv[1]), {RUN!r}, ""):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_checkpoint_of_killed_run_is_not_locked(written):
    command = [sys.executable, "-c", HOLDER, written]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(CheckpointUnusableError):
            outcomes(written)
        holder.kill()
        holder.wait()
        assert outcomes(written) == TASKS


def test_checkpoint_is_refused_where_files_have_no_locks(path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(CheckpointUnusableError, match="--journal") as caught:
        outcomes(path)
    assert str(path) in str(caught.value)
    assert os.strerror(errno.ENOLCK) in str(caught.value)


@pytest.mark.parametrize(("place", "cause"), [("here/is/a.file", NotADirectoryError), (".", IsADirectoryError)])
def test_checkpoint_refuses_unusable_place(tmp_path, place, cause):
    (tmp_path / "here").write_text("")
    with pytest.raises(CheckpointUnusableError) as caught:
        outcomes(tmp_path / place)
    assert isinstance(caught.value.__cause__, cause)
    assert str(tmp_path / place) in str(caught.value)


def test_checkpoint_add_raises_when_disk_is_full():
    with FileIO("/dev/full", "a") as full, pytest.raises(OSError, check=is_disk_full):
        Checkpoint(RUN, full).add("0 part", 1)


def test_checkpoint_add_raises_on_partial_write():
    class Half:
        def write(self, line):
            return len(line) // 2

    with pytest.raises(OSError, check=is_disk_full):
        Checkpoint(RUN, Half()).add("0 part", 1)


def test_checkpoint_without_file_remembers_in_memory():
    checkpoint = memory_checkpoint()
    checkpoint.add("0 part", 1)
    assert checkpoint.outcomes == {"0 part": 1}


def test_default_checkpoint_is_in_user_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert default_checkpoint_path(RUN) == tmp_path / "data" / "evilpegs" / "journals" / f"{'5' * 24}.journal"
