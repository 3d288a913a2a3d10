"""Sharing of units of work among workers: this process, the processes of ``--jobs``, or a Dask cluster."""

import logging
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import active_children, connection, get_context, parent_process
from threading import Thread, current_thread, main_thread
from typing import Any, Final, ParamSpec, TypeVar

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.journal import Journal
from evilpegs_clients.evaluation.work_units import ChosenGuess, UnitOfWork, UnitOutcome
from evilpegs_game.errors import GameError, quoted
from evilpegs_protocol.suggestions import install_hint

PATIENCE: Final = 10.0  # seconds to wait for an answer of the cluster, and for its first worker
RETRIES: Final = 3  # times that the cluster starts a unit again because its worker was lost
DEFAULT_PORT: Final = 8786
SCHEMES: Final = ("tcp", "tls")
CLUSTER_CAPACITY: Final = 1000  # units that are submitted to a cluster at a time

# silenced, because they report at length what an EvaluationError says in one line
NOISY_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application")

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, and the unfinished units that keep it busy and still let all end soon."""

    executor: Executor
    capacity: int


class InlineExecutor(Executor):
    def submit(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        """Call ``function`` now; its error is raised here, not by the future."""
        future: Future[_R] = Future()
        future.set_result(function(*args, **kwargs))
        return future


class ProcessPool(ProcessPoolExecutor):
    def submit(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        # This may start a process, which would print a traceback if it or this process were interrupted before it runs.
        with _deferred_interrupt(), _safe_path():
            return super().submit(function, *args, **kwargs)


@contextmanager
def _deferred_interrupt() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    is_deferred = current_thread() is main_thread() and callable(handler)
    interrupts: list[int] = []
    # The mask is what a new process inherits; it does not keep an interrupt from a thread of a library, after which
    # this thread runs the handler.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    if is_deferred:
        signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        if is_deferred:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if interrupts:
            signal.raise_signal(signal.SIGINT)


INLINE: Final = Workers(InlineExecutor(), 1)


@contextmanager
def _safe_path() -> Iterator[None]:
    # A Python that starts imports modules from the working directory, where a strategy may be called json.py.
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        os.environ.pop("PYTHONSAFEPATH")
        if before is not None:
            os.environ["PYTHONSAFEPATH"] = before


def open_workers(jobs: int, cluster: str | None) -> AbstractContextManager[Workers]:
    """Provide a Dask cluster, or ``jobs`` processes, which end if the block fails. Raises EvaluationError."""
    if cluster is not None:
        return _cluster_workers(cluster)
    return _process_workers(jobs) if jobs > 1 else nullcontext(INLINE)


@contextmanager
def _process_workers(jobs: int) -> Iterator[Workers]:
    with _safe_path():
        executor = ProcessPool(jobs, get_context("spawn"), initializer=_start_worker)
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
    os.environ.pop("PYTHONSAFEPATH", None)  # programs of --exec start as they do without workers
    # the parent reports the compilation of kernels
    logging.getLogger("evilpegs_game").setLevel(logging.ERROR)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # children of this process inherit the mask
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


def play_units(
    waiting: deque[UnitOfWork], prefix: str, workers: Workers, journal: Journal
) -> Iterator[tuple[UnitOfWork, UnitOutcome]]:
    """Yield each unit with its outcome; the caller may add to ``waiting`` after each one. Raises EvaluationError."""
    running: dict[Future[UnitOutcome], UnitOfWork] = {}
    while waiting or running:
        while waiting and len(running) < workers.capacity:
            unit = waiting.popleft()
            if prefix + unit.key in journal.outcomes:
                yield unit, _recall(unit, journal.outcomes[prefix + unit.key])
            else:
                with _translate_worker_errors():
                    running[workers.executor.submit(unit.play)] = unit
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            unit = running.pop(future)
            with _translate_worker_errors():
                outcome = _check(unit, future.result())
            journal.add(prefix + unit.key, outcome.to_json())
            yield unit, outcome


@contextmanager
def _translate_worker_errors() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise EvaluationError(
            "a worker process was lost, perhaps for want of memory; start again, with fewer --jobs if need be"
        ) from error
    except CancelledError as error:
        raise EvaluationError("the cluster was lost; start again when it is back") from error
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # an error of distributed, which need not be installed
            raise
        raise EvaluationError(
            "the cluster lost too many workers with one unit, perhaps for want of memory; start again"
        ) from error


def _recall(unit: UnitOfWork, document: Any) -> UnitOutcome:
    try:
        outcome = unit.recall(document)
    except (GameError, KeyError, TypeError, ValueError) as error:
        raise _impossible(unit) from error
    return _check(unit, outcome)


def _check(unit: UnitOfWork, outcome: UnitOutcome) -> UnitOutcome:
    numbers = outcome.parts.values() if isinstance(outcome, ChosenGuess) else outcome.distribution
    if sum(numbers) != unit.size or min(numbers, default=0) < 0:
        raise _impossible(unit)
    return outcome


def _impossible(unit: UnitOfWork) -> EvaluationError:
    return EvaluationError(
        f"the journal or a worker gives an impossible result of the unit {unit.key!r}; "
        f"delete the journal and start again"
    )
