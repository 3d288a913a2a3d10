"""What codemakers compute that may take long: part sizes, a devil's choice, witnesses, hints.

A task is data. It can be done in this process or in another, and again with the same result; no secret is in it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from evilpegs_game.byte_cache import CacheState
from evilpegs_game.candidates import History, LiveSets, Position, Turn
from evilpegs_game.codemaker import Devil, Evil, Method, witness
from evilpegs_game.codes import Code, code_at
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_server.devils import Devils
from evilpegs_server.hinting import HINT_BUDGET, HintAnswer, find_hint

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)

_FEEDBACKS_A_UNIT: Final = 3
_UNITS_A_ROW: Final = 24


@dataclass(frozen=True, slots=True)
class Worked(Generic[_T_co]):
    """What came of a task, and its cost in units of a few nanoseconds, as far as it is only known now."""

    value: _T_co
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Reckoner:
    """What tasks are done with."""

    live_sets: LiveSets
    devils: Devils

    def position(self, rules: Rules, history: History, budget: int | None = None) -> Position:
        """What is known at a turn."""
        return Position(rules, history, self.live_sets, budget)

    @property
    def state(self) -> "ReckonerState":
        """How full it is at this moment."""
        return ReckonerState(self.live_sets.state, self.live_sets.bytes_used, len(self.devils.solved))


class ReckonerState(NamedTuple):
    """Part sizes in the cache, bytes of live sets in it, solved positions."""

    part_sizes: CacheState = CacheState(0, 0, 0, 0)
    live_set_bytes: int = 0
    solved: int = 0


class Task(Protocol[_T_co]):
    """Something to be found out."""

    def do(self, reckoner: Reckoner) -> Worked[_T_co]:
        """Find it out."""
        ...


class PartSizes(NamedTuple):
    """The sizes of all parts of a guess in feedback order."""

    rules: Rules
    history: History
    guess: Code

    def do(self, reckoner: Reckoner) -> Worked[tuple[int, ...]]:
        """Do it; the cost is what was counted for this, nothing if somebody else had it counted before."""
        live_sets = reckoner.live_sets
        live_sets.take_work()
        sizes = Position(self.rules, self.history, live_sets).part_sizes(self.guess)
        return Worked(sizes, live_sets.take_work() * _UNITS_A_ROW)


class Possible(NamedTuple):
    """The replies of which a devil may give any, how they were found, and the sizes of all parts."""

    allowed: tuple[Feedback, ...]
    method: Method
    part_sizes: tuple[int, ...]


class DevilsChoice(NamedTuple):
    """What a devil may reply to a guess."""

    rules: Rules
    exact_up_to: int
    history: History
    guess: Code

    def do(self, reckoner: Reckoner) -> Worked[Possible]:
        """Do it; the cost is what had to be solved for this."""
        devil = Devil(reckoner.devils.worst_case(self.rules), self.exact_up_to)
        position = reckoner.position(self.rules, self.history)
        allowed, method, work = devil.choice(position, self.guess)
        return Worked(Possible(allowed, method, position.part_sizes(self.guess)), work // _FEEDBACKS_A_UNIT)


class Witness(NamedTuple):
    """The first code that every feedback allows."""

    rules: Rules
    history: History

    def do(self, reckoner: Reckoner) -> Worked[Code]:
        """Do it."""
        return Worked(witness(reckoner.position(self.rules, self.history)))


class Hint(NamedTuple):
    """A good guess, found with at most ``budget`` feedback evaluations."""

    rules: Rules
    history: History
    budget: int = HINT_BUDGET

    def do(self, reckoner: Reckoner) -> Worked[HintAnswer]:
        """Do it."""
        return Worked(find_hint(reckoner.position(self.rules, self.history, self.budget)))


class TryOut(NamedTuple):
    """Some turns on rules and a witness after each, so that nothing is compiled or tabled while somebody waits."""

    rules: Rules
    turns: int
    exact_up_to: int | None = None

    def do(self, reckoner: Reckoner) -> Worked[None]:
        """Do it: against evil, and the last turn against a devil if there is one.

        A devil who knows nothing yet thinks longest at first.
        """
        table = reckoner.live_sets.feedback_table(self.rules)
        if table is not None:
            table.complete()
        history: History = ()
        for turn in range(1, self.turns + 1):
            guess = code_at(turn * self.rules.size // (self.turns + 2), self.rules)
            position = reckoner.position(self.rules, history)
            if turn == self.turns and self.exact_up_to is not None:
                DevilsChoice(self.rules, self.exact_up_to, history, guess).do(reckoner)
            history = (*history, Turn(guess, Evil().reply(position, guess)))
            Witness(self.rules, history).do(reckoner)
        return Worked(None)


class TakeSolved(NamedTuple):
    """What devils have solved, to be kept."""

    def do(self, reckoner: Reckoner) -> Worked[bytes | None]:
        """Do it; None if nothing was learnt since the last time."""
        solved = reckoner.devils.solved
        if not solved.changed:
            return Worked(None)
        solved.changed = False
        return Worked(solved.to_bytes())


def carry_out(task: Task[_T], reckoner: Reckoner) -> tuple[_T | Exception, int]:
    """What came of a task, or the exception it ended with, and what it cost."""
    worked = attempt(partial(task.do, reckoner))
    return (worked, 0) if isinstance(worked, Exception) else (worked.value, worked.cost)


def attempt(work: Callable[[], _T]) -> _T | Exception:
    """What ``work`` returns, or the exception it ends with."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        return error
