"""`evilpegs solve`."""

import signal

import pytest

from evilpegs.errors import CommandError
from evilpegs.solving import journal_file, tightening
from evilpegs.solving.journal_file import JournalFile
from evilpegs.solving.tightening import Tightening
from evilpegs_game import optimal
from evilpegs_game.feedback import Feedback
from evilpegs_game.least.board import UNLIMITED
from evilpegs_game.least.journal import Answer, Journal, Question
from evilpegs_game.optimal import Progress
from evilpegs_game.rules import Rules
from evilpegs_game.tree import parse_tree
from support.plain_least_total import played

FACT = {Question(UNLIMITED, (0, 0, 1), Feedback(1, 0)): Answer(9)}


def test_the_tree_goes_to_standard_output(run):
    result = run("solve", "--rules", "3x3")
    assert result.status == 0
    assert played(parse_tree(result.out)) == (73, 4)
    assert result.err.startswith("3x3: 27 codes, 3 first guesses that differ, 12 codes at most after one; at most ")
    assert "73 guesses for 27 codes, mean 2.703704, at most 4; proved in " in result.err.splitlines()[-1]


def test_the_tree_goes_to_a_file_and_can_be_certified(run, tmp_path):
    result = run("solve", "--rules", "3x3", "--objective", "worst", "--out", tmp_path / "best.tree", "--threads", "2")
    assert "at most 4; proved" in result.out
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("best")] == ["best.tree"]
    assert run("certify", tmp_path / "best.tree", "--json").document["total"] == 73


def test_the_document(run, tmp_path):
    document = run("solve", "--rules", "2x3", "--json").document
    assert played(parse_tree(document.pop("tree"))) == (21, 3)
    assert document.pop("seconds") >= 0
    assert document == {
        "rules": "2x3",
        "objective": "mean",
        "first": "12",
        "codes": 9,
        "total": 21,
        "mean": 21 / 9,
        "max": 3,
        "lower": 21,
        "proved": True,
    }
    document = run("solve", "--rules", "2x3", "--json", "--out", "best.tree").document
    assert document["out"] == "best.tree"
    assert played(parse_tree((tmp_path / "best.tree").read_text())) == (21, 3)


def test_a_dry_run_says_what_it_costs(run):
    result = run("solve", "--rules", "4x6", "--dry-run", "--out", "best.tree")
    assert result.out.startswith("4x6: 1,296 codes, 5 first guesses that differ, 625 codes at most after one; at most ")
    document = run("solve", "--rules", "4x6", "--dry-run", "--json").document
    assert document["first_guesses"] == 5
    assert 2**20 < document["memory"] < 2**30


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--rules", "8x10"), "8x10 is too large for optimal play; it may have 1,048,576 codes and 9 pegs"),
        (
            ("--rules", "5x8"),
            "16,807 codes of 5x8, which one first guess leaves, are too many for optimal play: they take ",
        ),
        (("--rules", "3x3", "--threads", "0"), "--threads must be 1 to 256, not 0"),
        (("--rules", "3x3", "--out", "--json"), "--json stands where a file should"),
        (("--rules", "3x3", "--objective", "best"), "Invalid value"),
        (("--rules", "8x10", "--against", "devil"), "8x10 is too large to be solved exactly"),
        (("--rules", "8x10", "--against", "evil"), "8x10 is too large for optimal play"),
        (("--rules", "3x3", "--journal", "nowhere/journal"), "cannot write the journal at nowhere/journal: "),
        (("--rules", "3x3", "--out", "nowhere/tree"), "cannot write nowhere/tree: No such file or directory; choose"),
        (("--rules", "3x3", "--journal", "."), "cannot read the journal at .: Is a directory; name another file"),
    ],
)
def test_bad_input_gets_one_line(run, arguments, complaint):
    result = run("solve", *arguments)
    assert result.status == 2
    assert result.err.splitlines()[-1].removeprefix("evilpegs: ").startswith(complaint)
    assert not result.out


