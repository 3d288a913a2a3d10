"""The tasks that may take long: part sizes, a devil's replies, witnesses, hints, and the analysis and luck of games.

A task is data without secrets. It can run in this process or in another one, and every run gives the same result. Costs
are in units of work; a unit is about 2 nanoseconds of processor time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import orjson

from evilpegs_game.codemakers.codemaker import Devil, Evil, Method, witness
from evilpegs_game.codes import Code, code_at
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History, Turn
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_server.work.hints import HINT_BUDGET, HintResult, find_hint
from evilpegs_server.work.workspace import Workspace

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)

_FEEDBACKS_PER_UNIT: Final = 3
_UNITS_PER_ROW: Final = 24


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[_T_co]):
    """The result of a task: the computed ``value``, and the work that only running the task could measure.

    ``cost`` is this work in units of about 2 nanoseconds; 0 if the task did not measure its work.
    """

    value: _T_co
    cost: int = 0


class Task(Protocol[_T_co]):
    """A computation given as data, which can be sent to another process and run there."""

    def run(self, workspace: Workspace) -> TaskResult[_T_co]:
        """Compute the result with the caches of ``workspace``, and return it."""
        ...


class CountParts(NamedTuple):
    """The task of counting, for each feedback, the codes that agree with ``history`` and would give it to ``guess``."""

    rules: Rules
    history: History
    guess: Code

    def run(self, workspace: Workspace) -> TaskResult[tuple[int, ...]]:
        """Return the number of codes for each feedback, ordered by black, then white.

        The cost covers only the counting that the caches of ``workspace`` did not save.
        """
        live_sets = workspace.live_sets
        live_sets.take_work()
        sizes = Position(self.rules, self.history, live_sets).part_sizes(self.guess)
        return TaskResult(sizes, live_sets.take_work() * _UNITS_PER_ROW)


class AllowedReplies(NamedTuple):
    """The replies among which a devil, a codemaker that searches ahead, may choose, and the method that found them.

    ``method`` is ``exact`` if the replies were found by search, and ``greedy`` if they are those that keep the most
    codes possible. ``part_sizes`` has a number for each feedback, ordered by black, then white: of the codes that were
    possible before the guess, the number of those that would give this feedback.
    """

    allowed: tuple[Feedback, ...]
    method: Method
    part_sizes: tuple[int, ...]


class FindDevilReplies(NamedTuple):
    """The task of finding the replies that a devil may give to ``guess`` after the turns ``history``.

    A devil is a codemaker that gives the reply that forces an optimal player to use the most guesses. It finds this
    reply by search if at most ``exact_up_to`` codes are still possible. If more codes are possible, it gives the reply
    that leaves the most codes possible.
    """

    rules: Rules
    exact_up_to: int
    history: History
    guess: Code

    def run(self, workspace: Workspace) -> TaskResult[AllowedReplies]:
        """Return the replies that the devil may give. The cost covers only positions that were not solved before."""
        devil = Devil(workspace.devils.worst_case(self.rules), self.exact_up_to)
        position = workspace.position(self.rules, self.history)
        allowed, method, work = devil.allowed_replies(position, self.guess)
        return TaskResult(AllowedReplies(allowed, method, position.part_sizes(self.guess)), work // _FEEDBACKS_PER_UNIT)


class FindWitness(NamedTuple):
    """The task of finding the first code, in code order, that agrees with every turn of ``history``."""

    rules: Rules
    history: History

    def run(self, workspace: Workspace) -> TaskResult[Code]:
        """Return the first code, in code order, that agrees with every turn; it is called the witness."""
        return TaskResult(witness(workspace.position(self.rules, self.history)))


class FindHint(NamedTuple):
    """The task of finding a good guess after the turns ``history``, with at most ``budget`` feedback evaluations."""

    rules: Rules
    history: History
    budget: int = HINT_BUDGET

    def run(self, workspace: Workspace) -> TaskResult[HintResult]:
        """Return the hint: a good guess and the reason why it is good."""
        return TaskResult(find_hint(workspace.position(self.rules, self.history, self.budget)))


class AnalyzeGames(NamedTuple):
    """The task of analyzing every turn of a match with the default effort of the analysis, `USUAL`.

    ``games`` has the turns of each game of the match, oldest first.
    """

    rules: Rules
    games: tuple[History, ...]

    def run(self, workspace: Workspace) -> TaskResult[bytes]:
        """Return the analyses as JSON text: a list with one list per game, which has one JSON object per turn.

        Each object is the analysis of a turn, as `TurnAnalysis.to_json` makes it. The result is text, because receiving
        it costs the server less than receiving objects.
        """
        # Imported here because the solver and its kernels are not needed before somebody asks for an analysis.
        from evilpegs_game.analysis.games import analyze_games  # noqa: PLC0415
        from evilpegs_game.analysis.turns import USUAL  # noqa: PLC0415

        analyses = analyze_games(self.rules, self.games, USUAL, live_sets=workspace.live_sets)
        return TaskResult(orjson.dumps([[turn.to_json() for turn in game] for game in analyses]))


class MeasureLuck(NamedTuple):
    """The task of measuring the luck of finished games, each of which had a fixed secret.

    Luck is the number of additional guesses that the feedbacks of a game made a good strategy expect, compared with
    average feedbacks to the same guesses. Positive luck is bad.
    """

    rules: Rules
    guess_limit: int
    games: tuple[tuple[tuple[str, int, int], ...], ...]
    """The turns of each game, each a tuple of the code as text, the blacks and the whites. Turns may be invalid."""

    def run(self, workspace: Workspace) -> TaskResult[list[int | None]]:
        """Return the luck of each game in millionths of a guess; None for a game whose luck cannot be measured."""
        # Imported here because the event loop does not measure luck.
        from evilpegs_game.luck.value_curve import load_value_curve  # noqa: PLC0415
        from evilpegs_server.work.measured_luck import measure_luck  # noqa: PLC0415

        curve = load_value_curve(self.rules, self.guess_limit)
        if curve is None:
            return TaskResult([None] * len(self.games))
        return TaskResult([measure_luck(self.rules, turns, curve, workspace.live_sets) for turns in self.games])


class WarmUp(NamedTuple):
    """The task of playing ``turns`` turns on ``rules`` before any player waits, so that later tasks need less time.

    The task compiles functions and fills caches. The turns are played against evil, the codemaker that keeps the most
    codes possible. After each turn, a code that agrees with all replies is found. If ``exact_up_to`` is not None, a
    devil also answers the last guess. A devil is a codemaker that searches ahead if at most ``exact_up_to`` codes are
    possible.
    """

    rules: Rules
    turns: int
    exact_up_to: int | None = None

    def run(self, workspace: Workspace) -> TaskResult[None]:
        """Play ``turns`` turns against evil; let a devil answer the last guess too if ``exact_up_to`` is not None.

        Evil is the codemaker that keeps the most codes possible, and a devil is a codemaker that searches ahead.
        """
        table = workspace.live_sets.feedback_table(self.rules)
        if table is not None:
            table.complete()
        history: History = ()
        for turn in range(1, self.turns + 1):
            guess = code_at(turn * self.rules.size // (self.turns + 2), self.rules)
            position = workspace.position(self.rules, history)
            if turn == self.turns and self.exact_up_to is not None:
                FindDevilReplies(self.rules, self.exact_up_to, history, guess).run(workspace)
            history = (*history, Turn(guess, Evil().reply(position, guess)))
            FindWitness(self.rules, history).run(workspace)
        return TaskResult(None)


class ExportSolved(NamedTuple):
    """The task of exporting the positions that devils, the codemakers that search ahead, have solved."""

    def run(self, workspace: Workspace) -> TaskResult[bytes | None]:
        """Return all solved positions in the format of `SolvedPositions.to_bytes`; None if none is new.

        A position is new if it was solved since the last export.
        """
        solved = workspace.devils.solved
        if not solved.changed:
            return TaskResult(None)
        solved.changed = False
        return TaskResult(solved.to_bytes())


def run_task(task: Task[_T], workspace: Workspace) -> tuple[_T | Exception, int]:
    """Run ``task``; return its result, or the exception that it raised, and its cost in units of about 2 nanoseconds.

    The cost of a task that raised an exception is 0.
    """
    result = catch(partial(task.run, workspace))
    return (result, 0) if isinstance(result, Exception) else (result.value, result.cost)


def catch(work: Callable[[], _T]) -> _T | Exception:
    """Call ``work``, and return its result, or the exception that it raised."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - returned to the caller
        return error
