"""Compilation of the hot loops to machine code, cached on disk."""

import os
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Any, Final, ParamSpec, TypeVar, cast

from numpy.typing import NDArray

_P = ParamSpec("_P")
_R = TypeVar("_R")

COMPILES: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") in {"", "0"}
"""False with NUMBA_DISABLE_JIT=1: kernels are then plain Python."""


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` with numba; its calls release the GIL."""
    return cast("Callable[_P, _R]", _Kernel(function, nogil=True)) if COMPILES else function


def short_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` like `kernel`, but hold the GIL during calls.

    For functions that take about a microsecond: releasing the GIL would cost more than other threads gain.
    """
    return cast("Callable[_P, _R]", _Kernel(function, nogil=False)) if COMPILES else function


class _Kernel:
    # Numba is imported with the first kernel that is called: the import takes 0.2 s, and most commands need none. A
    # kernel that calls this one sees the dispatcher, because numba asks for its type by an attribute.
    def __init__(self, function: Callable[..., Any], nogil: bool) -> None:
        update_wrapper(self, function)
        self._nogil = nogil
        self._lock = Lock()  # compiled callers refer to the dispatcher, so there may be only one
        self._made: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._made or self._dispatcher())(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dispatcher(), name)

    def _dispatcher(self) -> Any:
        from numba import njit  # noqa: PLC0415 - takes 0.2 s

        from evilpegs_game.kernel_cache import KernelCache  # noqa: PLC0415 - imports numba

        function = self.__dict__["__wrapped__"]
        with self._lock:
            if self._made is None:
                # Without its wrapper for C, which nothing here calls, a kernel compiles in a tenth less time.
                options: dict[str, Any] = {"nogil": self._nogil, "no_cfunc_wrapper": True}
                made: Any = njit(**options)(function)
                made._cache = KernelCache(function)
                self._made = made
            return self._made


@kernel
def copy_into(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy ``source`` to the beginning of ``target``; both are one-dimensional.

    Kernels call this and never assign to slices: numba would also compile the error message for arrays of different
    sizes, which takes two seconds per process that compiles it.
    """
    for i in range(source.size):
        target[i] = source[i]
