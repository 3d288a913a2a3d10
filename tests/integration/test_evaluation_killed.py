"""An evaluation killed in mid-run and started again goes on from its journal, and finds the same numbers."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.gates import PATIENCE, Gate

MINIMAX = {"total": 5801, "max": 5, "distribution": [1, 6, 62, 533, 694]}


@pytest.fixture
def gate(tmp_path):
    with Gate(tmp_path) as gate:
        yield gate


@pytest.fixture
def evaluation(gate, tmp_path):
    """Start `evilpegs evaluate` on the gated strategy in a process; killed at the end if it still runs."""
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
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def finished(journal):
    """The units in the journal: pairs of kind and feedbacks so far."""
    keys = [json.loads(line.rpartition(" ")[0])[0] for line in journal.read_text().splitlines()[1:]]
    units = [key.split(" ")[1:] for key in keys]
    return {(kind, " ".join(turn.partition(":")[2] for turn in turns)) for kind, *turns in units}


def is_in(choice, units):
    """Whether a choice after these feedbacks belongs to one of the units."""
    return any(
        choice == feedbacks or (kind == "part" and choice.startswith(f"{feedbacks} ")) for kind, feedbacks in units
    )


def numbers(process):
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return {name: json.loads(out)[name] for name in MINIMAX}


def killed_in_mid_run(gate, evaluation, *options):
    """Kill a run of two processes, one of which stands before the gate; what its journal knew then."""
    process = evaluation("--jobs", "2", *options)
    worker = gate.arrival()
    assert worker != process.pid
    journal = Path(options[1]) if options else next((gate.folder / "data").rglob("*.journal"))
    wait_until(lambda: len(journal.read_bytes().splitlines()) > 10)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    wait_until(lambda: is_gone(worker))
    return journal


def test_a_run_killed_in_the_middle_goes_on_from_its_journal(gate, evaluation):
    journal = killed_in_mid_run(gate, evaluation)
    units = finished(journal)
    before = len(gate.choices)
    gate.open()
    assert numbers(evaluation("--jobs", "2")) == MINIMAX
    again = gate.choices[before:]
    assert len(units) >= 9
    assert "0,0" in again
    assert [choice for choice in again if choice and is_in(choice, units)] == []
    assert not journal.exists()


def test_a_journal_that_was_asked_for_stays_and_answers_at_once(gate, evaluation, tmp_path):
    journal = killed_in_mid_run(gate, evaluation, "--journal", str(tmp_path / "kept"))
    gate.open()
    assert numbers(evaluation("--journal", str(journal))) == MINIMAX
    before = len(gate.choices)
    assert numbers(evaluation("--journal", str(journal))) == MINIMAX
    assert len(gate.choices) == before


def test_a_changed_unit_is_noticed(gate, evaluation, tmp_path):
    """The control of the tests above: it is the journal that their second run believes."""
    journal = killed_in_mid_run(gate, evaluation, "--journal", str(tmp_path / "kept"))
    gate.open()
    text = journal.read_text()
    journal.write_text(re.sub(r'("distribution":\[\d+,)(\d)', lambda found: f"{found[1]}1{found[2]}", text, count=1))
    assert journal.read_text() != text
    process = evaluation("--journal", str(journal))
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert re.fullmatch(r"evilpegs: line \d+ of the journal .*kept is damaged; delete the file to begin anew\n", err)


def test_an_interrupted_run_says_where_it_goes_on(gate, evaluation):
    process = evaluation("--jobs", "2")
    worker = gate.arrival()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert re.fullmatch(r"interrupted; the same command goes on from \d+ finished units? in .*\.journal\n", err)
    wait_until(lambda: is_gone(worker))
    gate.open()
    assert numbers(evaluation()) == MINIMAX


def test_a_worker_that_is_killed_is_told_of_and_what_was_finished_is_kept(gate, evaluation):
    process = evaluation("--jobs", "2")
    os.kill(gate.arrival(), signal.SIGKILL)  # a process that this test's own run has started
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert re.fullmatch(r"evilpegs: a worker process was lost, .*; start again, with fewer --jobs if need be\n", err)
    (journal,) = (gate.folder / "data").rglob("*.journal")
    assert finished(journal)
    gate.open()
    assert numbers(evaluation()) == MINIMAX
    assert not journal.exists()
