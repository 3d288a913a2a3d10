"""`evilpegs solve`."""

import errno
import os
import signal

import pytest

from evilpegs.commands.solve import (
    PRINT_INTERVAL,
    SAVE_INTERVAL,
    TRIED_INTERVAL,
    BoundsProgress,
    ProofLogFile,
    TriedProgress,
    run_solver,
)
from evilpegs.errors import CommandError
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.first_guesses import Progress
from evilpegs_game.optimal.proof_log import KnownBounds, ProofLog, Subproblem, format_line
from evilpegs_game.optimal.search_state import UNLIMITED
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import parse_tree
from support.plain_least_total import play_all
from support.printed import numbers_in

FACT = {Subproblem(UNLIMITED, (0, 0, 1), Feedback(1, 0)): KnownBounds(9)}


def test_solve_writes_tree_to_standard_output(run):
    result = run("solve", "--rules", "3x3")
    assert result.status == 0
    assert play_all(parse_tree(result.out)) == (73, 4)
    first, *_, last = result.err.splitlines()
    assert {"3x3", "27", "3", "12"} <= numbers_in(first)
    assert {"3x3", "73", "27", "2.703704", "4"} <= numbers_in(last)


def test_solve_writes_tree_that_certifies(run, tmp_path):
    result = run("solve", "--rules", "3x3", "--objective", "worst", "--out", tmp_path / "best.tree", "--threads", "2")
    (line,) = result.out.splitlines()
    assert {"3x3", "73", "27", "4"} <= numbers_in(line)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("best")] == ["best.tree"]
    assert run("certify", tmp_path / "best.tree", "--json").document["total"] == 73


def test_solve_json_has_documented_keys(run, tmp_path):
    document = run("solve", "--rules", "2x3", "--json").document
    assert play_all(parse_tree(document.pop("tree"))) == (21, 3)
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
    assert play_all(parse_tree((tmp_path / "best.tree").read_text())) == (21, 3)


def test_solve_dry_run_shows_cost(run, tmp_path):
    result = run("solve", "--rules", "4x6", "--dry-run", "--out", "best.tree")
    (line,) = result.out.splitlines()
    assert {"4x6", "1,296", "5", "625"} <= numbers_in(line)
    assert list(tmp_path.iterdir()) == []
    document = run("solve", "--rules", "4x6", "--dry-run", "--json").document
    assert document["first_guesses"] == 5
    assert 2**20 < document["memory"] < 2**30


def test_solve_named_journal_stays(run, tmp_path):
    path = tmp_path / "3x3.journal"
    run("solve", "--rules", "3x3", "--journal", path)
    kept = ProofLog.from_bytes(path.read_bytes())
    assert kept.known
    assert run("solve", "--rules", "3x3", "--journal", path).status == 0
    result = run("solve", "--rules", "3x4", "--journal", path)
    assert (result.status, result.out) == (2, "")
    assert {"3x3", "3x4"} <= numbers_in(result.complaint)
    assert str(path) in result.complaint


def test_solve_leaves_foreign_journal_untouched(run, tmp_path):
    for content in (b"a diary\n", b"\xff\xfe"):
        (tmp_path / "diary").write_bytes(content)
        result = run("solve", "--rules", "3x3", "--journal", tmp_path / "diary")
        assert (result.status, result.out) == (2, "")
        assert str(tmp_path / "diary") in result.complaint
        assert (tmp_path / "diary").read_bytes() == content


UNUSABLE = {
    "damaged": (lambda data: data.replace(b" 9 ", b" 900 "), {"2"}),
    "no text": (lambda data: data.replace(b" 9 ", b" \xff "), {"2"}),
    "torn": (lambda data: data[:-1], {"2"}),
    "version 0.1.0": (lambda _: b"evilpegs journal 1\nrules 3x3\n", set()),
    "another version": (lambda data: data.replace(b"proof log 2", b"proof log 3"), set()),
    "no rules": (lambda _: format_line("evilpegs proof log 2 no rules", ""), set()),
}


@pytest.mark.parametrize(("change", "lines"), UNUSABLE.values(), ids=UNUSABLE)
def test_solve_ignores_unusable_journal_with_warning(run, tmp_path, change, lines):
    """The warning names the file as the option does, and the damaged line if there is one."""
    journal = ProofLog(Rules(3, 3))
    journal.known.update(FACT)
    (tmp_path / "kept").write_bytes(change(journal.to_bytes()))
    result = run("solve", "--rules", "3x3", "--journal", tmp_path / "kept", "--json")
    assert result.document["total"] == 73
    beginning = f"evilpegs: {tmp_path / 'kept'}: "
    (warning,) = [line for line in result.err.splitlines() if line.startswith(beginning)]
    assert "journal" in warning
    assert "proof log" not in warning
    assert numbers_in(warning.removeprefix(beginning)) == lines


