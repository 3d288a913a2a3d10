"""Where units run: in this process, in processes of this machine, or on a Dask cluster; one face for all three."""

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

PATIENCE: Final = 10.0
"""Seconds that a cluster may take to answer, and to have a worker."""
RETRIES: Final = 3
"""How often a unit is begun again whose worker was lost with it."""
DEFAULT_PORT: Final = 8786
SCHEMES: Final = ("tcp", "tls")
CLUSTER_UNITS: Final = 1000
"""Units that wait on a cluster at a time."""

TALKATIVE: Final = ("distributed", "distributed.client", "tornado.application")
"""Loggers that tell at length of what is told here in one line."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Workforce:
    """An executor, and how many units it should have at a time: enough to be busy, few enough to end soon."""

    executor: Executor
    units: int


class HereExecutor(Executor):
    """Does at once, in this process, what is submitted."""

    def submit(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        """The result as a finished future; an error is raised here already."""
        future: Future[_R] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@contextmanager
def workforce(jobs: int, cluster: str | None) -> Iterator[Workforce]:
    """Whoever does the work: the cluster, if one is named, or so many processes; one is this one.

    However the block ends, nothing of it goes on: processes are ended, what waits on a cluster is cancelled.

    Raises:
        EvaluationError: there is no such cluster, or it lacks what it takes.
    """
    if cluster is not None:
        with _on_cluster(cluster) as found:
            yield found
    elif jobs > 1:
        with _in_processes(jobs) as found:
            yield found
    else:
        yield Workforce(HereExecutor(), 1)


@contextmanager
def _in_processes(jobs: int) -> Iterator[Workforce]:
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_be_a_worker)
    before = {child.pid for child in active_children()}
    try:
        yield Workforce(executor, 2 * jobs)
    except BaseException:
        for child in active_children():
            if child.pid not in before:
                child.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _be_a_worker() -> None:
    """Leave Ctrl-C and standard output to the process that started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None  # noqa: S101 - a worker was started by one
    connection.wait([parent.sentinel])
    os._exit(1)


@contextmanager
def _on_cluster(address: str) -> Iterator[Workforce]:
    client = _client(address)
    try:
        _check_workers(client, address)
        with client.get_executor(retries=RETRIES) as executor:
            try:
                yield Workforce(executor, CLUSTER_UNITS)
            except BaseException:
                executor.shutdown(wait=False)
                raise
    finally:
        client.close()


def _client(address: str) -> Any:
    """A client of that scheduler. One that cannot connect would not end quietly, so the port is tried before."""
    try:
        from distributed import Client  # noqa: PLC0415 - of the extra `cluster`
        from distributed.comm.addressing import parse_address, parse_host_port  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        message = "a cluster needs distributed, which is not installed; run: pip install 'evilpegs[cluster]'"
        raise EvaluationError(message) from error
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        scheme, place = parse_address(address)
        if scheme not in SCHEMES:
            raise ValueError(scheme)
        socket.create_connection(parse_host_port(place, DEFAULT_PORT), PATIENCE).close()
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers at {address[:80]!r}; start one with: dask scheduler"
        raise EvaluationError(message) from error


def _check_workers(client: Any, address: str) -> None:
    """There is a worker, and each has this version of the program."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        found = set(client.run(version, "evilpegs").values())
    except TimeoutError as error:
        message = f"the Dask scheduler at {address} has no worker; start some with: dask worker {address}"
        raise EvaluationError(message) from error
    except PackageNotFoundError as error:
        message = f"a worker of {address} lacks evilpegs; install it where the workers run"
        raise EvaluationError(message) from error
    here = version("evilpegs")
    if found - {here}:
        message = f"workers of {address} have evilpegs {', '.join(sorted(found - {here}))}, this is {here}; install one"
        raise EvaluationError(message)
