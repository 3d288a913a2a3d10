"""The strategy that a command plays: a built-in one, a Python file, or a program given with --exec."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.slow_strategy import slow_strategies_named
from evilpegs.termination import ended_in_order
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.program import ProgramStrategy
from evilpegs_clients.strategies.strategy import Strategy

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
            what = "no strategy was given" if self.program is None else "a strategy and --exec exclude each other"
            raise CommandError(f"{what}; write a strategy's name, a .py file, or --exec and a program")
        if self.program is None:
            with slow_strategies_named():
                yield load_strategy(self.name_or_file or "", self.candidates_only)
            return
        if self.candidates_only:
            raise CommandError("--candidates-only is for the strategies with a name; a program decides by itself")
        with ended_in_order(), closing(ProgramStrategy(self.program)) as program:
            yield program
