"""Long computations in a thread, so that the event loop keeps answering pings."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")


def run_in_thread(work: Callable[[], _T]) -> "asyncio.Future[_T]":
    """Run ``work`` in a new daemon thread: work that never ends does not keep the program alive."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_T] = loop.create_future()
    future.add_done_callback(_retrieve_exception)

    def run() -> None:
        try:
            finish = _setter(future.set_result, work())
        except BaseException as error:  # noqa: BLE001 - the future carries it to the caller
            finish = _setter(future.set_exception, _presentable(error))
        with suppress(RuntimeError):  # the loop is closed, so nobody waits for the result
            loop.call_soon_threadsafe(lambda: future.done() or finish())

    threading.Thread(target=run, name="background", daemon=True).start()
    return future


def _setter(finish: Callable[[_T], None], value: _T) -> Callable[[], None]:
    return lambda: finish(value)


def _presentable(error: BaseException) -> Exception:
    # a future refuses StopIteration, and SystemExit in the thread must not end the program
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    raised = RuntimeError(f"{type(error).__name__} {error}".strip())
    raised.__cause__ = error
    return raised


def _retrieve_exception(future: "asyncio.Future[_T]") -> None:
    # marks the exception as retrieved, else asyncio logs it when nobody awaits the future
    if not future.cancelled():
        future.exception()
