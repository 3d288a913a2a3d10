"""How the hot loops are compiled: to machine code, without the interpreter's lock, cached on disk."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

_P = ParamSpec("_P")
_R = TypeVar("_R")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile ``function`` with numba. With NUMBA_DISABLE_JIT=1 it runs as plain Python instead."""
    return cast("Callable[_P, _R]", njit(nogil=True, cache=True)(function))
