"""What codemakers compute that may take long: part sizes, a devil's choice, witnesses, hints.

A task is data. It can be done in this process or in another, and again with the same result; no secret is in it.

What the devils of a server know: one solver for each of the rules they are met on, shared by all matches.

A good guess for a player who asks for one.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from evilpegs_game.codemakers.codemaker import Devil, Evil, Method, witness
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code, code_at, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.guessing.criteria import EXPECTED_SIZE
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.history import History, Turn
from evilpegs_game.live.cache import CacheState
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


class Devils:
    """Solvers by rules. All note what they find in ``solved``, which saves time and never changes a reply."""

    def __init__(self, solved: SolvedPositions | None = None) -> None:
        self.solved = SolvedPositions() if solved is None else solved
        self._lock = Lock()
        self._worst_cases: dict[Rules, WorstCase] = {}

    def worst_case(self, rules: Rules) -> WorstCase:
        """The solver for ``rules``, made when it is first asked for; raises TooLargeError."""
        with self._lock:
            if rules not in self._worst_cases:
                self._worst_cases[rules] = WorstCase(rules, self.solved)
            return self._worst_cases[rules]


HINT_BUDGET: Final = 1_000_000_000
"""Feedback evaluations a hint may cost; about a second."""


class Compared(StrEnum):
    """The guesses that a hint was chosen from."""

    CODES = "codes"
    CANDIDATES = "candidates"
    NONE = "none"
    """Comparing guesses would exceed the budget: the first candidate is given."""


@dataclass(frozen=True, slots=True)
class HintAnswer:
    """A good guess, how many candidates there are, why the guess is good, and which guesses it was compared with."""

    code: str
    candidates: int
    why: str
    compared: Compared = Compared.CODES


_RESERVATIONS: Final = MappingProxyType(
    {
        Compared.CODES: "",
        Compared.CANDIDATES: "; only candidates were weighed",
        Compared.NONE: "; it is the first of too many to be weighed",
    }
)
"""What the reason of a hint ends with."""


def find_hint(position: Position) -> HintAnswer:
    """The best guess of all codes where they are few enough, else of the candidates, else the first candidate.

    The budget of ``position`` says how many are few enough.
    """
    guess, compared = _good_guess(position)
    if position.count == 1:
        return HintAnswer(format_code(guess), 1, "is the only candidate", compared)
    parts = position.parts(guess)
    why = f"splits {position.count:,} candidates into {len(parts)} parts, the largest {max(parts.values()):,}"
    return HintAnswer(format_code(guess), position.count, why + _RESERVATIONS[compared], compared)


def _good_guess(position: Position) -> tuple[Code, Compared]:
    """Return a guess and what it was compared with."""
    with suppress(OverBudgetError, TooLargeError):
        return best_guess(position, EXPECTED_SIZE), Compared.CODES
    with suppress(TooLargeError):
        if position.budget is None or position.count**2 <= position.budget:
            return best_guess(position, EXPECTED_SIZE, candidates_only=True), Compared.CANDIDATES
    return witness(position), Compared.NONE


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
class Workspace:
    """What tasks are done with."""

    live_sets: LiveSets
    devils: Devils

    def position(self, rules: Rules, history: History, budget: int | None = None) -> Position:
        """What is known at a turn."""
        return Position(rules, history, self.live_sets, budget)

    @property
    def state(self) -> "WorkspaceState":
        """How full it is at this moment."""
        return WorkspaceState(self.live_sets.state, self.live_sets.bytes_used, len(self.devils.solved))


class WorkspaceState(NamedTuple):
    """Part sizes in the cache, bytes of live sets in it, solved positions."""

    part_sizes: CacheState = CacheState(0, 0, 0, 0)
    live_set_bytes: int = 0
    solved: int = 0


class Task(Protocol[_T_co]):
    """Something to be found out."""

    def do(self, workspace: Workspace) -> Worked[_T_co]:
        """Find it out."""
        ...


class PartSizes(NamedTuple):
    """The sizes of all parts of a guess in feedback order."""

    rules: Rules
    history: History
    guess: Code

    def do(self, workspace: Workspace) -> Worked[tuple[int, ...]]:
        """Do it; the cost is what was counted for this, nothing if somebody else had it counted before."""
        live_sets = workspace.live_sets
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

    def do(self, workspace: Workspace) -> Worked[Possible]:
        """Do it; the cost is what had to be solved for this."""
        devil = Devil(workspace.devils.worst_case(self.rules), self.exact_up_to)
        position = workspace.position(self.rules, self.history)
        allowed, method, work = devil.allowed_replies(position, self.guess)
        return Worked(Possible(allowed, method, position.part_sizes(self.guess)), work // _FEEDBACKS_A_UNIT)


class Witness(NamedTuple):
    """The first code that every feedback allows."""

    rules: Rules
    history: History

    def do(self, workspace: Workspace) -> Worked[Code]:
        """Do it."""
        return Worked(witness(workspace.position(self.rules, self.history)))


class Hint(NamedTuple):
    """A good guess, found with at most ``budget`` feedback evaluations."""

    rules: Rules
    history: History
    budget: int = HINT_BUDGET

    def do(self, workspace: Workspace) -> Worked[HintAnswer]:
        """Do it."""
        return Worked(find_hint(workspace.position(self.rules, self.history, self.budget)))


class TryOut(NamedTuple):
    """Some turns on rules and a witness after each, so that nothing is compiled or tabled while somebody waits."""

    rules: Rules
    turns: int
    exact_up_to: int | None = None

    def do(self, workspace: Workspace) -> Worked[None]:
        """Do it: against evil, and the last turn against a devil if there is one.

        A devil who knows nothing yet thinks longest at first.
        """
        table = workspace.live_sets.feedback_table(self.rules)
        if table is not None:
            table.complete()
        history: History = ()
        for turn in range(1, self.turns + 1):
            guess = code_at(turn * self.rules.size // (self.turns + 2), self.rules)
            position = workspace.position(self.rules, history)
            if turn == self.turns and self.exact_up_to is not None:
                DevilsChoice(self.rules, self.exact_up_to, history, guess).do(workspace)
            history = (*history, Turn(guess, Evil().reply(position, guess)))
            Witness(self.rules, history).do(workspace)
        return Worked(None)


class TakeSolved(NamedTuple):
    """What devils have solved, to be kept."""

    def do(self, workspace: Workspace) -> Worked[bytes | None]:
        """Do it; None if nothing was learnt since the last time."""
        solved = workspace.devils.solved
        if not solved.changed:
            return Worked(None)
        solved.changed = False
        return Worked(solved.to_bytes())


def carry_out(task: Task[_T], workspace: Workspace) -> tuple[_T | Exception, int]:
    """What came of a task, or the exception it ended with, and what it cost."""
    worked = attempt(partial(task.do, workspace))
    return (worked, 0) if isinstance(worked, Exception) else (worked.value, worked.cost)


def attempt(work: Callable[[], _T]) -> _T | Exception:
    """What ``work`` returns, or the exception it ends with."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        return error
