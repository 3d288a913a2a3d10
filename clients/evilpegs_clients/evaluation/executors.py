"""The workers that play tasks: this process, processes of this machine, or a Dask cluster, behind one interface."""

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import active_children, connection, get_context, parent_process
from threading import Thread
from typing import Any, Final, ParamSpec, TypeVar

from evilpegs_clients.errors import EvaluationError
from evilpegs_game.errors import quoted
from evilpegs_protocol.suggestions import install_hint

PATIENCE: Final = 10.0
"""The longest time in seconds to wait for an answer from the cluster, and for its first worker."""
RETRIES: Final = 3
"""The number of times that the cluster starts a task again because the worker that played it was lost."""
DEFAULT_PORT: Final = 8786
SCHEMES: Final = ("tcp", "tls")
CLUSTER_CAPACITY: Final = 1000
"""The most tasks that are submitted to a cluster at a time."""

NOISY_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application")
"""The loggers that are silenced, because they report at length what an EvaluationError says in one line."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor that plays tasks, and the number of unfinished tasks that it should have at a time.

    This number, ``capacity``, is large enough to keep the executor busy, and small enough for the tasks to end soon.
    """

    executor: Executor
    capacity: int


class InlineExecutor(Executor):
    """An executor that runs each function in this process when it is submitted."""

    def submit(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        """Call ``function`` now and return a finished future of its result; an error of ``function`` is raised here."""
        future: Future[_R] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@contextmanager
def open_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Provide workers during the block: those of a Dask cluster, or processes of this machine.

    If ``cluster`` is given, it is the address of a Dask scheduler, whose workers are used. Otherwise there are ``jobs``
    processes; with one job, this process does the work itself. If the block ends with an error, the processes are
    terminated, and tasks that wait on a cluster are cancelled.

    Raises:
        EvaluationError: the cluster does not answer or has no workers, or a worker lacks this version of evilpegs.
    """
    if cluster is not None:
        with _cluster_workers(cluster) as workers:
            yield workers
    elif jobs > 1:
        with _process_workers(jobs) as workers:
            yield workers
    else:
        yield Workers(InlineExecutor(), 1)


@contextmanager
def _process_workers(jobs: int) -> Iterator[Workers]:
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_start_worker)
    before = {child.pid for child in active_children()}
    try:
        yield Workers(executor, 2 * jobs)
    except BaseException:
        for child in active_children():
            if child.pid not in before:
                child.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Prepare this worker process to print little and to end when its parent process ends.

    The worker ignores Ctrl-C, writes its standard output to standard error, and leaves messages about the compilation
    of kernels to the parent.
    """
    logging.getLogger("evilpegs_game").setLevel(logging.ERROR)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None  # noqa: S101 - a worker was started by one
    connection.wait([parent.sentinel])
    os._exit(1)


@contextmanager
def _cluster_workers(address: str) -> Iterator[Workers]:
    client = _connect(address)
    try:
        _check_workers(client, address)
        with client.get_executor(retries=RETRIES) as executor:
            try:
                yield Workers(executor, CLUSTER_CAPACITY)
            except BaseException:
                executor.shutdown(wait=False)
                raise
    finally:
        client.close()


def _connect(address: str) -> Any:
    """Return a client of the Dask scheduler at ``address``.

    A plain connection to the port is tried first, because a client that cannot connect prints errors.

    Raises:
        EvaluationError: no scheduler answers there, or `distributed` is not installed.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - of the extra `cluster`
        from distributed.comm.addressing import parse_address, parse_host_port  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        message = f"a cluster needs distributed, which is not installed; {install_hint('cluster')}"
        raise EvaluationError(message) from error
    for name in NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        scheme, host_port = parse_address(address)
        if scheme not in SCHEMES:
            raise ValueError(scheme)
        socket.create_connection(parse_host_port(host_port, DEFAULT_PORT), PATIENCE).close()
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers at {quoted(address, 80)}; start one with: dask scheduler"
        raise EvaluationError(message) from error


def _check_workers(client: Any, address: str) -> None:
    """Raise EvaluationError unless the cluster has a worker and every worker has this version of evilpegs."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        versions = set(client.run(version, "evilpegs").values())
    except TimeoutError as error:
        message = f"the Dask scheduler at {address} has no worker; start some with: dask worker {address}"
        raise EvaluationError(message) from error
    except PackageNotFoundError as error:
        message = f"a worker of {address} lacks evilpegs; install it where the workers run"
        raise EvaluationError(message) from error
    here = version("evilpegs")
    if others := ", ".join(sorted(versions - {here})):
        message = f"workers of {address} have evilpegs {others}, this is {here}; install one"
        raise EvaluationError(message)
