"""The priority of the processes that work for the server: it precedes them for processor time and memory."""

import contextlib
import ctypes
import os
import platform
import struct
import sys
from pathlib import Path
from typing import Final

# `oom_score_adj`, at most 1000: when memory runs out, Linux kills a child before the server
OOM_SCORE: Final = 500
SLICE_NS: Final = 10_000_000
# The numbers of the Linux call, which neither Python nor C libraries of before 2025 offer.
_SCHED_SETATTR: Final = {"x86_64": 314, "aarch64": 274}
_ATTRIBUTES: Final = struct.Struct("=IIQiIQQQ")  # size, policy, flags, nice, priority, and three times in ns


def lower_priority(niceness: int) -> None:
    """Let the server precede this process for processor time and memory, as far as the system allows.

    For the calling thread and those that it starts later.
    """
    with contextlib.suppress(OSError):
        os.nice(niceness)
    if sys.platform == "linux":
        _take_long_slices()
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))


def _take_long_slices() -> None:
    # Niceness decides how much a process gets, not how soon: a guess that arrives would often wait for the next tick of
    # the clock, up to 4 ms. From Linux 6.12 on it precedes at once what has longer slices than the usual 1 to 3 ms.
    number = _SCHED_SETATTR.get(platform.machine())
    if number is None or sys.maxsize < 1 << 32:
        return
    policy, niceness = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    attributes = _ATTRIBUTES.pack(_ATTRIBUTES.size, policy, 0, niceness, 0, SLICE_NS, 0, 0)
    ctypes.CDLL(None).syscall(number, 0, attributes, 0)  # what refuses it, as some containers do, leaves all as it was
