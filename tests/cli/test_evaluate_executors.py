"""Where units run."""

import os
import signal
import sys
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import active_children

import pytest

from evilpegs.errors import CommandError
from evilpegs.evaluating import executors
from evilpegs.evaluating.executors import workforce


def test_one_job_is_this_process():
    with workforce(1, None) as here:
        assert here.executor.submit(os.getpid).result() == os.getpid()
        with pytest.raises(ZeroDivisionError):
            here.executor.submit(divmod, 1, 0)


def test_jobs_are_other_processes():
    with workforce(2, None) as others:
        assert others.executor.submit(os.getpid).result() != os.getpid()
        assert others.executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    assert not active_children()


def test_what_a_worker_prints_is_no_part_of_the_output(capfd):
    with workforce(2, None) as others:
        others.executor.submit(print, "thinking", flush=True).result()
    out, err = capfd.readouterr()
    assert (out, err) == ("", "thinking\n")


def test_processes_are_ended_at_once_when_the_run_is(tmp_path):
    os.mkfifo(tmp_path / "gate")

    def interrupted():
        with workforce(2, None) as others:
            others.executor.submit(open, tmp_path / "gate")  # waits for a writer who never comes
            assert others.executor.submit(os.getpid).result() in {child.pid for child in active_children()}
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not active_children()


class Client:
    """As much of distributed's as is asked before any work."""

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


@pytest.mark.parametrize(
    ("client", "says"),
    [
        (Client(), "has no worker; start some with: dask worker tcp://there:1"),
        (Client(["?"], PackageNotFoundError("evilpegs")), "a worker of tcp://there:1 lacks evilpegs"),
        (Client([version("evilpegs"), "0.0.1"]), "have evilpegs 0.0.1, this is "),
    ],
)
def test_a_cluster_that_cannot_play_is_left(monkeypatch, client, says):
    monkeypatch.setattr(executors, "_client", lambda _: client)
    with pytest.raises(CommandError, match=says), workforce(1, "tcp://there:1"):
        pass
    assert client.is_closed


def test_without_distributed_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CommandError, match=r"pip install 'evilpegs\[cluster\]'"), workforce(1, "tcp://there:1"):
        pass
