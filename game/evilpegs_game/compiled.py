"""Compilation of the hot loops to machine code, cached on disk. Long loops run without the interpreter's lock (GIL)."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import config, njit
from numpy.typing import NDArray

from evilpegs_game.kernel_cache import KernelCache

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` with numba so that its calls release the GIL. NUMBA_DISABLE_JIT=1 leaves it plain Python."""
    return _compile(function, nogil=True)


def short_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` like `kernel`, but hold the GIL during calls.

    This is for functions that take about a microsecond: releasing the GIL would cost more than other threads gain.
    """
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
    """Copy ``source`` to the beginning of ``target``; both are one-dimensional, and ``target`` is long enough.

    Compiled code calls this function and does not assign arrays to slices. With an assignment to a slice, numba would
    also compile the error message for arrays of different sizes, which takes two seconds per process that compiles it.
    """
    for i in range(source.size):
        target[i] = source[i]
