"""Which processes read a database of SQLite, and so keep it from emptying its side file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LOCKS: Final = Path("/proc/locks")
# A reader has a lock on one of these bytes of the file -shm. Source: "WAL-mode File Format" of SQLite, section 2.3.
_READERS: Final = range(123, 128)


def snapshot_holders(shm: Path) -> set[int] | None:
    """Return the processes that are reading, by the locks on the file -shm; None where no system lists them.

    Only Linux does, and in a container only those in it.
    """
    try:
        # not opened: closing it would drop SQLite's locks on it in this process
        inode, lines = shm.stat().st_ino, _LOCKS.read_text("ascii").splitlines()
    except OSError:
        return None
    return set(_pids(lines, inode))


def _pids(lines: list[str], inode: int) -> Iterator[int]:
    # such as "12: POSIX  ADVISORY  READ  4711 fd:01:262402 124 124"; one who waits has "->" before POSIX. The device is
    # not compared: some file systems have several names for it.
    for _, kind, *_, mode, pid, file, first, _last in map(str.split, lines):
        if (kind, mode) == ("POSIX", "READ") and int(file.rpartition(":")[2]) == inode and int(first) in _READERS:
            yield int(pid)


def process_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "unknown"
