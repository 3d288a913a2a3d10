"""The traceback of a strategy file that failed, without the frames of evilpegs itself, for the option --traceback."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import EvilpegsError

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
    """Print the traceback of the exception that a strategy raised, if any."""
    cause = error.__cause__
    if cause is not None and _has_traceback(error):
        frames = _skip_own_frames(cause.__traceback__)
        print("".join(traceback.format_exception(type(cause), cause, frames)), end="", file=sys.stderr)  # noqa: T201


def _has_traceback(error: StrategyError) -> bool:
    return error.__cause__ is not None and not isinstance(error.__cause__, StrategyError)


def _skip_own_frames(frames: TracebackType | None) -> TracebackType | None:
    while frames is not None and _module(frames).startswith(OWN_PACKAGES):
        frames = frames.tb_next
    return frames


def _module(frames: TracebackType) -> str:
    return f"{frames.tb_frame.f_globals.get('__name__', '')}."
