"""The one writer: a thread that commits what it is given, many jobs at a time.

While one transaction is on its way to the disk the next jobs gather, and go together in one commit. So each job is
durable when its callback runs, and a busy server pays for one flush where a naive one pays for hundreds.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, Engine, UpdateBase

Row = Mapping[str, Any]
DoneCallback = Callable[[Exception | None], None]
MAX_JOBS: Final = 1000
"""After so many jobs a transaction takes no more."""


WAKE_JOBS: Final = 128
"""How many wait at the most before the thread is woken."""


class Write(NamedTuple):
    """Rows for one statement. ``order`` sorts the statements of a transaction: parents before children.

    A ``bulk`` statement takes all rows at once as the JSON text of its parameter ``rows``. The driver gives up the
    interpreter's lock at each step of a statement and has to fight the event loop to get it back: a step for all rows
    instead of one for each decides how much a busy server can store.
    """

    order: int
    statement: UpdateBase
    rows: Sequence[Any]
    bulk: bool = False

    def __repr__(self) -> str:
        """Without the rows: seeds of matches are among them."""
        return f"<Write {self.order}: {len(self.rows)} rows>"


class _Job(NamedTuple):
    writes: Sequence[Write]
    done: DoneCallback


class Writer:
    """Commits jobs in the order they came. ``notify`` carries callbacks to the thread that wants them.

    ``soon`` calls back on the submitting thread after whatever else is due there. The writer is woken when nothing more
    was submitted in between, or for `ENOUGH_JOBS`: each commit costs a busy event loop several fights for the
    interpreter's lock, so a few large ones are worth more than many small ones beside it.
    """

    def __init__(
        self,
        engine: Engine,
        notify: Callable[[Callable[[], None]], object],
        call_soon: Callable[[Callable[[], None]], object] = lambda flush: flush(),
    ) -> None:
        self._engine = engine
        self._notify = notify
        self._call_soon = call_soon
        self._submitted: list[_Job] = []
        self._jobs: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer")
        self._connection: Connection | None = None
        self._sql_texts: dict[int, str] = {}
        self._closed = False

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def submit(self, writes: Sequence[Write], done: DoneCallback) -> None:
        """Commit ``writes`` together; then ``done(None)``, or ``done(error)`` if they could not be stored."""
        if self._closed:
            message = "the writer is closed"
            raise RuntimeError(message)
        self._submitted.append(_Job(writes, done))
        if len(self._submitted) == 1:
            self._call_soon(partial(self._flush_unless_more, 1))
        elif len(self._submitted) == WAKE_JOBS:
            self._flush()

    def _flush_unless_more(self, known: int) -> None:
        """Hand over what was submitted, unless more came meanwhile: then more may be to come."""
        if len(self._submitted) > known:
            self._call_soon(partial(self._flush_unless_more, len(self._submitted)))
        else:
            self._flush()

    def _flush(self) -> None:
        if self._submitted:
            self._jobs.put(self._submitted)
            self._submitted = []

    def close(self) -> None:
        """Commit what was submitted and stop."""
        if not self._closed:
            self._closed = True
            self._flush()
            self._jobs.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (jobs := self._jobs.get()) is not None:
            more = self._gather(jobs)
            self._report(jobs, self._commit(jobs))
            if not more:
                break
        if self._connection is not None:
            self._connection.close()

    def _gather(self, jobs: list[_Job]) -> bool:
        """Add what else was submitted; False at the end of all."""
        while len(jobs) < MAX_JOBS:
            try:
                others = self._jobs.get_nowait()
            except Empty:
                break
            if others is None:
                return False
            jobs += others
        return True

    def _commit(self, jobs: Sequence[_Job]) -> list[Exception | None]:
        """One transaction for all; if it fails, one for each, so that a bad job harms no other.

        A connection on which anything failed is thrown away, since what it holds open could come with a later commit.
        """
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            self._write(self._connection, jobs)
        except Exception as error:  # noqa: BLE001 - reported to whoever submitted the job
            self._drop_connection()
            if len(jobs) == 1:
                return [error]
            return [self._commit([job])[0] for job in jobs]
        return [None] * len(jobs)

    def _write(self, connection: Connection, jobs: Sequence[_Job]) -> None:
        with connection.begin():
            driver = connection.connection.cursor()
            for write in _merge_writes(jobs):
                if write.bulk:
                    driver.execute(self._sql(write), (orjson.dumps(write.rows).decode(),))
                else:
                    connection.execute(write.statement, write.rows)

    def _sql(self, write: Write) -> str:
        """The text of a bulk statement, made once: its one parameter is the rows."""
        if write.order not in self._sql_texts:
            self._sql_texts[write.order] = str(write.statement.compile(dialect=self._engine.dialect))
        return self._sql_texts[write.order]

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.invalidate()
                self._connection.close()
            self._connection = None

    def _report(self, jobs: Sequence[_Job], errors: Sequence[Exception | None]) -> None:
        def report() -> None:
            for job, error in zip(jobs, errors, strict=True):
                job.done(error)

        with suppress(RuntimeError):  # the loop is closed: nobody waits any more, but the other jobs are still due
            self._notify(report)


def _merge_writes(jobs: Sequence[_Job]) -> list[Write]:
    """One write for each statement, in the order statements must run; rows stay in the order of the jobs."""
    writes = [write for job in jobs for write in job.writes]
    rows: defaultdict[int, list[Any]] = defaultdict(list)
    for write in writes:
        rows[write.order].extend(write.rows)
    kinds = {write.order: write for write in writes}
    return [kinds[order]._replace(rows=rows[order]) for order in sorted(rows)]