def test_a_named_journal_stays(run, tmp_path):
    path = tmp_path / "3x3.journal"
    run("solve", "--rules", "3x3", "--journal", path)
    kept = Journal.from_text(path.read_text())
    assert kept.answers
    assert run("solve", "--rules", "3x3", "--journal", path).status == 0
    assert run("solve", "--rules", "3x4", "--journal", path).complaint == (
        f"{path} is a journal of 3x3, not of 3x4; name another file"
    )


def test_another_kind_of_file_is_left_alone(run, tmp_path):
    for content in (b"a diary\n", b"\xff\xfe"):
        (tmp_path / "diary").write_bytes(content)
        result = run("solve", "--rules", "3x3", "--journal", tmp_path / "diary")
        assert result.status == 2
        assert "holds something else than a journal; name another file" in result.err
        assert (tmp_path / "diary").read_bytes() == content


def test_a_damaged_journal_is_told_of_and_not_believed(run, tmp_path):
    journal = Journal(Rules(3, 3))
    journal.answers.update(FACT)
    (tmp_path / "journal").write_text(journal.to_text().replace(" 9 ", " 900 "))
    result = run("solve", "--rules", "3x3", "--journal", tmp_path / "journal", "--json")
    assert result.document["total"] == 73
    assert f"evilpegs: {tmp_path / 'journal'}: the journal is damaged; the proof begins anew" in result.err.splitlines()
    (tmp_path / "journal").write_text("")
    assert run("solve", "--rules", "3x3", "--journal", tmp_path / "journal", "--json").document["total"] == 73


def test_an_interrupted_proof_keeps_what_it_has(run, monkeypatch, tmp_path):
    def interrupted(rules, objective, threads, journal, progress):
        if journal:
            journal.answers.update(FACT)
        progress(Progress(None, 70, 75))
        raise KeyboardInterrupt

    monkeypatch.setattr(optimal, "solve", interrupted)
    result = run("solve", "--rules", "3x3", "--out", "best.tree")
    assert result.status == 130
    assert result.err.splitlines()[-1] == "3x3: 70 to 75 guesses in all"
    assert Journal.from_text((tmp_path / "best.tree.journal").read_text()).answers == FACT
    result = run("solve", "--rules", "3x3")
    assert (result.status, result.out) == (130, "")


def test_ctrl_c_ends_a_long_proof_and_a_killed_one_goes_on(start, tmp_path):
    """4x7 takes seconds; the journal is there once a part is proved, though the run is killed later."""
    with start("solve", "--rules", "4x7", "--out", tmp_path / "best.tree") as child:
        while b"guesses in all" not in (line := child.process.stderr.readline()):
            assert line
        ended = child.end(signal.SIGINT)
    assert ended.status == 130
    assert "Traceback" not in ended.err
    kept = Journal.from_text((tmp_path / "best.tree.journal").read_text())
    assert kept.rules == Rules(4, 7)
    assert kept.answers
    assert not (tmp_path / "best.tree").exists()
    with start("solve", "--rules", "4x7", "--out", tmp_path / "best.tree") as child:
        while b"guesses in all" not in (line := child.process.stderr.readline()):
            assert line
        assert child.end(signal.SIGKILL).status == -signal.SIGKILL
    again = Journal.from_text((tmp_path / "best.tree.journal").read_text())
    assert kept.answers.keys() <= again.answers.keys()


def test_what_a_journal_has_wrong_is_not_called_proved(run, tmp_path):
    """Somebody wrote himself a tree that there is not; what the tree does is counted all the same."""
    run("solve", "--rules", "3x3", "--journal", tmp_path / "journal")
    journal = Journal.from_text((tmp_path / "journal").read_text())
    for question, answer in list(journal.answers.items()):
        journal.answers[question] = answer._replace(lower=answer.lower - 1, upper=answer.lower - 1)
    (tmp_path / "journal").write_text(journal.to_text())
    result = run("solve", "--rules", "3x3", "--journal", tmp_path / "journal", "--json")
    assert played(parse_tree(result.document["tree"])) == (result.document["total"], result.document["max"])
    assert not result.document["proved"]
    assert "no tree has under" in run("solve", "--rules", "3x3", "--journal", tmp_path / "journal").err


class Clock:
    """Time in seconds that a test sets."""

    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


