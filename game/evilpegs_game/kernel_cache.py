"""The cache of compiled kernels on disk: where it is, and when a cached kernel is out of date.

Numba's cache files contain the compiled code of every kernel that a kernel calls, also of those in other files, and an
index that refers to the classes of its arguments; yet numba compares only the kernel's own source file with the cache.
So this module adds a stamp to the index of each kernel: a digest of its source file and of all files of this package
that this file imports, directly or through others. The files of the argument classes are among them, because the
kernel's annotations name these classes.

Kernels are kept in the first of these directories that can be written: NUMBA_CACHE_DIR, ``__pycache__`` beside the
source, the user's cache directory, and those of `evilpegs_game.kernel_folder`. If none can be written, each process
compiles its kernels again.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from hashlib import sha256
from inspect import getfile
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final, Self

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    InTreeCacheLocator,
    NullCache,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)

from evilpegs_game.kernel_folder import private_folder

_LOGGER: Final = logging.getLogger(__name__)
_PACKAGE: Final = Path(__file__).parent
_IMPORT: Final = re.compile(
    rf"^[ \t]*(?:from|import)[ \t]+{_PACKAGE.name}((?:\.\w+)*)(?:[ \t]+import[ \t]+(\([^)]*\)|.*))?", re.MULTILINE
)


class KernelCache(NullCache):
    """The cache on disk of one kernel; its directory is chosen at the first call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def cache_path(self) -> str | None:
        """None if no directory can be written."""
        path: str | None = self._files.cache_path
        return path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return None if the kernel must be compiled, which the log announces once per process."""
        result = self._files.load_overload(sig, target_context)
        if result is None:
            _announce_compilation()
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        self._files.save_overload(sig, data)

    @cached_property
    def _files(self) -> Any:
        try:
            return _KernelFiles(self._function)
        except RuntimeError:  # no directory can be written
            _warn_of_repetition()
            return NullCache()


@cache
def source_stamp(file: Path) -> str:
    """Return a digest of ``file`` and of all files of this package that it imports, directly or not."""
    digests = sorted(sha256(each.read_bytes()).digest() for each in _reachable(file))
    return sha256(b"".join(digests)).hexdigest()


def _reachable(file: Path) -> set[Path]:
    found, waiting = {file}, [file]
    while waiting:
        new = _imported(waiting.pop()) - found
        found |= new
        waiting.extend(new)
    return found


@cache
def _imported(file: Path) -> frozenset[Path]:
    files = set()
    for module, names in _IMPORT.findall(file.read_text(encoding="utf-8")):
        base = _PACKAGE.joinpath(*module.split(".")[1:])
        paths = [base, *(base / name for name in re.findall(r"\w+", names))]
        files |= {path.with_suffix(".py") for path in paths} | {base / "__init__.py"}
    return frozenset(each for each in files if each.is_file())


class _PrivateLocator(UserWideCacheLocator):
    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        super().__init__(py_func, py_file)  # type: ignore[no-untyped-call]
        folder = private_folder()
        if folder is None:
            message = "no writable directory for compiled kernels"
            raise OSError(message)
        self._cache_path = str(folder / Path(self._cache_path).name)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Self | None:
        try:
            place: Self | None = super().from_function(py_func, py_file)  # type: ignore[no-untyped-call]
        except OSError:
            return None
        return place


class _KernelPlaces(CompileResultCacheImpl):
    _locator_classes = (UserProvidedCacheLocator, InTreeCacheLocator, UserWideCacheLocator, _PrivateLocator)  # type: ignore[assignment]


class _KernelFiles(FunctionCache):
    _impl_class = _KernelPlaces

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        # Numba unpickles an index only if it begins with this text. Unpickling one of another version would fail
        # where it names a class that was renamed since.
        self._cache_file._version += f" {source_stamp(Path(getfile(function)))}"

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, UnpicklingError) as error:
            _LOGGER.debug("cannot store a compiled kernel: %s", error)


@cache
def _announce_compilation() -> None:
    _LOGGER.info("compiling for this machine, once; this takes about 10 seconds")


@cache
def _warn_of_repetition() -> None:
    _LOGGER.warning(
        "compiled code cannot be stored, so each command compiles again; "
        "set NUMBA_CACHE_DIR to a directory that only this user can write"
    )
