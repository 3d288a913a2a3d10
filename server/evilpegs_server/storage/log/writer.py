"""The writer: a thread that commits jobs to the database, many jobs per transaction.

A job is a list of writes that are stored together or not at all, with a callback. While one transaction is being
written to disk, the next jobs gather; they are then committed together, as a batch, with one flush to disk.

Failures are reported and never retried: the submitter of a job decides what to do. A job that cannot be stored fails
alone. If the database itself cannot be used, for example on a full disk, all jobs of the batch fail together: one
attempt per job would take hundreds of times as long and give the same result. The database file must be in its place
before and after each batch: rows that were written to a file after it was moved away are reported as not stored.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import IntEnum
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, Protocol

from evilpegs_server.match.match import RefusedError
from evilpegs_server.storage.durations import Durations
from evilpegs_server.storage.errors import DatabaseDamagedError, DatabaseUnusableError
from evilpegs_server.timing import Timing

DoneCallback = Callable[[Exception | None], None]
MAX_JOBS: Final = 1000  # per transaction
# submitted jobs that wake the thread at once, without waiting for more
WAKE_JOBS: Final = 128
# for a disk that does not respond
CLOSE_SECONDS: Final = 4.0


class Fact(IntEnum):
    """What a write stores. They are stored in this order, so that rows to which others refer come first."""

    PLAYER = 0
    MATCH = 1
    BEGUN = 2
    EVENTS = 3
    OVER = 4


class Write(NamedTuple):
    fact: int
    rows: Sequence[Any]

    def __repr__(self) -> str:
        # without the rows, which include the secret seeds of matches
        return f"<Write {self.fact}: {len(self.rows)} rows>"


class Store(Protocol):
    """A database to which the thread of the writer writes batches of jobs."""

    last_event: int
    """The id of the last event that is stored."""

    def check(self) -> None:
        """Raise if nothing can be stored now; called before and after each batch and while there is nothing to do."""

    def write(self, jobs: Sequence[Sequence[Write]], seconds: float) -> Sequence[Exception | None]:
        """Commit jobs, waiting ``seconds`` for other programs; return the error of each. Raises if none is stored."""

    def explain(self, error: Exception) -> Exception:
        """Return the error that says what is wrong with the database, or else ``error``."""

    def drop(self) -> None:
        """Close the connection, which may hold statements open."""

    def close(self) -> None:
        """Close the connection after the last batch."""


def merge(jobs: Sequence[Sequence[Write]]) -> dict[int, list[Any]]:
    """Return the rows of all jobs by fact, in the order of facts."""
    rows: defaultdict[int, list[Any]] = defaultdict(list)
    for write in (write for job in jobs for write in job):
        rows[write.fact].extend(write.rows)
    return dict(sorted(rows.items()))


class _Job(NamedTuple):
    writes: Sequence[Write]
    done: DoneCallback


class Writer:
    """A thread that commits jobs in the order of their submission, which is all on one thread."""

    def __init__(
        self,
        store: Store,
        notify: Callable[[Callable[[], None]], object],  # runs a function on the submitting thread
        # likewise, after everything else that is pending there
        call_soon: Callable[[Callable[[], None]], object] = lambda flush: flush(),
        now: Callable[[], float] = time.monotonic,
        timing: Timing = Timing(),
    ) -> None:
        self._timing = timing
        self.health = WriterHealth(now)
        self._store = store
        self.sent = store.last_event
        """The id of the last event that players have."""
        self.listener: Callable[[int], None] = lambda _: None
        """Called with each new `sent`, on the submitting thread after the callbacks of a batch."""
        self._notify = notify
        self._call_soon = call_soon
        self._submitted: list[_Job] = []
        self._jobs: SimpleQueue[list[_Job] | None] = SimpleQueue()
        # A daemon, because a disk that never responds must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._closed = False
        self._lock_by: float | None = None
        # from the start of a batch until its jobs are durable or have failed
        self.commits = Durations()

    def start(self) -> None:
        self._thread.start()

    def submit(self, writes: Sequence[Write], done: DoneCallback) -> None:
        """Commit all ``writes`` or none, then call ``done`` on the submitting thread; None means they are durable."""
        if self._closed:
            raise RuntimeError("the writer is closed")
        self.health.note_submitted()
        self._submitted.append(_Job(writes, done))
        if len(self._submitted) == 1:
            self._call_soon(partial(self._flush_unless_more, 1))
        elif len(self._submitted) == WAKE_JOBS:
            self._flush()

    def _flush_unless_more(self, count: int) -> None:
        # further jobs may follow: few large commits disturb a busy event loop less than many small ones
        if len(self._submitted) > count:
            self._call_soon(partial(self._flush_unless_more, len(self._submitted)))
        else:
            self._flush()

    def _flush(self) -> None:
        if self._submitted:
            self._jobs.put(self._submitted)
            self._submitted = []

    def close(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Commit all submitted jobs and stop the thread; return True if it has stopped in time."""
        if not self._closed:
            self._closed = True
            self._lock_by = time.monotonic() + self._timing.busy_seconds
            self._flush()
            self._jobs.put(None)
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (jobs := self._next_jobs()) is not None:
            more = self._gather(jobs)
            began = time.perf_counter()
            errors = self._commit(jobs)
            self.commits.add(time.perf_counter() - began)
            self._report(jobs, errors)
            if not more:
                break
        self._store.close()

    def _next_jobs(self) -> list[_Job] | None:
        while True:
            try:
                return self._jobs.get(timeout=self._timing.file_look_seconds)
            except Empty:
                self.health.obstacle = self._find_obstacle()

    def _find_obstacle(self) -> str | None:
        try:
            self._store.check()
        except Exception as error:  # noqa: BLE001 - reported to the health of the writer
            return str(error)
        return None

    def _gather(self, jobs: list[_Job]) -> bool:
        # jobs arrive in lists of at most `WAKE_JOBS`, and no list is split
        while len(jobs) <= MAX_JOBS - WAKE_JOBS:
            try:
                others = self._jobs.get_nowait()
            except Empty:
                break
            if others is None:
                return False
            jobs += others
        return True

    def _commit(self, jobs: Sequence[_Job]) -> Sequence[Exception | None]:
        seconds = max(0.0, self._lock_by - time.monotonic()) if self._lock_by is not None else self._timing.busy_seconds
        try:
            self._store.check()
            errors = self._store.write([job.writes for job in jobs], seconds)
            self._store.check()
        except Exception as error:  # noqa: BLE001 - reported to the submitter of the job
            # statements that the connection still holds open could become part of a later commit
            self._store.drop()
            failure = self._store.explain(error)
            is_whole = isinstance(failure, DatabaseUnusableError | OSError | MemoryError)
            # a damaged page concerns only the jobs that need this page
            if len(jobs) == 1 or (is_whole and not isinstance(failure, DatabaseDamagedError)):
                return [failure] * len(jobs)
            return [self._commit([job])[0] for job in jobs]
        return errors

    def _report(self, jobs: Sequence[_Job], errors: Sequence[Exception | None]) -> None:
        def report() -> None:
            self.health.note_committed(len(jobs), sum(not isinstance(error, RefusedError | None) for error in errors))
            raised: list[Exception] = []
            for job, error in zip(jobs, errors, strict=True):
                try:
                    job.done(error)
                except Exception as fault:  # noqa: BLE001 - the others of the batch wait for their answers
                    raised.append(fault)
            if last_event > self.sent:
                self.sent = last_event
                self.listener(last_event)
            if raised:
                raise raised[0]  # which the event loop logs

        last_event = self._store.last_event
        with suppress(RuntimeError):  # the loop is closed: nobody waits, but other jobs must still be written
            self._notify(report)


# without any commit while jobs wait
STUCK_SECONDS: Final = 5.0
# then the next commit is worth a try, or a server that gets no players while it fails would fail for ever
FAILED_SECONDS: Final = 30.0


class WriterHealth:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting = 0
        self._progress_at = 0.0
        self._failed_at: float | None = None
        # the reason why nothing can be stored, such as a moved database file; set on the writer's thread
        self.obstacle: str | None = None

    def note_submitted(self) -> None:
        if not self._waiting:
            self._progress_at = self._now()
        self._waiting += 1

    def note_committed(self, jobs: int, failed: int) -> None:
        self._waiting -= jobs
        self._progress_at = self._now()
        self._failed_at = self._progress_at if failed == jobs else None

    @property
    def failed(self) -> bool:
        """True if no job of the last commit could be stored, less than `FAILED_SECONDS` ago."""
        return self._failed_at is not None and self._now() - self._failed_at < FAILED_SECONDS

    @property
    def stuck(self) -> bool:
        return self._waiting > 0 and self._now() - self._progress_at > STUCK_SECONDS
