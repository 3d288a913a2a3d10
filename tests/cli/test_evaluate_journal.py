"""The journal of a run: what was finished is found again, and nothing else is believed."""

from io import FileIO

import pytest

from evilpegs.errors import CommandError
from evilpegs.evaluating.journal import Journal, JournalUnusableError, default_journal, no_journal, opened_journal

RUN = "5" * 64
UNITS = {"0 choice": {"guess": "112", "parts": {"0,0": 8}}, "0 part 112:0,0": {"distribution": [0, 3, 5]}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "run.journal"


def known(path, run=RUN):
    with opened_journal(path, run, "minimax on 3x3") as journal:
        return dict(journal.known)


@pytest.fixture
def written(path):
    with opened_journal(path, RUN, "minimax on 3x3") as journal:
        for key, outcome in UNITS.items():
            journal.add(key, outcome)
    return path


def test_what_was_added_is_known_again(written):
    assert known(written) == UNITS


def test_it_is_known_at_once(path):
    with opened_journal(path, RUN, "") as journal:
        assert journal.known == {}
        journal.add("0 choice", 1)
        assert journal.known == {"0 choice": 1}


@pytest.mark.parametrize("cut", range(1, 20))
def test_a_torn_last_line_is_dropped_and_written_anew(written, cut):
    written.write_bytes(written.read_bytes()[:-cut])
    first, last = UNITS
    with opened_journal(written, RUN, "minimax on 3x3") as journal:
        assert journal.known == {first: UNITS[first]}
        journal.add(last, UNITS[last])
    assert known(written) == UNITS


def test_a_torn_heading_is_written_anew(path, written):
    whole = written.read_bytes()
    heading = whole.index(b"\n") + 1
    for length in range(heading):
        path.write_bytes(whole[:length])
        assert known(path) == {}
        assert path.read_bytes() == whole[:heading]


def test_a_changed_line_is_noticed(written):
    text = written.read_text()
    for before, after in [("[0,3,5]", "[0,4,4]"), ("0,0", "0,1"), ("choice", "part")]:
        written.write_text(text.replace(before, after, 1))
        with pytest.raises(CommandError, match=r"line [23] of the journal .* is damaged; delete the file"):
            known(written)


@pytest.mark.parametrize("place", range(10))
def test_any_changed_byte_is_noticed(written, place):
    data = bytearray(written.read_bytes())
    at = len(data) * place // 10
    data[at] ^= 1
    written.write_bytes(data)
    with pytest.raises(CommandError):
        known(written)


def test_the_journal_of_another_run_is_refused_and_not_touched(written):
    before = written.read_bytes()
    with pytest.raises(
        CommandError, match=r"another run \(minimax on 3x3\), not of the same strategy file and version"
    ):
        known(written, "6" * 64)
    assert written.read_bytes() == before


def test_a_line_of_another_journal_is_noticed(written, tmp_path):
    other = tmp_path / "other.journal"
    with opened_journal(other, "6" * 64, "") as journal:
        journal.add("0 part", {})
    with written.open("ab") as file:
        file.write(other.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(CommandError, match="line 4 of the journal"):
        known(written)


@pytest.mark.parametrize("text", ["hello", "hello\n", '["evilpegs journal 9",{}] 0\n'])
def test_a_file_of_another_kind_is_refused_and_not_touched(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(CommandError, match="is no journal of this program; name another file"):
        known(path)
    assert path.read_text() == text


def test_only_one_run_writes_to_it(written):
    with (
        opened_journal(written, RUN, ""),
        pytest.raises(JournalUnusableError, match="another run writes to the journal"),
        opened_journal(written, RUN, ""),
    ):
        pass
    assert known(written) == UNITS


@pytest.mark.parametrize("place", ["here/is/a.file", "."])
def test_a_place_where_none_can_be(tmp_path, place):
    (tmp_path / "here").write_text("")
    with pytest.raises(JournalUnusableError, match="cannot be written"):
        known(tmp_path / place)


def test_no_space_left_is_told():
    with FileIO("/dev/full", "a") as full, pytest.raises(OSError, match="No space left"):
        Journal(RUN, full).add("0 part", 1)


def test_half_a_line_is_no_space_left():
    class Half:
        def write(self, line):
            return len(line) // 2

    with pytest.raises(OSError, match="only a part"):
        Journal(RUN, Half()).add("0 part", 1)


def test_no_journal_remembers_for_as_long_as_it_lives():
    journal = no_journal()
    journal.add("0 part", 1)
    assert journal.known == {"0 part": 1}


def test_the_default_is_among_the_users_data(tmp_path):
    assert default_journal(RUN) == tmp_path / "data" / "evilpegs" / "journals" / f"{'5' * 24}.journal"
