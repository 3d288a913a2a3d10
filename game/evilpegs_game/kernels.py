"""Kernels: hot loops that numba compiles to machine code, which is kept on disk.

Numba compares only a kernel's own source file with its cache. Yet the cached code contains every kernel that it calls,
also those of other files, and names the classes of its arguments. So kernels are kept in a folder named by a digest of
the whole package: no change of it is missed, and after any change all kernels are compiled again.

The folder is in the directory that NUMBA_CACHE_DIR names, else in the user's cache directory, so that an installation
stays as it was installed; only a checkout keeps its own in ``__pycache__``. If the first cannot be written, its kernels
are copied to the user's; failing that too, each process compiles for itself. A directory keeps the folders that were
used last. Several processes may compile at once: numba replaces files whole, and if two store one kernel at the same
moment for different types, one of these is compiled again later. Other code that numba compiles in the same process is
kept where it would be without this package.

The small kernels that many modules share are here too.
"""

import gc
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from shutil import copytree, disk_usage, rmtree
from threading import Lock
from time import monotonic
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

_P = ParamSpec("_P")
_R = TypeVar("_R")

COMPILES: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") in {"", "0"}
"""False with NUMBA_DISABLE_JIT=1: kernels are then plain Python."""

# 2**64 / golden ratio: its multiples modulo 2**64 spread evenly over all words
GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)

# As an argument, also the start of a sum that becomes one, a literal compiles the called kernel for itself.
ZERO: Final = cast("int", np.int64(0)) if COMPILES else 0

_LOGGER: Final = logging.getLogger(__name__)
_PACKAGE: Final = Path(__file__).parent
_LEAST_FREE_BYTES: Final = 50_000_000
_KEPT_FOLDERS: Final = 4  # more than one, because versions of the package can share a directory
SILENT_SECONDS: Final = 2.0
# Numba finds the directory in a variable of its module. It belongs to other code but while a dispatcher is made.
_CONFIGURATION: Final = Lock()


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
        self._made: Any = None
        self._called: Any = None  # the same, after its first call

    def __call__(self, *arguments: Any) -> Any:
        try:
            return (self._called or self._call_first)(*arguments)
        except (EOFError, UnpicklingError):  # of numba, for a file that was being written when the power failed
            rmtree(str(kernel_folder()), ignore_errors=True)
            return self._dispatcher()(*arguments)
        except SystemError as error:  # numba runs Python to make a result, and a signal handler may raise there
            cause: BaseException = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
            raise cause from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dispatcher(), name)

    def _call_first(self, *arguments: Any) -> Any:
        result = self._dispatcher()(*arguments)
        self._called = self._made
        if (mark := self._mark()) is not None:
            with suppress(OSError):
                mark.touch()
        return result

    def _mark(self) -> Path | None:
        function, folder = self.__dict__["__wrapped__"], kernel_folder()
        name = f"{function.__module__}.{function.__qualname__}.{sys.implementation.cache_tag}.called"
        return None if folder is None else folder / name

    def is_called(self) -> bool:
        """Return True if it was called here, or in an earlier process whose kernels are kept."""
        return self._called is not None or ((mark := self._mark()) is not None and mark.exists())

    def _dispatcher(self) -> Any:
        import numba  # noqa: PLC0415 - takes 0.2 s

        folder, config = kernel_folder(), cast("Any", numba.config)
        # Without its wrapper for C, which nothing here calls, a kernel compiles in a tenth less time.
        options: dict[str, Any] = {"nogil": self._nogil, "cache": folder is not None, "no_cfunc_wrapper": True}
        with _CONFIGURATION:
            if self._made is None:  # compiled callers refer to the dispatcher, so there may be only one
                _listen()
                usual, config.CACHE_DIR = config.CACHE_DIR, str(folder)
                try:
                    self._made = numba.njit(**options)(self.__dict__["__wrapped__"])
                finally:
                    config.CACHE_DIR = usual
        return self._made


