"""Loading a strategy by its name, or from a Python file with a function ``choose(position, rng)``."""

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from inspect import iscoroutinefunction
from pathlib import Path
from random import Random
from types import ModuleType
from typing import ClassVar

from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError
from evilpegs_game.live.position import Position


@dataclass(frozen=True, slots=True)
class FileStrategy:
    """A strategy that calls the function ``choose(position, rng)`` of a Python file."""

    name: str
    path: Path
    function: Callable[[Position, Random], Code]
    uses_rng: ClassVar[bool] = True

    def choose(self, position: Position, rng: Random) -> Code:
        """Choose the guess of the file's function; raise StrategyError if it fails or tries to exit."""
        try:
            return self.function(position, rng)
        except GameError:
            raise
        except (Exception, SystemExit, GeneratorExit) as error:
            message = f"strategy {self.name} failed at turn {position.turn}: {_describe(error, self.path)}"
            raise StrategyError(message) from error


def load_strategy(name_or_path: str, candidates_only: bool = False) -> Strategy:
    """Return the built-in strategy of that name, or the strategy of a ``.py`` file.

    Raises:
        StrategyError: There is no such name or file, the file cannot be loaded or has no ``choose``, or
            ``candidates_only`` is set for a file, which decides by itself what to guess.

    >>> from random import Random
    >>> import evilpegs
    >>> strategy = evilpegs.load_strategy("minimax")
    >>> strategy.choose(evilpegs.Position(evilpegs.Rules(4, 6)), Random(0))
    (0, 0, 1, 1)
    """
    if name_or_path in STRATEGIES:
        return STRATEGIES[name_or_path](candidates_only)
    if not name_or_path.endswith(".py"):
        names = ", ".join(STRATEGIES)
        message = f"no strategy {name_or_path[:40]!r}; take {names} or a .py file with choose(position, rng)"
        raise StrategyError(message)
    if candidates_only:
        message = f"candidates only is for the strategies with a name; {name_or_path} decides by itself"
        raise StrategyError(message)
    return _from_file(Path(name_or_path))


def _from_file(path: Path) -> FileStrategy:
    if not path.is_file():
        message = f"no strategy file {path}"
        raise StrategyError(message)
    function = getattr(_import(path), "choose", None)
    if not callable(function):
        message = f"{path} has no function choose(position, rng)"
        raise StrategyError(message)
    if iscoroutinefunction(function):
        message = f"choose in {path} is async; write it as a plain function: def choose(position, rng)"
        raise StrategyError(message)
    return FileStrategy(path.name, path, function)


def _import(path: Path) -> ModuleType:
    name = f"evilpegs_strategy_{path.stem}"
    module = sys.modules[name] = ModuleType(name)  # dataclasses look up their module there
    module.__file__ = str(path)
    try:
        SourceFileLoader(name, str(path)).exec_module(module)
    except (Exception, SystemExit) as error:
        message = f"{path} cannot be loaded: {_describe(error, path)}"
        raise StrategyError(message) from error
    return module


def _describe(error: BaseException, path: Path) -> str:
    """Return an exception as one line, with the number of the last line of the file that was executing."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
    text = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(": ")
    return f"{text} (line {lines[-1]})" if lines else text
