"""The end of a strategy's program: a guard kills all of its processes, and the last error output is shown.

A program runs in a process group of its own, so that it can be killed with every process that it started. A signal to
this process does not reach that group. A `ProgramGuard` is a small process that leads the group and waits at a pipe
whose other end only this process holds: when this process ends in any way, even by SIGKILL, the pipe ends, and the
guard kills the group. The guard is started first, so it guards the program from the first moment.

``PR_SET_PDEATHSIG`` would not be enough: it kills the program alone and not its children, and it fires when the
*thread* that started the program ends, which for a bot is after its first guess.
"""

import os
import signal
import subprocess
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

MAX_ERROR_BYTES: Final = 1 << 20  # shown of a program's standard error in one run, however often the program is started
_CHUNK: Final = 1 << 16
# a process that has left the program's group may keep the pipe open for longer
_END_SECONDS: Final = 1.0
_ENDING_SIGNALS: Final = [each for each in signal.Signals if each.name in {"SIGINT", "SIGTERM", "SIGHUP"}]
# ignores the signals with which a strategy's program may end the group of both
_SCRIPT: Final = """\
import os, signal, sys
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, signal.SIG_IGN)
sys.stdin.read()
if sys.argv[1:]:
    import shutil
    shutil.rmtree(sys.argv[1], ignore_errors=True)
os.killpg(os.getpgrp(), signal.SIGKILL)
"""


class ProgramGuard:
    """A process that kills its process group as soon as the process that created it has ended.

    The program to guard joins the group with the id ``group`` when it is started. Before that kill, but not before
    `kill`, the guard removes ``folder``.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this Python, with the script above
            [sys.executable, "-I", "-S", "-c", _SCRIPT, *([] if folder is None else [str(folder)])],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            process_group=0,
        )
        self.group = self._process.pid

    def kill(self) -> None:
        """Kill all processes of the group, the guard included."""
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        self._process.communicate()


@contextmanager
def noted_signals() -> Iterator[list[int]]:
    """Yield a list that gets the number of each signal that would end the process, which goes on in the block."""
    received: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()  # which alone handles signals
    handlers = {
        number: signal.signal(number, lambda number, _frame: received.append(number))
        for number in (_ENDING_SIGNALS if is_main else ())
        if signal.getsignal(number) not in (signal.SIG_IGN, None)
    }
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Hold back signals during the block: Ctrl-C would leave a program running whose process is not known yet."""
    received: list[int] = []
    try:
        with noted_signals() as received:
            yield
    finally:
        for late in received:
            signal.raise_signal(late)


class ErrorOutput:
    """The standard error of a program, shown on that of this process up to a limit, because it could fill a disk."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = MAX_ERROR_BYTES
        self._last = "\n"
        self._thread: threading.Thread | None = None

    def follow(self, descriptor: int) -> None:
        """Start a thread that shows what it reads from the descriptor, and closes it at the end."""
        thread = threading.Thread(target=self._copy, args=(descriptor,), name="program errors", daemon=True)
        thread.start()
        self._thread = thread  # now: another thread may call `finish` at any moment

    def finish(self) -> None:
        """Wait for the last output of a killed program, for a second at most, and end its last line."""
        if self._thread is not None:
            self._thread.join(_END_SECONDS)
        if self._last != "\n":
            self._show("\n")

    def say(self, what: str) -> None:
        """Write a line of evilpegs about the program."""
        end = "" if self._last == "\n" else "\n"
        self._show(f"{end}evilpegs: program {self._name} {what}\n")

    def _copy(self, descriptor: int) -> None:
        decoder = getincrementaldecoder("utf-8")("replace")
        try:
            while piece := os.read(descriptor, _CHUNK):  # to the end: what it writes must not block the program
                if self._left >= 0:
                    self._show(decoder.decode(piece[: self._left]))
                    self._left -= len(piece)
                    if self._left < 0:
                        self.say(f"has written {MAX_ERROR_BYTES:,} bytes to standard error; the rest is not shown")
        finally:
            os.close(descriptor)

    def _show(self, text: str) -> None:
        self._last = text[-1:] or self._last
        with suppress(OSError, ValueError):  # nobody can read it
            sys.stderr.write(text)
            sys.stderr.flush()
