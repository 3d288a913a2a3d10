"""Compilation of the hot loops to machine code, cached on disk. Long loops run without the interpreter's lock (GIL).

A cached kernel contains the compiled code of kernels that it calls from other files, and its index names their types.
Numba, however, compares only the caller's own file with its cache. So all files with kernels share one stamp here: when
one of them changes, every kernel is compiled again, and nothing of an older version is read.

Where nothing can be written, as for a service user without a home on a read-only install, kernels are compiled again in
every process, which takes a minute or two. NUMBA_CACHE_DIR names a directory for them.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar, cast

from numba import config, njit
from numba.core.caching import InTreeCacheLocator, UserProvidedCacheLocator, UserWideCacheLocator

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` with numba, to run without the GIL. With NUMBA_DISABLE_JIT=1 it stays plain Python."""
    return _compile(function, nogil=True)


def short_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` like `kernel`, but keep the GIL: releasing it costs more than a microsecond call gains."""
    return _compile(function, nogil=False)


def _compile(function: Callable[_P, _R], nogil: bool) -> Callable[_P, _R]:
    try:
        return _compile_cached(function, nogil)
    except RuntimeError:  # none of the places can be written
        return cast("Callable[_P, _R]", njit(nogil=nogil)(function))


def _compile_cached(function: Callable[_P, _R], nogil: bool) -> Callable[_P, _R]:
    before, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, _LOCATORS  # type: ignore[attr-defined]
    try:
        dispatcher: Any = njit(nogil=nogil, cache=True)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before  # type: ignore[attr-defined]
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        # Numba unpickles an index only if it begins with this text. Unpickling one of another version would fail
        # where it names a class that was renamed since.
        dispatcher._cache._cache_file._version += f" {stamp()}"
    return cast("Callable[_P, _R]", dispatcher)


@cache
def stamp() -> str:
    """Return a digest of every file with kernels in this package: 64 hexadecimal digits."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    sources = (file.read_bytes() for file in files)
    return sha256(b"".join(source for source in sources if b"kernel\ndef" in source)).hexdigest()


class _StampedLocator:
    """A place where numba keeps kernels, with the common stamp of all of them."""

    def get_source_stamp(self) -> str:
        """Return what numba compares with the stamp of a cached kernel."""
        return stamp()


class ConfiguredLocator(_StampedLocator, UserProvidedCacheLocator):
    """The directory that NUMBA_CACHE_DIR names, if it is set."""


class SourceLocator(_StampedLocator, InTreeCacheLocator):
    """The directory ``__pycache__`` beside the source, if it is writable."""


class UserLocator(_StampedLocator, UserWideCacheLocator):
    """The user's cache directory."""


_LOCATORS: Final = ",".join(
    f"{__name__}.{locator.__name__}" for locator in (ConfiguredLocator, SourceLocator, UserLocator)
)
