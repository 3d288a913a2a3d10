"""The strategy that a command plays: a built-in one, a Python file, or a program given with --exec.

A file that takes long is named, so that a strategy that never returns does not look like a fault of evilpegs; one that
fails is shown with its own traceback if the option --traceback asks for it.
"""

import shlex
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.signals import ended_in_order
from evilpegs_clients.strategies.loading import FILE_ENDINGS, MODULE_PREFIX, load_strategy
from evilpegs_clients.strategies.program import ProgramStrategy, shell_characters
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_game.errors import EvilpegsError

ProgramCommand = Annotated[
    str | None,
    Parameter(
        name="--exec",
        help="Play with this program instead of a strategy: its command line, such as ./mybot or './mybot --fast'. "
        "It reads positions and writes codes as lines of JSON; see docs/strategies.md.",
    ),
]


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """A strategy as the user typed it: a name or file, or else the command line of a program."""

    name_or_file: str | None
    program: str | None
    candidates_only: bool = False

    @property
    def typed(self) -> list[str]:
        """The words that choose this strategy in another `evilpegs` command."""
        if self.program is not None:
            return ["--exec", self.program]
        return [self.name_or_file or "", *(["--candidates-only"] if self.candidates_only else [])]

    @contextmanager
    def open(self) -> Iterator[Strategy]:
        """Load the strategy; if it is a program, it is killed after the block."""
        if (self.name_or_file is None) is (self.program is None):
            what = "no strategy was given" if self.program is None else "a strategy and --exec were both given"
            raise CommandError(f"{what}; write a strategy's name, a .py or .tree file, or --exec and a program")
        if self.program is None:
            with slow_strategies_named():
                yield load_strategy(self.name_or_file or "", self.candidates_only)
            return
        if self.candidates_only:
            raise CommandError("--candidates-only is for the strategies with a name; a program decides by itself")
        with ended_in_order(), closing(ProgramStrategy(self.program)) as program:
            point_out_shell(self.program, program.name)
            yield program


def point_out_shell(command: str, program: str, where: str = "--exec") -> None:
    if found := shell_characters(command):
        instead = f"{where} {shlex.quote('sh -c ' + shlex.quote(command))}"
        print(  # noqa: T201
            f"evilpegs: no shell reads {where}, so {program} gets {' and '.join(found)} as text; for a shell write "
            f"{instead}",
            file=sys.stderr,
        )


def warn_of_known_seed(strategies: Iterable[str], seed: int) -> None:
    if seed == 0 and any(strategy.endswith(FILE_ENDINGS) for strategy in strategies):
        print(  # noqa: T201
            "evilpegs: seed 0 is known, so a file may have its secrets built in; for files of others choose your own "
            "number with --seed",
            file=sys.stderr,
        )


LOOK_SECONDS: Final = 1.0
SLOW_SECONDS: Final = 5.0


# Nothing but Ctrl-C can interrupt a strategy. Once per second, a thread finds the strategy files that are executing.
# This adds no time to a choice, which matters because evaluations make millions of choices.
class SlowStrategyWatch:
    """An observer that reports the calls of strategy files that take long.

    With ``in_place``, a line replaces the one before and is erased when no call is slow any longer. Otherwise lines
    stay, and the next one is written once a call has taken twice as long.
    """

    def __init__(self, write: Callable[[str], object], in_place: bool) -> None:
        self._write, self._in_place = write, in_place
        self._since: dict[FrameType, float] = {}
        self._next_line = SLOW_SECONDS
        self._is_shown = False

    def look(self, frames: list[FrameType], now: float) -> None:
        """Report the longest call, if it is slow; a frame that was there at the last look is the same call."""
        self._since = {frame: self._since.get(frame, now) for frame in frames}
        slowest = min(frames, key=self._since.__getitem__, default=None)
        seconds = 0.0 if slowest is None else now - self._since[slowest]
        if slowest is None or seconds < SLOW_SECONDS:
            self.end()
        elif self._in_place or seconds >= self._next_line:
            self._next_line = 2 * seconds
            code, self._is_shown = slowest.f_code, True
            activity = "loading" if code.co_name == "<module>" else "choosing its guess"
            line = f"{Path(code.co_filename).name} has been {activity} for {seconds:.0f} s; Ctrl-C ends it"
            self._write(f"\r\x1b[2K{line}" if self._in_place else f"{line}\n")

    def end(self) -> None:
        self._next_line = SLOW_SECONDS
        if self._is_shown and self._in_place:
            self._write("\r\x1b[2K")
        self._is_shown = False


def executing_strategy_calls(but: int) -> list[FrameType]:
    """Return each thread's outermost call into a strategy file, except that of the thread ``but``."""
    # The documented `threading` functions name threads only; there is no other way to see what a thread executes.
    calls = (_outermost_call(frame) for thread, frame in sys._current_frames().items() if thread != but)
    return [call for call in calls if call is not None]


@contextmanager
def slow_strategies_named(*, has_bar: bool = False) -> Iterator[None]:
    """Name slow strategy files on standard error; ``has_bar`` if a progress bar may be there too."""
    write = partial(print, end="", file=sys.stderr, flush=True)
    watch, ended = SlowStrategyWatch(write, sys.stderr.isatty() and not has_bar), threading.Event()

    def run() -> None:
        while not ended.wait(LOOK_SECONDS):
            watch.look(executing_strategy_calls(threading.get_ident()), monotonic())
        watch.end()

    thread = threading.Thread(target=run, name="slow strategies", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _outermost_call(frame: FrameType | None) -> FrameType | None:
    outermost = None
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(MODULE_PREFIX):
            outermost = frame
        frame = frame.f_back
    return outermost


OWN_PACKAGES: Final = ("evilpegs.", "evilpegs_clients.", "evilpegs_game.", "importlib.")


@contextmanager
def traceback_of_strategy(is_wanted: bool) -> Iterator[None]:
    """Print the traceback of a strategy that fails in the block, or let its error mention --traceback."""
    try:
        yield
    except StrategyError as error:
        if is_wanted:
            print_strategy_traceback(error)
        elif _has_traceback(error) and not isinstance(error.__cause__, EvilpegsError):
            error.args = (f"{error}; see where with --traceback",)
        raise


def print_strategy_traceback(error: StrategyError) -> None:
    cause = error.__cause__
    if cause is not None and _has_traceback(error):
        frames = cause.__traceback__
        while frames is not None and f"{frames.tb_frame.f_globals.get('__name__', '')}.".startswith(OWN_PACKAGES):
            frames = frames.tb_next
        print("".join(traceback.format_exception(type(cause), cause, frames)), end="", file=sys.stderr)  # noqa: T201


def _has_traceback(error: StrategyError) -> bool:
    return error.__cause__ is not None and not isinstance(error.__cause__, StrategyError)
