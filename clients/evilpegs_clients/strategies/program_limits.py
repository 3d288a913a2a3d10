"""Limits of a program against its own accidents, on Linux: loops, memory, processes, and files left behind.

The processes of its group are looked at while an answer is awaited, so what a program does in less than `LOOK_SECONDS`
goes unseen. A hostile program escapes: it can leave its group, and read and write what its user may.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOOK_SECONDS: Final = 0.05
WALL_FACTOR: Final = 10  # seconds of the clock for each second of processor time
MAX_PROCESSES: Final = 64
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class _Process:
    folder: Path
    seconds: float
    resident: int

    @property
    def proportional(self) -> int:
        # its part of memory that is shared, as forked processes share theirs; takes a millisecond
        with suppress(OSError):
            lines = (self.folder / "smaps_rollup").read_text().splitlines()
            return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)
        return 0


class ProgramLimits:
    """Processor ``seconds`` per game, and ``megabytes`` of the whole group; a program that ``is_stopped`` is killed."""

    def __init__(self, seconds: float, megabytes: int, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._seconds = seconds
        self._megabytes = megabytes
        self._is_stopped = is_stopped
        self.folder: Path | None = None
        self._began, self._before = time.monotonic(), 0.0

    def new_game(self, group: int | None) -> None:
        """Count time from now on; ``group`` is None if the program does not run yet."""
        self._began = time.monotonic()
        self._before = sum(each.seconds for each in _processes(group))

    def environment(self, variables: dict[str, str]) -> dict[str, str]:
        """Return the variables with an empty HOME and TMPDIR, which last until `clean`."""
        self.clean()
        self.folder = Path(tempfile.mkdtemp(prefix="evilpegs-bot-"))
        places = {name: str(self.folder / name.lower()) for name in ("HOME", "TMPDIR")}
        for place in places.values():
            Path(place).mkdir()
        return {name: value for name, value in variables.items() if not name.startswith("XDG_")} | places

    def apply(self, process: int) -> None:
        """Limit what the process and its later children may allocate."""
        import resource  # noqa: PLC0415 - not on every system

        with suppress(ProcessLookupError):  # it has ended already
            size = self._megabytes * _MEGABYTE
            resource.prlimit(process, resource.RLIMIT_DATA, (size, size))
            resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))

    def broken(self, group: int | None) -> str | None:
        """Return what the group does that it may not, if anything."""
        processes = list(_processes(group))
        if self._is_stopped():
            return "the tournament ends"
        if sum(each.seconds for each in processes) - self._before > self._seconds:
            return f"its game took more than {self._seconds:g} s of processor time"
        if time.monotonic() - self._began > WALL_FACTOR * self._seconds:
            return f"its game took more than {WALL_FACTOR * self._seconds:g} s"
        if len(processes) > MAX_PROCESSES:
            return f"it started more than {MAX_PROCESSES} processes"
        limit = self._megabytes * _MEGABYTE
        if sum(each.resident for each in processes) > limit and sum(each.proportional for each in processes) > limit:
            return f"it took more than {self._megabytes:,} MB of memory"
        return None

    def clean(self) -> None:
        """Remove HOME and TMPDIR with all that the program left there."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def count_processes(group: int | None) -> int:
    """Return the number of processes in a program's group, without the guard that leads it."""
    return sum(1 for _ in _processes(group))


def _processes(group: int | None) -> Iterator[_Process]:
    # without zombies, whose time their parent has; ended children count by the parent that waited for them
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and place.name != str(group):
            with suppress(OSError):
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                if fields[2] == str(group) and fields[0] != "Z":
                    yield _Process(place, sum(map(int, fields[11:15])) / ticks, int(fields[21]) * page)
