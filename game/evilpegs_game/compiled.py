"""How the hot loops are compiled: to machine code, without the interpreter's lock where they are long, cached on disk.

Compiled code holds what it calls of other files, but numba compares the caller's file alone with what it has cached.
So here all files with kernels have one stamp, and when one of them changes every kernel is compiled anew: of a caller
and a callee from different versions one would not know what the other's arrays mean.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, ParamSpec, TypeVar, cast

from numba import config, njit
from numba.core.caching import InTreeCacheLocator, UserProvidedCacheLocator, UserWideCacheLocator

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` with numba. With NUMBA_DISABLE_JIT=1 it runs as plain Python instead."""
    return _compiled(function, nogil=True)


def short_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same for what takes microseconds: it keeps the lock, which would be had back only after another's turn."""
    return _compiled(function, nogil=False)


def _compiled(function: Callable[_P, _R], nogil: bool) -> Callable[_P, _R]:
    before, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, _LOCATORS  # type: ignore[attr-defined]
    try:
        return cast("Callable[_P, _R]", njit(nogil=nogil, cache=True)(function))
    finally:
        config.CACHE_LOCATOR_CLASSES = before  # type: ignore[attr-defined]


@cache
def stamp() -> str:
    """A digest of every file with kernels that stands beside this one or below."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    sources = (file.read_bytes() for file in files)
    return sha256(b"".join(source for source in sources if b"kernel\ndef" in source)).hexdigest()


class _Stamped:
    """Where numba keeps a kernel, with the stamp of all of them."""

    def get_source_stamp(self) -> str:
        """What numba compares with what it has cached."""
        return stamp()


class AsTold(_Stamped, UserProvidedCacheLocator):
    """In the directory that NUMBA_CACHE_DIR names, if it does."""


class BesideSource(_Stamped, InTreeCacheLocator):
    """In ``__pycache__`` beside the source, where that can be written."""


class OfUser(_Stamped, UserWideCacheLocator):
    """In the user's cache directory."""


_LOCATORS: Final = ",".join(f"{__name__}.{locator.__name__}" for locator in (AsTold, BesideSource, OfUser))