def test_solve_reads_empty_journal(run, tmp_path):
    (tmp_path / "journal").write_text("")
    assert run("solve", "--rules", "3x3", "--journal", tmp_path / "journal", "--json").document["total"] == 73


def test_solve_interrupt_keeps_journal_and_prints_bounds(tmp_path):
    def interrupted(rules, objective, threads, journal, progress):
        if journal:
            journal.known.update(FACT)
        progress(Progress(None, 70, 75))
        raise KeyboardInterrupt

    file = ProofLogFile(tmp_path / "journal", Rules(3, 3), Clock())
    for kept in (file, None):
        out = Lines()
        with pytest.raises(KeyboardInterrupt):
            run_solver(interrupted, Rules(3, 3), "mean", 1, kept, out)
        assert list(map(numbers_in, out.printed)) == [{"3x3", "70", "75"}]
    assert ProofLog.from_bytes((tmp_path / "journal").read_bytes()).known == FACT
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]


def wait_for_bounds(child):
    """Read the cost and the first bounds that a proof prints."""
    assert child.process.stderr.readline()
    assert child.process.stderr.readline()


@pytest.mark.full
def test_solve_resumes_after_interrupt_and_kill(start, tmp_path):
    """4x7 takes seconds; the journal is saved once a part is proved, even if the run is killed later."""
    with start("solve", "--rules", "4x7", "--out", tmp_path / "best.tree") as child:
        wait_for_bounds(child)
        ended = child.end(signal.SIGINT)
    assert (ended.status, ended.out) == (130, "")
    assert "Traceback" not in ended.err
    kept = ProofLog.from_bytes((tmp_path / "best.tree.journal").read_bytes())
    assert kept.rules == Rules(4, 7)
    assert kept.known
    assert not (tmp_path / "best.tree").exists()
    with start("solve", "--rules", "4x7", "--out", tmp_path / "best.tree") as child:
        wait_for_bounds(child)
        assert child.end(signal.SIGKILL).status == -signal.SIGKILL
    again = ProofLog.from_bytes((tmp_path / "best.tree.journal").read_bytes())
    assert kept.known.keys() <= again.known.keys()


def test_solve_claims_no_proof_from_forged_journal(run, tmp_path):
    """A forged journal promises a tree that does not exist; the guesses of the real tree are counted nevertheless."""
    run("solve", "--rules", "3x3", "--journal", tmp_path / "journal")
    journal = ProofLog.from_bytes((tmp_path / "journal").read_bytes())
    for question, answer in list(journal.known.items()):
        journal.known[question] = answer._replace(lower=answer.lower - 1, upper=answer.lower - 1)
    (tmp_path / "journal").write_bytes(journal.to_bytes())
    result = run("solve", "--rules", "3x3", "--journal", tmp_path / "journal", "--json")
    assert play_all(parse_tree(result.document["tree"])) == (result.document["total"], result.document["max"])
    assert not result.document["proved"]
    assert result.document["lower"] < result.document["total"]
    *_, summary = run("solve", "--rules", "3x3", "--journal", tmp_path / "journal").err.splitlines()
    assert {str(result.document["lower"]), str(result.document["total"])} <= numbers_in(summary)


class Clock:
    """A clock whose time, in seconds, is set by the test."""

    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


def test_solve_journal_is_saved_every_few_seconds(tmp_path):
    clock = Clock()
    file = ProofLogFile(tmp_path / "journal", Rules(3, 3), clock)
    file.proof_log.known.update(FACT)
    clock.time += SAVE_INTERVAL - 0.1
    file.tick()
    assert not (tmp_path / "journal").exists()
    clock.time += 0.1
    file.tick()
    assert ProofLogFile(tmp_path / "journal", Rules(3, 3), clock).proof_log.known == FACT
    (tmp_path / "journal").unlink()
    file.tick()
    assert list(tmp_path.iterdir()) == []
    file.remove()


