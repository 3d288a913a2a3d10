"""The one writer: a thread that commits what it is given, many jobs at a time.

While one transaction is on its way to the disk the next jobs gather, and go together in one commit. So each job is
durable when its callback runs, and a busy server pays for one flush where a naive one pays for hundreds.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final

from sqlalchemy import Connection, Engine, Executable

Row = Mapping[str, Any]
Done = Callable[[Exception | None], None]
MOST_JOBS: Final = 1000
"""How many jobs share one transaction at the most."""


@dataclass(frozen=True, slots=True)
class Write:
    """Rows for one statement. ``order`` sorts the statements of a transaction: parents before children."""

    order: int
    statement: Executable
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class _Job:
    writes: Sequence[Write]
    done: Done


class Writer:
    """Commits jobs in the order they came. ``notify`` carries callbacks to the thread that wants them."""

    def __init__(self, engine: Engine, notify: Callable[[Callable[[], None]], object]) -> None:
        self._engine = engine
        self._notify = notify
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer")
        self._closed = False

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def submit(self, writes: Sequence[Write], done: Done) -> None:
        """Commit ``writes`` together; then ``done(None)``, or ``done(error)`` if they could not be stored."""
        if self._closed:
            message = "the writer is closed"
            raise RuntimeError(message)
        self._jobs.put(_Job(writes, done))

    def close(self) -> None:
        """Commit what was submitted and stop."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._thread.join()

    def _run(self) -> None:
        with self._engine.connect() as connection:
            while (job := self._jobs.get()) is not None:
                jobs, more = self._gather(job)
                self._report(jobs, self._commit(connection, jobs))
                if not more:
                    return

    def _gather(self, first: _Job) -> tuple[list[_Job], bool]:
        jobs = [first]
        while len(jobs) < MOST_JOBS:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                break
            if job is None:
                return jobs, False
            jobs.append(job)
        return jobs, True

    def _commit(self, connection: Connection, jobs: Sequence[_Job]) -> list[Exception | None]:
        """One transaction for all; if it fails, one for each, so that a bad job harms no other."""
        try:
            _write(connection, jobs)
        except Exception as error:  # noqa: BLE001 - reported to whoever submitted the job
            connection.rollback()
            if len(jobs) == 1:
                return [error]
            return [self._commit(connection, [job])[0] for job in jobs]
        return [None] * len(jobs)

    def _report(self, jobs: Sequence[_Job], errors: Sequence[Exception | None]) -> None:
        def report() -> None:
            for job, error in zip(jobs, errors, strict=True):
                job.done(error)

        self._notify(report)


def _write(connection: Connection, jobs: Sequence[_Job]) -> None:
    rows: dict[int, tuple[Executable, list[Row]]] = {}
    for job in jobs:
        for write in job.writes:
            rows.setdefault(write.order, (write.statement, []))[1].extend(write.rows)
    for order in sorted(rows):
        statement, values = rows[order]
        connection.execute(statement, values)
    connection.commit()
