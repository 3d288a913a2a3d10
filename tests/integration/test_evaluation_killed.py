"""An evaluation that is killed resumes from its journal and finds the same numbers."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.gates import Gate
from support.patience import PATIENCE

MINIMAX = {"total": 5801, "max": 5, "distribution": [1, 6, 62, 533, 694]}


@pytest.fixture
def gate(tmp_path):
    with Gate(tmp_path) as gate:
        yield gate


@pytest.fixture
def evaluation(gate, tmp_path):
    """Return a function that starts `evilpegs evaluate` on the gated strategy; the process is killed at the end."""
    started = []

    def start(*options):
        command = [
            sys.executable,
            "-m",
            "evilpegs",
            "evaluate",
            str(gate.strategy),
            "--rules",
            "4x6",
            "--json",
            *options,
        ]
        environment = os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, env=environment, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


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


def finished_numbers(process):
    """Wait for the end of a process and return the numbers of its document."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return {name: json.loads(out)[name] for name in MINIMAX}


def complaint(process, journal):
    """Wait for the end of a process; return its status and the numbers in its complaint about the journal.

    The complaint is one line on stderr. Digits in the path of the journal do not count.
    """
    _, err = process.communicate(timeout=PATIENCE)
    assert err.count("\n") == 1, err
    assert str(journal) in err
    return process.returncode, re.findall(r"\d+", err.replace(str(journal), ""))


def killed_during_run(gate, evaluation, *options):
    """Kill a run of two processes, one of which waits at the gate; return its journal."""
    process = evaluation("--jobs", "2", *options)
    worker = gate.arrival()
    assert worker != process.pid
    journal = Path(options[1]) if options else next((gate.folder / "data").rglob("*.journal"))
    wait_until(lambda: len(journal.read_bytes().splitlines()) > 10)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    wait_until(lambda: is_gone(worker))
    return journal


def test_killed_run_resumes_from_journal(gate, evaluation):
    journal = killed_during_run(gate, evaluation)
    units = finished(journal)
    before = len(gate.choices)
    gate.open()
    assert finished_numbers(evaluation("--jobs", "2")) == MINIMAX
    again = gate.choices[before:]
    assert len(units) >= 9
    assert "0,0" in again
    assert [choice for choice in again if choice and is_in(choice, units)] == []
    assert not journal.exists()


def test_kept_journal_answers_without_playing(gate, evaluation, tmp_path):
    journal = killed_during_run(gate, evaluation, "--journal", str(tmp_path / "kept"))
    gate.open()
    assert finished_numbers(evaluation("--journal", str(journal))) == MINIMAX
    before = len(gate.choices)
    assert finished_numbers(evaluation("--journal", str(journal))) == MINIMAX
    assert len(gate.choices) == before


def test_altered_journal_line_is_refused(gate, evaluation, tmp_path):
    """The control of the tests above: their second run uses the journal."""
    journal = killed_during_run(gate, evaluation, "--journal", str(tmp_path / "kept"))
    gate.open()
    text = journal.read_text()
    altered = re.sub(r'("distribution":\[\d+,)(\d)', lambda found: f"{found[1]}1{found[2]}", text, count=1)
    journal.write_text(altered)
    pairs = zip(text.splitlines(), altered.splitlines(), strict=True)
    [number] = [number for number, (before, after) in enumerate(pairs, 1) if before != after]
    assert complaint(evaluation("--journal", str(journal)), journal) == (2, [str(number)])


def test_interrupted_run_names_its_journal(gate, evaluation):
    process = evaluation("--jobs", "2")
    worker = gate.arrival()
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    [journal] = (gate.folder / "data").rglob("*.journal")
    assert complaint(process, journal) == (130, [str(len(finished(journal)))])
    wait_until(lambda: is_gone(worker))
    gate.open()
    assert finished_numbers(evaluation()) == MINIMAX


def test_killed_worker_keeps_finished_units(gate, evaluation):
    process = evaluation("--jobs", "2")
    os.kill(gate.arrival(), signal.SIGKILL)  # a process that this test's own run has started
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert "--jobs" in err
    (journal,) = (gate.folder / "data").rglob("*.journal")
    assert finished(journal)
    gate.open()
    assert finished_numbers(evaluation()) == MINIMAX
    assert not journal.exists()
