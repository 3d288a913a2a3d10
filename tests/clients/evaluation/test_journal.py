"""The journal of a run: finished units are found again, and no changed line is believed."""

import errno
import fcntl
import os
import subprocess
import sys
from io import FileIO

import pytest

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.journal import (
    Journal,
    JournalUnusableError,
    default_journal_path,
    open_journal,
)

RUN = "5" * 64
UNITS = {"0 choice": {"guess": "112", "parts": {"0,0": 8}}, "0 part 112:0,0": {"distribution": [0, 3, 5]}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "run.journal"


def is_disk_full(error):
    return error.errno == errno.ENOSPC


def outcomes(path, run=RUN):
    with open_journal(path, run, "minimax on 3x3") as journal:
        return dict(journal.outcomes)


@pytest.fixture
def written(path):
    with open_journal(path, RUN, "minimax on 3x3") as journal:
        for key, outcome in UNITS.items():
            journal.add(key, outcome)
    return path


def test_journal_keeps_added_units(written):
    assert outcomes(written) == UNITS


def rights(*paths):
    return [path.stat().st_mode & 0o777 for path in paths]


def test_only_its_owner_can_read_a_new_journal(tmp_path):
    path = tmp_path / "made" / "here" / "run.journal"
    with open_journal(path, RUN, ""):
        assert rights(path, path.parent, path.parent.parent) == [0o600, 0o700, 0o700]


def test_rights_of_existing_journal_and_folder_stay(tmp_path):
    (folder := tmp_path / "kept").mkdir(mode=0o755)
    (path := folder / "run.journal").touch(mode=0o644)
    with open_journal(path, RUN, ""):
        assert rights(path, folder) == [0o644, 0o755]


WRITTEN = (
    '["evilpegs checkpoint 1",{"run":"5555555555555555555555555555555555555555555555555555555555555555",'
    '"about":"minimax on 3x3"}] d64136a0ea3d397f\n'
    '["0 choice",{"guess":"112","parts":{"0,0":8}}] b84d47587d183671\n'
    '["0 part 112:0,0",{"distribution":[0,3,5]}] cd5351e7d2f5c02a\n'
)


def test_journal_format_is_unchanged(written):
    """Journals that an earlier version wrote are read, so these bytes never change without a new format."""
    assert written.read_text() == WRITTEN


def test_journal_knows_unit_at_once(path):
    with open_journal(path, RUN, "") as journal:
        assert journal.outcomes == {}
        journal.add("0 choice", 1)
        assert journal.outcomes == {"0 choice": 1}


@pytest.mark.parametrize("cut", range(1, 20))
def test_journal_drops_torn_last_line(written, cut):
    written.write_bytes(written.read_bytes()[:-cut])
    first, last = UNITS
    with open_journal(written, RUN, "minimax on 3x3") as journal:
        assert journal.outcomes == {first: UNITS[first]}
        journal.add(last, UNITS[last])
    assert outcomes(written) == UNITS


def test_journal_rewrites_torn_heading(path, written):
    whole = written.read_bytes()
    heading = whole.index(b"\n") + 1
    for length in range(heading):
        path.write_bytes(whole[:length])
        assert outcomes(path) == {}
        assert path.read_bytes() == whole[:heading]


def test_journal_names_damaged_line(written):
    text = written.read_text()
    for line, before, extend_history in [(3, "[0,3,5]", "[0,4,4]"), (2, "0,0", "0,1"), (2, "choice", "part")]:
        written.write_text(text.replace(before, extend_history, 1))
        with pytest.raises(EvaluationError, match=f"line {line} ") as caught:
            outcomes(written)
        assert str(written) in str(caught.value)


@pytest.mark.parametrize("place", range(10))
def test_journal_notices_any_changed_byte(written, place):
    data = bytearray(written.read_bytes())
    at = len(data) * place // 10
    data[at] ^= 1
    written.write_bytes(data)
    with pytest.raises(EvaluationError):
        outcomes(written)


def test_journal_of_other_run_stays_untouched(written):
    before = written.read_bytes()
    with pytest.raises(EvaluationError, match="--journal") as caught:
        outcomes(written, "6" * 64)
    assert "(minimax on 3x3)" in str(caught.value)
    assert str(written) in str(caught.value)
    assert written.read_bytes() == before


def test_journal_refuses_line_of_other_run(written, tmp_path):
    other = tmp_path / "other.journal"
    with open_journal(other, "6" * 64, "") as journal:
        journal.add("0 part", {})
    with written.open("ab") as file:
        file.write(other.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(EvaluationError, match="line 4 "):
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
def test_journal_leaves_other_formats_untouched(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(EvaluationError, match="--journal") as caught:
        outcomes(path)
    assert str(path) in str(caught.value)
    assert path.read_text() == text


def test_journal_refuses_each_kind_of_file_differently(path):
    path.parent.mkdir()
    messages = []
    for text in ("hello\n", OTHER_FORMATS["version 0.1.0"], OTHER_FORMATS["proof log"]):
        path.write_text(text)
        with pytest.raises(EvaluationError) as caught:
            outcomes(path)
        messages.append(str(caught.value))
    assert len(set(messages)) == 3


def test_journal_is_locked_by_one_run(written):
    with (
        open_journal(written, RUN, ""),
        pytest.raises(JournalUnusableError, match="--journal") as caught,
        open_journal(written, RUN, ""),
    ):
        pass
    assert caught.value.__cause__ is None
    assert str(written) in str(caught.value)
    assert outcomes(written) == UNITS
    assert list(written.parent.iterdir()) == [written]


def test_journal_is_locked_for_every_name_of_file(written, tmp_path):
    (tmp_path / "other").symlink_to(written)
    with open_journal(written, RUN, ""), pytest.raises(JournalUnusableError):
        outcomes(tmp_path / "other")


def test_journal_respects_lock_of_earlier_version(written):
    with written.open("ab") as earlier:
        fcntl.flock(earlier, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(JournalUnusableError):
            outcomes(written)


HOLDER = f"""
import sys
from pathlib import Path
from evilpegs_clients.evaluation.journal import open_journal
with open_journal(Path(sys.argv[1]), {RUN!r}, ""):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_journal_of_killed_run_is_not_locked(written):
    command = [sys.executable, "-c", HOLDER, written]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(JournalUnusableError):
            outcomes(written)
        holder.kill()
        holder.wait()
        assert outcomes(written) == UNITS


def test_journal_is_refused_where_files_have_no_locks(path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(JournalUnusableError, match="--journal") as caught:
        outcomes(path)
    assert str(path) in str(caught.value)
    assert os.strerror(errno.ENOLCK) in str(caught.value)


@pytest.mark.parametrize(("place", "cause"), [("here/is/a.file", NotADirectoryError), (".", IsADirectoryError)])
def test_journal_refuses_unusable_place(tmp_path, place, cause):
    (tmp_path / "here").write_text("")
    with pytest.raises(JournalUnusableError) as caught:
        outcomes(tmp_path / place)
    assert isinstance(caught.value.__cause__, cause)
    assert str(tmp_path / place) in str(caught.value)


def test_journal_add_raises_when_disk_is_full():
    with FileIO("/dev/full", "a") as full, pytest.raises(OSError, check=is_disk_full):
        Journal(RUN, full).add("0 part", 1)


def test_journal_add_raises_on_partial_write():
    class Half:
        def write(self, line):
            return len(line) // 2

    with pytest.raises(OSError, check=is_disk_full):
        Journal(RUN, Half()).add("0 part", 1)


def test_journal_without_file_remembers_in_memory():
    journal = Journal()
    journal.add("0 part", 1)
    assert journal.outcomes == {"0 part": 1}


def test_default_journal_is_in_user_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert default_journal_path(RUN) == tmp_path / "data" / "evilpegs" / "journals" / f"{'5' * 24}.journal"
