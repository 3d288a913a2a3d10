"""An evaluation that is killed resumes from its journal and finds the same numbers."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evilpegs.main import main
from support.gates import Gate
from support.patience import PATIENCE
from support.processes import is_running
from support.waiting import wait_until

MINIMAX = {"total": 5801, "max": 5, "distribution": [1, 6, 62, 533, 694]}


@pytest.fixture
def gate(tmp_path):
    with Gate(tmp_path) as gate:
        yield gate


def arguments(gate, *options):
    return ["evaluate", str(gate.strategy), "--rules", "4x6", "--json", *options]


@pytest.fixture
def run(gate, tmp_path, monkeypatch, capsys):
    """Run `evilpegs evaluate` on the gated strategy in this process; return the status and the output."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(*options):
        capsys.readouterr()
        return main(arguments(gate, *options)), *capsys.readouterr()

    return run


@pytest.fixture
def evaluation(gate, tmp_path):
    """Start the same in a process of its own, which is killed at the end."""
    started = []

    def start(*options):
        environment = os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command = [sys.executable, "-m", "evilpegs", *arguments(gate, *options)]
        started.append(subprocess.Popen(command, env=environment, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def finished(journal):
    """Return the units in the journal as pairs of kind and feedbacks so far."""
    keys = [json.loads(line.rpartition(" ")[0])[0] for line in journal.read_text().splitlines()[1:]]
    units = [key.split(" ")[1:] for key in keys]
    return {(kind, " ".join(turn.partition(":")[2] for turn in turns)) for kind, *turns in units}


def is_in(choice, units):
    """Return whether a choice after these feedbacks belongs to one of the units."""
    return any(
        choice == feedbacks or (kind == "part" and choice.startswith(f"{feedbacks} ")) for kind, feedbacks in units
    )


def numbers(result):
    """Return the numbers in the document of a run."""
    status, out, err = result
    assert status == 0, err
    return {name: json.loads(out)[name] for name in MINIMAX}


def complaint(status, err, journal):
    """Return the status and the numbers in the complaint of a run about its journal.

    The complaint is one line. Digits in the path of the journal do not count.
    """
    assert err.count("\n") == 1, err
    assert str(journal) in err
    return status, re.findall(r"\d+", err.replace(str(journal), ""))


def killed_during_run(gate, evaluation, *options):
    """Kill a run of two processes, one of which waits at the gate; return its journal."""
    process = evaluation("--jobs", "2", *options)
    worker = gate.arrival()
    assert worker != process.pid
    journal = Path(options[1]) if options else next((gate.folder / "data").rglob("*.journal"))
    wait_until(lambda: len(journal.read_bytes().splitlines()) > 10)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    wait_until(lambda: not is_running(worker))
    return journal


def test_killed_run_resumes_from_journal(gate, evaluation, run):
    journal = killed_during_run(gate, evaluation)
    units = finished(journal)
    before = len(gate.choices)
    gate.open()
    assert numbers(run("--jobs", "2")) == MINIMAX
    again = gate.choices[before:]
    assert len(units) >= 9
    assert "0,0" in again
    assert [choice for choice in again if choice and is_in(choice, units)] == []
    assert not journal.exists()


def test_kept_journal_answers_without_playing_until_it_is_altered(gate, evaluation, run, tmp_path):
    """The end is the control: a run uses its journal."""
    journal = killed_during_run(gate, evaluation, "--journal", str(tmp_path / "kept"))
    gate.open()
    assert numbers(run("--journal", str(journal))) == MINIMAX
    before = len(gate.choices)
    assert numbers(run("--journal", str(journal))) == MINIMAX
    assert len(gate.choices) == before
    text = journal.read_text()
    altered = re.sub(r'("distribution":\[\d+,)(\d)', lambda found: f"{found[1]}1{found[2]}", text, count=1)
    journal.write_text(altered)
    pairs = zip(text.splitlines(), altered.splitlines(), strict=True)
    [number] = [number for number, (before, after) in enumerate(pairs, 1) if before != after]
    status, _, err = run("--journal", str(journal))
    assert complaint(status, err, journal) == (2, [str(number)])


def test_interrupted_run_names_its_journal(gate, evaluation, run):
    process = evaluation("--jobs", "2")
    worker = gate.arrival()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    [journal] = (gate.folder / "data").rglob("*.journal")
    assert complaint(process.returncode, err, journal) == (130, [str(len(finished(journal)))])
    wait_until(lambda: not is_running(worker))
    gate.open()
    assert numbers(run()) == MINIMAX


def test_killed_worker_keeps_finished_units(gate, evaluation, run):
    process = evaluation("--jobs", "2")
    os.kill(gate.arrival(), signal.SIGKILL)  # a process that this test's own run has started
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert "--jobs" in err
    (journal,) = (gate.folder / "data").rglob("*.journal")
    assert finished(journal)
    gate.open()
    assert numbers(run()) == MINIMAX
    assert not journal.exists()
