"""Evaluation on a real Dask scheduler with two worker processes, one of which is killed during a run."""

import json
import re
import subprocess
import sys
from contextlib import ExitStack
from threading import Thread

import pytest

from evilpegs.main import main
from support.gates import Gate
from support.patience import PATIENCE
from support.waiting import wait_until


class Cluster:
    """A scheduler and two workers; ``workers`` maps process ids to processes."""

    def __init__(self, folder, processes):
        self.folder, self.processes, self.workers = folder, processes, {}
        scheduler = f"scheduler --idle-timeout {10 * PATIENCE} --host tcp://127.0.0.1 --port 0 --dashboard-address :0"
        self.start("scheduler", *scheduler.split())
        self.address = self.wait_for("scheduler", r"Scheduler at: +(tcp://\S+)")
        for name in ("anna", "berta"):
            options = f"--no-nanny --nthreads 1 --dashboard-address :0 --death-timeout {PATIENCE} --local-directory"
            worker = self.start(name, "worker", self.address, *options.split(), str(self.folder / name))
            self.workers[worker.pid] = worker
        for name in ("anna", "berta"):
            self.wait_for(name, r"Registered to: +(tcp://\S+)")

    def start(self, name, *arguments):
        """Start a process that ends when ``processes`` is closed; its output goes to a file."""
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [sys.executable, "-m", "dask", *arguments]
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder)
        self.processes.callback(process.wait)
        self.processes.callback(process.kill)
        return process

    def wait_for(self, name, pattern):
        """Return what the group of ``pattern`` first matches in the output of a process."""
        return wait_until(lambda: re.search(pattern, (self.folder / f"{name}.log").read_text()))[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with ExitStack() as processes:
        yield Cluster(tmp_path_factory.mktemp("cluster"), processes)


@pytest.fixture
def evaluated(capsys, monkeypatch, tmp_path):
    """Return a function that runs `evilpegs evaluate` in this process and returns its JSON document."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def evaluated(*arguments):
        capsys.readouterr()
        assert main(["evaluate", *map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return evaluated


def test_cluster_numbers_equal_one_process(cluster, evaluated):
    for arguments in (
        ["minimax"],
        ["random-consistent", "--first", "123", "--rules", "3x6"],
        ["sampled", "--games", "20"],
    ):
        alone, together = evaluated(*arguments), evaluated(*arguments, "--cluster", cluster.address)
        times = dict.fromkeys({"seconds", "ms_per_guess"} & set(alone))
        assert together | times == alone | times


def test_cluster_names_failing_strategy_and_line(cluster, capsys, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise LookupError('nowhere')\n")
    assert main(["evaluate", str(tmp_path / "mine.py"), "--cluster", cluster.address]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert all(text in err for text in ("mine.py", "LookupError", "nowhere"))
    assert re.findall(r"\d+", err) == ["1", "2"], "the turn and the line"


def test_cluster_run_survives_killed_worker(cluster, evaluated, tmp_path):
    killed = []

    def kill_worker_at_gate():
        pid = gate.arrival()
        killed.append(pid)
        cluster.workers[pid].kill()
        cluster.workers[pid].wait(PATIENCE)
        gate.open()

    with Gate(tmp_path) as gate:
        killer = Thread(target=kill_worker_at_gate)
        killer.start()
        found = evaluated(gate.strategy, "--rules", "4x6", "--cluster", cluster.address)
        killer.join(PATIENCE)
        assert (found["total"], found["max"], found["distribution"]) == (5801, 5, [1, 6, 62, 533, 694])
        assert cluster.workers[killed[0]].returncode == -9
        assert gate.choices.count("0,0") == 2, "the unit of the killed worker was played again"
