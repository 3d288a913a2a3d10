"""The specification of a strategy to evaluate, in a form that any process can work from."""

import tempfile
from dataclasses import astuple, dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from json import dumps
from pathlib import Path

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.seeding import SCHEME
from evilpegs_clients.strategies.source import SiblingModule, find_siblings
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class StrategySpec:
    """A strategy to evaluate on one set of rules, as plain texts and numbers that can be sent to any process.

    ``strategy`` is the name of a built-in strategy or the path of a strategy file. ``source`` is the text of the file,
    None for a built-in strategy, and ``siblings`` are the modules beside the file that it imports. ``first`` is the
    first guess, None for the strategy's own. With ``candidates_only`` a built-in strategy guesses only codes that could
    be the secret. ``games`` is the number of games to simulate; 0 means that every secret is played, so that the result
    is exact. ``seed`` is the seed of all random choices. ``worst`` is the number of secrets to report that took the
    most guesses.
    """

    strategy: str
    source: str | None
    rules: Rules
    first: str | None = None
    candidates_only: bool = False
    games: int = 0
    seed: int = 0
    siblings: tuple[SiblingModule, ...] = ()
    worst: int = 0

    @property
    def opening(self) -> Code | None:
        """The given first guess as a code, None for the strategy's own; raises GameError if the guess is illegal."""
        return None if self.first is None else parse_code(self.first, self.rules)

    @property
    def digest(self) -> str:
        """A hash, 64 hexadecimal digits, of everything that the counts depend on, including the version of evilpegs.

        The hash covers the name of a strategy file, its text and those of its siblings, but not its folder.
        """
        _, *fields = astuple(self)
        name = self.strategy if self.source is None else Path(self.strategy).name
        return sha256(dumps([version("evilpegs"), SCHEME, name, *fields]).encode()).hexdigest()

    def check(self) -> None:
        """Raise GameError if the strategy cannot be loaded or the first guess is no code of the rules."""
        self.load()
        _ = self.opening

    def load(self) -> Strategy:
        """Return the strategy itself; a strategy file is loaded only once per process.

        Raises:
            StrategyError: the strategy cannot be loaded, as `load_strategy` explains.
        """
        return _load(self.strategy, self.source, self.siblings, self.candidates_only)


def read_source(strategy: str) -> str | None:
    """Return the text of a strategy file; None for a built-in strategy, and for a file that does not exist.

    ``strategy`` is a name or a path. An unknown name or a missing file is no error here, because loading reports it.

    Raises:
        StrategyError: the file cannot be read.
    """
    if strategy in STRATEGIES or not strategy.endswith(".py") or not Path(strategy).is_file():
        return None
    try:
        return Path(strategy).read_text()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{strategy} cannot be read: {error}"
        raise StrategyError(message) from error


def read_siblings(strategy: str) -> tuple[SiblingModule, ...]:
    """Return the modules that a strategy file imports from its own folder, or () if ``strategy`` is built in."""
    return find_siblings(Path(strategy)) if strategy not in STRATEGIES and strategy.endswith(".py") else ()


@lru_cache(maxsize=16)
def _load(strategy: str, source: str | None, siblings: tuple[SiblingModule, ...], candidates_only: bool) -> Strategy:
    """Return the strategy of a `StrategySpec` with these fields.

    A strategy file is loaded where it is, if it and its siblings have the texts of the fields on this machine.
    Otherwise the texts are written to temporary files, which are loaded instead.
    """
    if source is None or (_local_source(strategy) == source and read_siblings(strategy) == siblings):
        return load_strategy(strategy, candidates_only)
    with tempfile.TemporaryDirectory(prefix="evilpegs-") as folder:
        for sibling in siblings:
            Path(folder, sibling.path).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, sibling.path).write_text(sibling.text)
        copy = Path(folder, Path(strategy).name)
        copy.write_text(source)
        return load_strategy(str(copy), candidates_only)


def _local_source(strategy: str) -> str | None:
    """Return the text of a strategy file on this machine; None if the file does not exist or cannot be read."""
    try:
        return read_source(strategy)
    except StrategyError:
        return None