def test_solve_journal_survives_failed_save(tmp_path, monkeypatch):
    file = ProofLogFile(tmp_path / "journal", Rules(3, 3), Clock())
    file.save()
    before = (tmp_path / "journal").read_text()
    file.proof_log.known.update(FACT)

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CommandError, match=os.strerror(errno.ENOSPC)) as caught:
        file.save()
    assert str(tmp_path / "journal") in str(caught.value)
    assert (tmp_path / "journal").read_text() == before
    assert len(list(tmp_path.iterdir())) == 1


class Lines:
    """A console that keeps what is printed to it."""

    def __init__(self):
        self.printed = []

    def print(self, line):
        self.printed.append(line)


def test_tried_progress_prints_each_number_and_signs_of_life():
    out, clock = Lines(), Clock()
    progress = TriedProgress(out, Rules(5, 7), clock)
    for seconds, guesses in ((0, 5), (1, 5), (1, 6), (TRIED_INTERVAL - 1, 6), (1, 6), (1, 6), (TRIED_INTERVAL, 6)):
        clock.time += seconds
        progress(guesses)
    words = [line.split() for line in out.printed]
    assert [line[2] for line in words] == ["5", "6", "6", "6"]
    assert [line[5:] for line in words] == [[], [], ["5", "s"], ["11", "s"]]


def test_bounds_progress_limits_rate_of_lines():
    out, clock = Lines(), Clock()
    progress = BoundsProgress(out, Rules(4, 6), clock)
    for bounds in (Progress(None, 5200, None), Progress(None, 5200, 5700)):
        progress(bounds)
    assert out.printed == []
    clock.time += PRINT_INTERVAL
    progress(Progress(None, 5200, 5700))
    progress(Progress(None, 5600, 5700))
    clock.time += PRINT_INTERVAL
    progress(Progress(None, 5625, 5625))
    progress.print_latest()
    assert list(map(numbers_in, out.printed)) == [{"4x6", "5,200", "5,700"}, {"4x6", "5,625"}]


BOUNDS = {
    Progress(None, 5200, None): {"4x6", "5,200"},
    Progress(None, 5200, 5200): {"4x6", "5,200"},
    Progress(None, 5200, 5700): {"4x6", "5,200", "5,700"},
    Progress(5, 5200, 5700): {"4x6", "5,200", "5,700", "5"},
    Progress(5, 5200, None): {"4x6", "5,200", "5"},
    Progress(4, None, None): {"4x6", "4"},
}


def test_bounds_progress_prints_numbers_of_all_bounds():
    out = Lines()
    for bounds in BOUNDS:
        progress = BoundsProgress(out, Rules(4, 6), Clock())
        progress(bounds)
        progress.print_latest()
    assert list(map(numbers_in, out.printed)) == list(BOUNDS.values())
    assert len(set(out.printed)) == len(BOUNDS)


def test_solve_against_evil_shows_shortest_line(run):
    document = run("solve", "--rules", "3x3", "--against", "evil", "--json").document
    assert (document["rules"], document["against"], document["guesses"]) == ("3x3", "evil", 3)
    assert document["turns"][-1]["black"] == 3
    result = run("solve", "--rules", "3x3", "--against", "evil")
    assert result.out.startswith("evil ")
    assert numbers_in(result.out.splitlines()[0]) == {"3x3", "3"}
    assert result.out.splitlines()[-1].split()[-2:] == ["3,0", "1"]
    assert numbers_in(result.err.splitlines()[-1]) == {"3x3", "3"}


def test_solve_against_devil_shows_fewest_guesses(run):
    assert run("solve", "--rules", "3x5", "--against", "devil", "--json").document == {
        "rules": "3x5",
        "against": "devil",
        "guesses": 5,
    }
    out = run("solve", "--rules", "3x3", "--against", "devil").out
    assert out.startswith("devil ")
    assert out.count("\n") == 1
    assert numbers_in(out) == {"3x3", "4"}


def test_solve_against_devil_writes_both_trees(run, tmp_path):
    result = run("solve", "--rules", "3x5", "--against", "devil", "--out", "a.tree", "--adversary", "a.adversary")
    assert numbers_in(result.out) == {"3x5", "5"}
    tried = [numbers_in(line) - {"3x5"} for line in result.err.splitlines()]
    assert tried == [{"4"}, {"5"}, {"5"}, {"4"}]
    assert run("certify", "a.tree", "--json").document["max"] == 5
    assert run("certify", "a.adversary", "--json").document["at_least"] == 5
    result = run("solve", "--rules", "3x3", "--against", "devil", "--adversary", "a.tree")
    assert result.status == 0
    assert (tmp_path / "a.tree").read_text() == "evilpegs adversary 1\nrules 3x3\nguesses 3\n"
