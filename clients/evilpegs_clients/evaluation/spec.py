"""What is evaluated: a strategy and all that its numbers depend on, in a form that any process can work from."""

import tempfile
from dataclasses import astuple, dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from json import dumps
from pathlib import Path

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class Subject:
    """One strategy on one set of rules. Plain text and numbers, so that it can be sent anywhere.

    ``source`` is the text of a strategy that is a file, else None; ``first`` the first guess, if it is not the
    strategy's own; ``games`` how many are simulated, or 0 for every secret exactly; ``seed`` is that of all chance.
    """

    strategy: str
    source: str | None
    rules: Rules
    first: str | None = None
    candidates_only: bool = False
    games: int = 0
    seed: int = 0

    @property
    def opening(self) -> Code | None:
        """The first guess, if it is not the strategy's own; raises GameError where it is no code of the rules."""
        return None if self.first is None else parse_code(self.first, self.rules)

    @property
    def digest(self) -> str:
        """Of all that the numbers depend on, this program's version included; 64 hexadecimal digits."""
        _, *numbers = astuple(self)
        name = self.strategy if self.source is None else Path(self.strategy).name
        return sha256(dumps([version("evilpegs"), name, *numbers]).encode()).hexdigest()

    def check(self) -> None:
        """Raise GameError if the strategy cannot be loaded or the first guess is no code of the rules."""
        self.load()
        _ = self.opening

    def load(self) -> Strategy:
        """The strategy; a file is loaded once in a process. Raises StrategyError as `load_strategy` does."""
        return _loaded(self.strategy, self.source, self.candidates_only)


def source_of(strategy: str) -> str | None:
    """The text of a strategy's file; None for one that has a name.

    Raises:
        StrategyError: the file cannot be read. That there is no such file or name is told by loading it.
    """
    if strategy in STRATEGIES or not strategy.endswith(".py") or not Path(strategy).is_file():
        return None
    try:
        return Path(strategy).read_text()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{strategy} cannot be read: {error}"
        raise StrategyError(message) from error


@lru_cache(maxsize=16)
def _loaded(strategy: str, source: str | None, candidates_only: bool) -> Strategy:
    """Loaded from the file itself where that is here; from a copy where only its text came."""
    if source is None or source_here(strategy) == source:
        return load_strategy(strategy, candidates_only)
    with tempfile.TemporaryDirectory(prefix="evilpegs-") as folder:
        copy = Path(folder, Path(strategy).name)
        copy.write_text(source)
        return load_strategy(str(copy), candidates_only)


def source_here(strategy: str) -> str | None:
    """The text of the file on this machine; None where there is none, or another kind of thing."""
    try:
        return source_of(strategy)
    except StrategyError:
        return None
