"""How the interpreter of a busy server is set: event loop, garbage collection, and when threads switch."""

import asyncio
import gc
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

# a busy thread releases the interpreter lock after this instead of 5 ms, if others wait for it
SWITCH_SECONDS: Final = 0.0005
# new objects are checked after every thousand, which takes half a millisecond. A full collection would stall the event
# loop, so it runs only after a million objects were created and not freed. That is rare: nothing on the path of a guess
# creates reference cycles, and connections and matches break their cycles when they end.
_GC_THRESHOLDS: Final = (1_000, 10, 100)


def run_server(main: Coroutine[Any, Any, None]) -> None:
    """Run ``main`` on uvloop where there is one, as `asyncio.run` does."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    with suppress(ImportError):
        import uvloop  # noqa: PLC0415 - not on every system

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main)


@contextmanager
def tune_gc_and_gil() -> Iterator[None]:
    """Tune garbage collection and thread switching within the block: a busy server does a third more work."""
    before, switch_seconds = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(*_GC_THRESHOLDS)
    gc.freeze()  # objects from before the block are not checked within it
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(switch_seconds)
        gc.unfreeze()
        gc.set_threshold(*before)
