"""The SQL statements that this process executes, and whether one was executed on the thread of an event loop."""

import asyncio
import contextlib
import threading

from sqlalchemy import Engine, event

EVENT_LOOP = "event loop"


@contextlib.contextmanager
def statements():
    """Collect the statements that the block executes on any engine, each as (thread, text)."""
    executed = []

    def note(_connection, _cursor, statement, *_):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            executed.append((threading.current_thread().name, statement))
        else:
            executed.append((EVENT_LOOP, statement))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield executed
    finally:
        event.remove(Engine, "before_cursor_execute", note)
