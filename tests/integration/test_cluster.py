"""A real Dask scheduler and two workers, processes on loopback: one is killed in mid-run; the numbers are the same."""

import json
import select
import subprocess
import sys
from contextlib import ExitStack
from threading import Thread

import pytest

from evilpegs.main import main
from support.gates import PATIENCE, Gate


class Cluster:
    """Processes that are gone at the end of the block, however it ends."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = ExitStack()
        self.workers = {}
        self.address = ""

    def __enter__(self):
        arguments = (
            "scheduler",
            "--host",
            "tcp://127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--dashboard-address",
            ":0",
        )
        scheduler = self.start("scheduler", *arguments)
        self.address = self.read(scheduler, "Scheduler at:")
        for name in ("anna", "berta"):
            options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--dashboard-address", ":0")
            worker = self.start(name, "worker", self.address, *options, "--local-directory", str(self.folder / name))
            self.workers[worker.pid] = worker
        for worker in self.workers.values():
            self.read(worker, "Registered to:")
        return self

    def start(self, name, *arguments):
        command = [sys.executable, "-m", "dask", *arguments]
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=self.folder, bufsize=0
        )
        self.processes.callback(process.stderr.close)
        self.processes.callback(process.wait)
        self.processes.callback(process.kill)
        return process

    def read(self, process, heading):
        """The last word of the line with that heading, waited for within bounds."""
        said = b""
        while True:
            assert select.select([process.stderr], [], [], PATIENCE)[0], said
            more = process.stderr.read(4096)
            assert more, said
            said += more
            for line in said.decode().splitlines(keepends=True):
                if heading in line and line.endswith("\n"):
                    return line.split()[-1]

    def __exit__(self, *_):
        self.processes.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def evaluated(capsys, monkeypatch, tmp_path):
    """The document of `evilpegs evaluate` with these arguments, run in this process."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def evaluated(*arguments):
        capsys.readouterr()
        assert main(["evaluate", *map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return evaluated


def test_the_numbers_are_those_of_one_process(cluster, evaluated):
    for arguments in (["minimax"], ["random-consistent", "--first", "1234"], ["sampled", "--games", "50"]):
        alone, together = evaluated(*arguments), evaluated(*arguments, "--cluster", cluster.address)
        assert together | {"seconds": 0} == alone | {"seconds": 0}


def test_a_strategy_that_fails_there_is_told_of_here(cluster, capsys, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return 1 / 0\n")
    assert main(["evaluate", str(tmp_path / "mine.py"), "--cluster", cluster.address]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "evilpegs: strategy mine.py failed at turn 1: ZeroDivisionError: division by zero (line 2)\n"


def test_a_worker_is_killed_in_mid_run(cluster, evaluated, tmp_path):
    killed = []

    def kill_who_comes():
        pid = gate.arrival()
        killed.append(pid)
        cluster.workers[pid].kill()
        cluster.workers[pid].wait(PATIENCE)
        gate.open()

    with Gate(tmp_path) as gate:
        killer = Thread(target=kill_who_comes)
        killer.start()
        found = evaluated(gate.strategy, "--rules", "4x6", "--cluster", cluster.address)
        killer.join(PATIENCE)
        assert (found["total"], found["max"], found["distribution"]) == (5801, 5, [1, 6, 62, 533, 694])
        assert cluster.workers[killed[0]].returncode == -9
        assert gate.choices.count("0,0") == 2, "the unit of the killed worker was played again"
