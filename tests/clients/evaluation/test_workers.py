"""Workers: units run in this process, in other processes or on a cluster."""

import os
import signal
import socket
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import active_children, resource_tracker, util

import pytest

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.workers import ProcessPool, open_workers


def test_workers_of_one_is_this_process():
    with open_workers(1, None) as here:
        assert here.executor.submit(os.getpid).result() == os.getpid()
        with pytest.raises(ZeroDivisionError):
            here.executor.submit(divmod, 1, 0)


def test_workers_of_jobs_is_other_processes(capfd):
    """What they print goes to standard error."""
    with open_workers(2, None) as others:
        assert others.executor.submit(os.getpid).result() != os.getpid()
        assert others.executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
        others.executor.submit(print, "thinking", flush=True).result()
    assert not active_children()
    assert capfd.readouterr() == ("", "thinking\n")


def test_interrupt_is_deferred_while_process_may_start(monkeypatch):
    blocked = []

    def note_mask(*_):
        blocked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))

    with open_workers(2, None) as others:
        assert others.executor.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result() == set()
        monkeypatch.setattr(ProcessPoolExecutor, "submit", note_mask)
        others.executor.submit(print)
        note_mask()
    assert blocked == [True, False]


def test_interrupt_of_another_thread_waits_until_process_is_started(monkeypatch, capfd):
    """The handler runs in this thread then, whatever it masks. Without the guard the process prints a traceback."""
    processes, spawn = [], util.spawnv_passfds
    resource_tracker.ensure_running()  # a process that may not be interrupted either

    def spawn_interrupted(*arguments):
        processes.append(spawn(*arguments))
        signal.getsignal(signal.SIGINT)(signal.SIGINT, None)
        return processes[-1]

    def interrupted():
        with pytest.raises(KeyboardInterrupt), open_workers(2, None) as others:
            others.executor.submit(os.getpid)
        with suppress(ChildProcessError):  # the pool has waited for those that it knows
            os.waitpid(processes[-1], 0)
        return capfd.readouterr().err

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # there is none in the background
    try:
        monkeypatch.setattr(util, "spawnv_passfds", spawn_interrupted)
        assert interrupted() == ""
        monkeypatch.setattr(ProcessPool, "submit", ProcessPoolExecutor.submit)
        assert "Traceback" in interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


def test_workers_ends_processes_on_interrupt(tmp_path):
    os.mkfifo(tmp_path / "gate")

    def interrupted():
        with open_workers(2, None) as others:
            others.executor.submit(open, tmp_path / "gate")  # waits for a writer who never comes
            assert others.executor.submit(os.getpid).result() in {child.pid for child in active_children()}
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not active_children()


class Client:
    """The part of distributed's client that is used before any work."""

    def __init__(self, workers=(), lacks=None):
        self.workers, self.lacks, self.is_closed = workers, lacks, False

    def wait_for_workers(self, _, timeout):
        if not self.workers:
            raise TimeoutError

    def run(self, function, package):
        assert (function, package) == (version, "evilpegs")
        if self.lacks:
            raise self.lacks
        return dict(enumerate(self.workers))

    def close(self):
        self.is_closed = True


@pytest.fixture
def scheduler():
    """The address of a port that accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.parametrize(
    ("client", "cause", "named"),
    [
        (Client(), TimeoutError, "dask worker {address}"),
        (Client(["?"], PackageNotFoundError("evilpegs")), PackageNotFoundError, "evilpegs"),
        (Client([version("evilpegs"), "0.0.1"]), type(None), "0.0.1"),
    ],
)
def test_cluster_without_usable_workers_is_refused_and_closed(monkeypatch, scheduler, client, cause, named):
    monkeypatch.setattr("distributed.Client", lambda _, **__: client)
    with pytest.raises(EvaluationError) as caught, open_workers(1, scheduler):
        pass
    assert scheduler in str(caught.value)
    assert named.format(address=scheduler) in str(caught.value)
    assert type(caught.value.__cause__) is cause
    assert client.is_closed


def test_cluster_without_distributed_names_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EvaluationError, match=r"'\.\[cluster\]'") as caught, open_workers(1, "tcp://there:1"):
        pass
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