def test_a_journal_is_saved_every_few_seconds(tmp_path):
    clock = Clock()
    file = JournalFile(tmp_path / "journal", Rules(3, 3), clock)
    file.journal.answers.update(FACT)
    clock.time += journal_file.SAVED_EVERY - 0.1
    file.tick()
    assert not (tmp_path / "journal").exists()
    clock.time += 0.1
    file.tick()
    assert JournalFile(tmp_path / "journal", Rules(3, 3), clock).journal.answers == FACT
    (tmp_path / "journal").unlink()
    file.tick()
    assert list(tmp_path.iterdir()) == []
    file.remove()


def test_a_journal_that_cannot_be_replaced_stays_whole(tmp_path, monkeypatch):
    file = JournalFile(tmp_path / "journal", Rules(3, 3), Clock())
    file.save()
    before = (tmp_path / "journal").read_text()
    file.journal.answers.update(FACT)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CommandError, match="cannot write the journal"):
        file.save()
    assert (tmp_path / "journal").read_text() == before
    assert len(list(tmp_path.iterdir())) == 1


class Lines:
    def __init__(self):
        self.told = []

    def print(self, line):
        self.told.append(line)


def test_bounds_are_told_as_they_tighten_but_not_too_often():
    out, clock = Lines(), Clock()
    tell = Tightening(out, Rules(4, 6), clock)
    for bounds in (Progress(None, 5200, None), Progress(None, 5200, 5700)):
        tell(bounds)
    assert out.told == []
    clock.time += tightening.TOLD_EVERY
    tell(Progress(None, 5200, 5700))
    tell(Progress(None, 5600, 5700))
    clock.time += tightening.TOLD_EVERY
    tell(Progress(None, 5625, 5625))
    tell.tell()
    assert out.told == ["4x6: 5,200 to 5,700 guesses in all", "4x6: 5,625 guesses in all, proved"]


@pytest.mark.parametrize(
    ("bounds", "line"),
    [
        (Progress(None, 5200, None), "4x6: at least 5,200 guesses in all"),
        (Progress(5, 5200, 5700), "4x6: 5,200 to 5,700 guesses in all within 5 guesses"),
        (Progress(4, None, None), "4x6: 4 guesses are not enough for every code"),
    ],
)
def test_what_bounds_say(bounds, line):
    out = Lines()
    tell = Tightening(out, Rules(4, 6), Clock())
    tell(bounds)
    tell.tell()
    assert out.told == [line]


def test_the_shortest_line_against_evil(run):
    document = run("solve", "--rules", "3x3", "--against", "evil", "--json").document
    assert (document["rules"], document["against"], document["guesses"]) == ("3x3", "evil", 3)
    assert document["turns"][-1]["black"] == 3
    result = run("solve", "--rules", "3x3", "--against", "evil")
    assert result.out.splitlines()[0] == "evil on 3x3 can be beaten with 3 guesses and no fewer"
    assert result.out.splitlines()[-1].split()[-2:] == ["3,0", "1"]
    assert result.err.splitlines()[-1] == "3x3: trying 3 guesses"


@pytest.mark.parametrize(
    "option",
    [["--objective", "worst"], ["--out", "a.tree"], ["--journal", "a"], ["--threads", "2"], ["--dry-run"]],
    ids=lambda option: option[0],
)
@pytest.mark.parametrize("adversary", ["evil", "devil"])
def test_what_is_of_no_use_against_an_adversary_is_refused(run, tmp_path, adversary, option):
    result = run("solve", "--rules", "3x3", "--against", adversary, *option)
    assert (result.status, result.out) == (2, "")
    assert result.complaint == f"{option[0]} is for the best strategy, not for --against; take one of them"
    assert list(tmp_path.iterdir()) == []


def test_the_least_against_the_devil(run):
    assert run("solve", "--rules", "3x5", "--against", "devil", "--json").document == {
        "rules": "3x5",
        "against": "devil",
        "guesses": 5,
    }
    out = run("solve", "--rules", "3x3", "--against", "devil").out
    assert out == "devil on 3x3 can be beaten with 4 guesses and no fewer\n"
