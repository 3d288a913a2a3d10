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
"""Seconds to wait for an answer of the cluster, and for its first worker."""
RETRIES: Final = 3
"""Times that the cluster starts a task again because its worker was lost."""
DEFAULT_PORT: Final = 8786
SCHEMES: Final = ("tcp", "tls")
CLUSTER_CAPACITY: Final = 1000
"""Tasks that are submitted to a cluster at a time."""

NOISY_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application")
"""Silenced, because they report at length what an EvaluationError says in one line."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, and the unfinished tasks that keep it busy and still let the tasks end soon."""

    executor: Executor
    capacity: int


class InlineExecutor(Executor):
    def submit(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        """Call ``function`` now; its error is raised here, not by the future."""
        future: Future[_R] = Future()
        future.set_result(function(*args, **kwargs))
        return future


@contextmanager
def open_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Provide the workers of the Dask scheduler at ``cluster``, or ``jobs`` processes; raises EvaluationError.

    One job is done by this process itself. If the block fails, processes are terminated and waiting tasks canceled.
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
    # the parent reports the compilation of kernels
    logging.getLogger("evilpegs_game").setLevel(logging.ERROR)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # standard output goes to standard error
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
    try:
        from distributed import Client  # noqa: PLC0415 - of the extra `cluster`
        from distributed.comm.addressing import parse_address, parse_host_port  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        raise EvaluationError(
            f"a cluster needs distributed, which is not installed; {install_hint('cluster')}"
        ) from error
    for name in NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        scheme, host_port = parse_address(address)
        if scheme not in SCHEMES:
            raise ValueError(scheme)
        # a plain connection first: a client that cannot connect prints errors
        socket.create_connection(parse_host_port(host_port, DEFAULT_PORT), PATIENCE).close()
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EvaluationError(
            f"no Dask scheduler answers at {quoted(address, 80)}; start one with: dask scheduler"
        ) from error


def _check_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        versions = set(client.run(version, "evilpegs").values())
    except TimeoutError as error:
        raise EvaluationError(
            f"the Dask scheduler at {address} has no worker; start some with: dask worker {address}"
        ) from error
    except PackageNotFoundError as error:
        raise EvaluationError(f"a worker of {address} lacks evilpegs; install it where the workers run") from error
    here = version("evilpegs")
    if others := ", ".join(sorted(versions - {here})):
        raise EvaluationError(f"workers of {address} have evilpegs {others}, this is {here}; install one")
