"""Compilation of the hot loops to machine code, cached on disk. Long loops run without the interpreter's lock (GIL)."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import config, njit
from numpy.typing import NDArray

from evilpegs_game.kernel_cache import KernelCache

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` with numba, to run without the GIL. With NUMBA_DISABLE_JIT=1 it stays plain Python."""
    return _compile(function, nogil=True)


def short_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` like `kernel`, but keep the GIL: releasing it costs more than a microsecond call gains."""
    return _compile(function, nogil=False)


def _compile(function: Callable[_P, _R], nogil: bool) -> Callable[_P, _R]:
    # Without its wrapper for C, which nothing here calls, a kernel compiles in a tenth less time.
    options: dict[str, Any] = {"nogil": nogil, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(**options)(function)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        dispatcher._cache = KernelCache(function)
    return cast("Callable[_P, _R]", dispatcher)


@kernel
def copy_into(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy the elements of a one-dimensional array to the beginning of another.

    A kernel that assigns an array to a slice also compiles the error for arrays that do not fit, with its text: that
    takes two seconds, in each process that compiles such a kernel.
    """
    for i in range(source.size):
        target[i] = source[i]