@cache
def kernel_folder() -> Path | None:
    """Return the folder of the kernels of this version, found at the first kernel; None if none can be kept."""
    import numba  # noqa: PLC0415 - takes 0.2 s

    digest = sha256(numba.__version__.encode())
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    shared: Path | None = None
    for directory in _directories():
        folder = directory / f"{_PACKAGE.name}-{digest.hexdigest()[:16]}"
        try:
            if shared and not folder.exists():
                copytree(shared, folder, dirs_exist_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                shared = folder
                continue
            folder.touch()
            if disk_usage(folder).free < _LEAST_FREE_BYTES:
                continue
        except OSError:
            continue
        _remove_old(directory)
        return folder
    _LOGGER.warning(
        "compiled code cannot be stored, so each command compiles again; "
        "set NUMBA_CACHE_DIR to a directory that only this user can write"
    )
    return None


def _directories() -> tuple[Path, Path]:
    from platformdirs import user_cache_path  # noqa: PLC0415 - with the first kernel

    # pip removes only what it installed
    is_checkout = any((folder / "pyproject.toml").exists() for folder in _PACKAGE.parents[:2])
    own, named = user_cache_path("evilpegs"), os.environ.get("NUMBA_CACHE_DIR")
    return Path(named) if named else _PACKAGE / "__pycache__" if is_checkout else own, own


def is_compiled(function: Any) -> bool:
    """Return True if a kernel need not be compiled, because this process or an earlier one has called it."""
    return not COMPILES or function.is_called()


def clear_kernels() -> list[Path]:
    """Remove the kernels of every version that this user can remove, and return their folders."""
    folders = sorted({folder for each in _directories() for folder in each.glob(f"{_PACKAGE.name}-*")})
    for folder in folders:
        rmtree(folder, ignore_errors=True)
    return [folder for folder in folders if not folder.exists()]


def _remove_old(directory: Path) -> None:
    with suppress(OSError):  # another process may be removing the same
        used = sorted(directory.glob(f"{_PACKAGE.name}-*"), key=lambda folder: folder.stat().st_mtime)
        for old in used[:-_KEPT_FOLDERS]:
            rmtree(old, ignore_errors=True)


class _Compiling:
    # Hears of each function that numba begins and ends to compile, those that it calls within; numba holds a lock.
    def __init__(self) -> None:
        self._depth, self._since, self._before, self._collects = 0, 0.0, 0.0, False

    def seconds(self) -> float:
        """Return how long this process has compiled kernels."""
        return self._before + (monotonic() - self._since if self._depth else 0.0)

    def notify(self, event: Any) -> None:
        if event.is_start and self._depth == 0:
            self._since, self._collects = monotonic(), gc.isenabled()
            gc.disable()  # compiling makes many objects and hardly any garbage: a tenth of its time
        elif event.is_end and self._depth == 1:
            self._before = self.seconds()
            if self._collects:
                gc.enable()
        self._depth += 1 if event.is_start else -1
        name: str = event.data["dispatcher"].py_func.__module__
        if self.seconds() > SILENT_SECONDS and name.startswith(_PACKAGE.name):
            announce()


_COMPILING: Final = _Compiling()
compile_seconds: Final = _COMPILING.seconds


@cache
def _listen() -> None:
    from numba.core import event  # noqa: PLC0415 - takes 0.2 s; numba documents it as its Event API

    events = cast("Any", event)
    events.Listener.register(_Compiling)
    events.register("numba:compile", _COMPILING)


@cache
def announce() -> None:
    """Say that kernels are being compiled, once per process."""
    _LOGGER.warning("compiling, once per installation; this takes up to half a minute")


def working_time() -> float:
    """Return a time in seconds like `time.monotonic`, but one that stands still while kernels are compiled."""
    return monotonic() - compile_seconds()


@kernel
def copy_into(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy ``source`` to the beginning of ``target``; both are one-dimensional.

    Kernels call this and never assign to slices: numba would also compile the error message for arrays of different
    sizes, which takes two seconds per process that compiles it.
    """
    for i in range(source.size):
        target[i] = source[i]


@kernel
def _popcount(word: np.uint64) -> int:  # pragma: no cover - compilers turn it into one instruction
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((eights * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


popcount = _popcount if COMPILES else (lambda word: int(word).bit_count())


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Hash a word so that similar words get unrelated values. Source: S. Vigna, splitmix64."""
    once = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    twice = (once ^ (once >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return twice ^ (twice >> np.uint64(31))


@kernel
def mix_each(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply `mix` to every word of a C-contiguous array."""
    mixed = np.empty_like(words)
    source, target = words.reshape(-1), mixed.reshape(-1)
    for i in range(source.size):
        target[i] = mix(source[i])
    return mixed
