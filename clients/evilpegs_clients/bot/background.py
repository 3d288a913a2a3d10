"""Long computations beside the event loop, which goes on answering pings meanwhile."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")


def think(work: Callable[[], _T]) -> "asyncio.Future[_T]":
    """Run ``work`` in a thread of its own; the future has its result or its exception.

    The thread never keeps the program alive: what does not come to an end can be interrupted.
    """
    loop = asyncio.get_running_loop()
    thought: asyncio.Future[_T] = loop.create_future()
    thought.add_done_callback(_look_at_exception)

    def run() -> None:
        try:
            finish = _finisher(thought.set_result, work())
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future gets it
            finish = _finisher(thought.set_exception, _presentable(error))
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(lambda: thought.done() or finish())

    threading.Thread(target=run, name="thinking", daemon=True).start()
    return thought


def _finisher(finish: Callable[[_T], None], value: _T) -> Callable[[], None]:
    return lambda: finish(value)


def _presentable(error: BaseException) -> Exception:
    """What a future can carry: an exit asked for by the work ends the work, not the program."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    raised = RuntimeError(f"{type(error).__name__} {error}".strip())
    raised.__cause__ = error
    return raised


def _look_at_exception(thought: "asyncio.Future[_T]") -> None:
    """Nobody may be waiting any more, and that is no reason to complain."""
    if not thought.cancelled():
        thought.exception()
