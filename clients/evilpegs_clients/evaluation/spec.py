"""The specification of a strategy to evaluate, in a form that any process can work from."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from json import dumps
from pathlib import Path

from evilpegs_clients.strategies.loading import SiblingModule, find_siblings, load_strategy, read_source
from evilpegs_clients.strategies.strategy import SCHEME, Strategy, StrategyError
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class StrategySpec:
    """A strategy to evaluate on one set of rules, as plain texts and numbers that can be sent to any process."""

    strategy: str  # a name, or the path of a file
    source: bytes | None  # of a file
    rules: Rules
    first: str | None = None  # or the strategy's own
    candidates_only: bool = False
    games: int = 0  # or every secret is played
    seed: int = 0
    siblings: tuple[SiblingModule, ...] = ()
    worst: int = 0  # most costly secrets to report

    @property
    def opening(self) -> Code | None:
        """The given first guess; raises GameError if it is illegal."""
        return None if self.first is None else parse_code(self.first, self.rules)

    @property
    def digest(self) -> str:
        """A hash of all that the counts depend on, such as the version of evilpegs, but not the folder of a file."""
        _, *fields = astuple(self)
        name = self.strategy if self.source is None else Path(self.strategy).name
        facts = [version("evilpegs"), SCHEME, name, *fields]
        return sha256(dumps(facts, default=_as_text).encode()).hexdigest()

    def load(self) -> Strategy:
        """Return the strategy, loaded once per process; raises StrategyError."""
        return _load(self.strategy, self.source, self.siblings, self.candidates_only)


def _as_text(source: bytes) -> str:
    return source.decode(errors="surrogateescape")


def make_specs(
    strategies: Sequence[str],
    rules: Rules,
    first: str | None,
    candidates_only: bool,
    games: int,
    seed: int,
    worst: int = 0,
) -> list[StrategySpec]:
    """Return a `StrategySpec` for each strategy, once. Raises GameError for a strategy or ``first`` that is none."""
    specs = [
        StrategySpec(
            *(strategy, read_source(strategy), rules, first, candidates_only, games, seed),
            siblings=find_siblings(Path(strategy)),
            worst=worst,
        )
        for strategy in dict.fromkeys(strategies)
    ]
    for spec in specs:
        spec.load()
        _ = spec.opening
    return specs


@lru_cache(maxsize=16)
def _load(strategy: str, source: bytes | None, siblings: tuple[SiblingModule, ...], candidates_only: bool) -> Strategy:
    local = None
    with suppress(StrategyError):
        local = read_source(strategy)
    if source is None or (local == source and find_siblings(Path(strategy)) == siblings):
        return load_strategy(strategy, candidates_only)
    # the file is missing on this machine, or it or a sibling has another text
    with tempfile.TemporaryDirectory(prefix="evilpegs-") as folder:
        for sibling in siblings:
            Path(folder, sibling.path).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, sibling.path).write_bytes(sibling.source)
        copy = Path(folder, Path(strategy).name)
        copy.write_bytes(source)
        return load_strategy(str(copy), candidates_only)
