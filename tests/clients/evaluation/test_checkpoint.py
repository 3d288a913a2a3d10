"""The journal of a run: finished units are found again, and no changed line is believed."""

import errno
from io import FileIO

import pytest

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.checkpoint import (
    DamagedJournalError,
    ForeignJournalError,
    Journal,
    JournalUnusableError,
    OtherRunError,
    default_journal,
    no_journal,
    opened_journal,
)

RUN = "5" * 64
UNITS = {"0 choice": {"guess": "112", "parts": {"0,0": 8}}, "0 part 112:0,0": {"distribution": [0, 3, 5]}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "run.journal"


def is_disk_full(error):
    return error.errno == errno.ENOSPC


def known(path, run=RUN):
    with opened_journal(path, run, "minimax on 3x3") as journal:
        return dict(journal.known)


@pytest.fixture
def written(path):
    with opened_journal(path, RUN, "minimax on 3x3") as journal:
        for key, outcome in UNITS.items():
            journal.add(key, outcome)
    return path


def test_journal_keeps_added_units(written):
    assert known(written) == UNITS


def test_journal_knows_unit_at_once(path):
    with opened_journal(path, RUN, "") as journal:
        assert journal.known == {}
        journal.add("0 choice", 1)
        assert journal.known == {"0 choice": 1}


@pytest.mark.parametrize("cut", range(1, 20))
def test_journal_drops_torn_last_line(written, cut):
    written.write_bytes(written.read_bytes()[:-cut])
    first, last = UNITS
    with opened_journal(written, RUN, "minimax on 3x3") as journal:
        assert journal.known == {first: UNITS[first]}
        journal.add(last, UNITS[last])
    assert known(written) == UNITS


def test_journal_rewrites_torn_heading(path, written):
    whole = written.read_bytes()
    heading = whole.index(b"\n") + 1
    for length in range(heading):
        path.write_bytes(whole[:length])
        assert known(path) == {}
        assert path.read_bytes() == whole[:heading]


def test_journal_names_damaged_line(written):
    text = written.read_text()
    for line, before, after in [(3, "[0,3,5]", "[0,4,4]"), (2, "0,0", "0,1"), (2, "choice", "part")]:
        written.write_text(text.replace(before, after, 1))
        with pytest.raises(DamagedJournalError, match=f"line {line} ") as caught:
            known(written)
        assert str(written) in str(caught.value)


@pytest.mark.parametrize("place", range(10))
def test_journal_notices_any_changed_byte(written, place):
    data = bytearray(written.read_bytes())
    at = len(data) * place // 10
    data[at] ^= 1
    written.write_bytes(data)
    with pytest.raises(EvaluationError):
        known(written)


def test_journal_of_other_run_stays_untouched(written):
    before = written.read_bytes()
    with pytest.raises(OtherRunError, match="--journal") as caught:
        known(written, "6" * 64)
    assert caught.value.found == caught.value.asked == "minimax on 3x3"
    assert str(written) in str(caught.value)
    assert written.read_bytes() == before


def test_journal_refuses_line_of_other_run(written, tmp_path):
    other = tmp_path / "other.journal"
    with opened_journal(other, "6" * 64, "") as journal:
        journal.add("0 part", {})
    with written.open("ab") as file:
        file.write(other.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(DamagedJournalError, match="line 4 "):
        known(written)


@pytest.mark.parametrize("text", ["hello", "hello\n", '["evilpegs journal 9",{}] 0\n'])
def test_journal_leaves_foreign_file_untouched(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ForeignJournalError, match="--journal") as caught:
        known(path)
    assert str(path) in str(caught.value)
    assert path.read_text() == text


def test_journal_is_locked_by_one_run(written):
    with (
        opened_journal(written, RUN, ""),
        pytest.raises(JournalUnusableError, match="--journal") as caught,
        opened_journal(written, RUN, ""),
    ):
        pass
    assert isinstance(caught.value.__cause__, BlockingIOError)
    assert str(written) in str(caught.value)
    assert known(written) == UNITS


@pytest.mark.parametrize(("place", "cause"), [("here/is/a.file", NotADirectoryError), (".", IsADirectoryError)])
def test_journal_refuses_unusable_place(tmp_path, place, cause):
    (tmp_path / "here").write_text("")
    with pytest.raises(JournalUnusableError) as caught:
        known(tmp_path / place)
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
    journal = no_journal()
    journal.add("0 part", 1)
    assert journal.known == {"0 part": 1}


def test_default_journal_is_in_user_data(tmp_path):
    assert default_journal(RUN) == tmp_path / "data" / "evilpegs" / "journals" / f"{'5' * 24}.journal"
