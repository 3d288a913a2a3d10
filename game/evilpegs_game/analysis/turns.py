"""Post-game analysis: the information gained and the guesses lost by each guess of a game.

Guesses are lost on average if the secret was drawn, and for sure, by `par`, against evil. All results are exact. A
result that would take more than the effort allows is None; a regret then lies between bounds. Equal positions of
several games are analyzed once. docs/analysis.md explains the figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from math import log2
from typing import Any, Final

from evilpegs_game.analysis.guesses import BestGuesses, GuessFigures, best_guesses, guess_figures
from evilpegs_game.analysis.par import Par, ParJudge, par_budget
from evilpegs_game.analysis.regret import Regret, regret
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, History, Turn, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import ValueCurve, turn_luck, usual_curve
from evilpegs_game.optimal.evil_search import Ties
from evilpegs_game.optimal.least_total import BoundedSolver
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class Effort:
    """The work that the analysis of one turn may take; budgets are in feedback evaluations.

    ``feedback_budget`` is for the best guess under each criterion, and for each upper bound of a regret;
    ``solver_budget`` is for each least total. On rules of more than ``counted_codes`` codes only the first three turns
    are analyzed, because later ones may take far longer.
    """

    feedback_budget: int = 100_000_000
    solver_budget: int = 300_000_000
    counted_codes: int = 10**12


USUAL: Final = Effort()
"""The default effort: well under a second per turn, except for counting with ten pegs and more."""

THOROUGH: Final = Effort(feedback_budget=5_000_000_000, solver_budget=100_000_000_000, counted_codes=2**63)
"""The effort of ``--thorough``: minutes per turn where the usual effort leaves something open."""

_ALWAYS_COUNTED: Final = 3  # turns; they take at most a second each for any rules


@dataclass(frozen=True, slots=True)
class TurnAnalysis:
    """The analysis of one turn: how good the guess was, given the turns before it.

    Members that would take more work than the effort allows are None. After a turn that contradicts earlier ones, all
    members but ``guess`` and ``feedback`` are None.

    * ``candidates_before`` and ``candidates_after`` count the candidates before the guess and after its feedback;
      ``candidates_after`` is 0 if the feedback contradicts the earlier turns.
    * ``figures`` says how the guess divides the candidates.
    * ``chance`` is the probability of a feedback at least as good as the one received: all-black, or one that
      leaves at most as many candidates as that one.
    * ``optimal_guess`` is a guess that an optimal codebreaker could play instead, known only if the regret is exact.
    * ``luck`` is in guesses and positive if it was bad, like all stored luck; None if the rules have no value curve.
    * ``needed`` is the par after the feedback, in a game against evil. Then ``regret`` is in whole guesses, those that
      the guess lost for sure, and ``optimal_guess`` keeps par; there is no ``chance`` and no ``luck``.
    """

    guess: Code
    feedback: Feedback
    candidates_before: int | None
    candidates_after: int | None
    figures: GuessFigures | None
    chance: Fraction | None
    best_guesses: BestGuesses | None
    optimal_guess: Code | None
    regret: Regret | None
    luck: float | None = None
    needed: Par | None = None

    @property
    def bits(self) -> float | None:
        """The information gained from the feedback; None if a count is unknown or no candidate is left."""
        if not self.candidates_before or not self.candidates_after:
            return None
        return log2(self.candidates_before / self.candidates_after)

    @property
    def expected_bits(self) -> float | None:
        return self.figures.expected_bits if self.figures else None

    @property
    def is_candidate(self) -> bool | None:
        return self.figures.is_candidate if self.figures else None

    def to_json(self) -> dict[str, Any]:
        """Return the analysis as a JSON object; unknown values are null, and fractions are floats."""
        played, best = self.figures, self.best_guesses
        return {
            "before": self.candidates_before,
            "after": self.candidates_after,
            "candidate": self.is_candidate,
            "bits": self.bits,
            "expected_bits": self.expected_bits,
            "expected_size": played and float(played.expected_size),
            "largest": played and played.largest_part,
            "parts": played and played.part_count,
            "chance": None if self.chance is None else float(self.chance),
            "among": best and best.among,
            "best": [] if best is None or played is None else best.to_json(played),
            "optimal": self.optimal_guess and format_code(self.optimal_guess),
            "regret": self.regret and self.regret.to_json(),
            "luck": self.luck,
            "needed": self.needed and self.needed.to_json(),
        }


def analyze_turn(
    position: Position,
    turn: Turn,
    solver: BoundedSolver,
    counted_codes: int,
    curve: ValueCurve | None = None,
    judge: ParJudge | None = None,
) -> TurnAnalysis:
    """Return the analysis of one turn, against evil if there is a ``judge``; `Effort` explains the limits."""
    guess, feedback = turn
    unknown = TurnAnalysis(guess, feedback, None, None, None, None, None, None, None)
    if len(position.history) >= _ALWAYS_COUNTED and position.rules.size > counted_codes:
        return unknown
    try:
        parts, figures = position.parts(guess), guess_figures(position, guess)
        best, lost = best_guesses(position), None if judge else regret(position, guess, solver)
        against_evil = _judged(judge, position, turn) if judge and feedback in parts else {}
    except (ContradictionError, TooLargeError):
        return unknown
    analysis = TurnAnalysis(
        guess=guess,
        feedback=feedback,
        candidates_before=figures.candidate_count,
        candidates_after=parts.get(feedback, 0),
        figures=figures,
        chance=_chance(parts, feedback, all_black(position.rules.pegs)),
        best_guesses=best,
        optimal_guess=solver.best_guess(position) if lost and lost.kind == "exact" else None,
        regret=lost,
        luck=turn_luck(position, turn, curve) if curve is not None and feedback in parts else None,
    )
    return replace(analysis, chance=None, luck=None, **against_evil) if judge else analysis


def _judged(judge: ParJudge, position: Position, turn: Turn) -> dict[str, Any]:
    return {
        "regret": judge.regret(position, turn.guess),
        "optimal_guess": next(iter(judge.keeping(position, 1)), None),
        "needed": judge.par(position.after(*turn)),
    }


def _chance(parts: dict[Feedback, int], feedback: Feedback, solved: Feedback) -> Fraction | None:
    if feedback not in parts:
        return None
    as_good = [
        size for other, size in parts.items() if other == solved or (feedback != solved and size <= parts[feedback])
    ]
    return Fraction(sum(as_good), sum(parts.values()))


def analyze_games(
    rules: Rules,
    games: Sequence[History],
    effort: Effort,
    *,
    ties: Sequence[Ties | None] = (),
    live_sets: LiveSets | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[TurnAnalysis, ...], ...]:
    """Return the analysis of every turn of every game, one tuple per game.

    ``ties`` has how evil chose in each game that is against evil. ``live_sets`` is a cache and changes no result.
    ``progress`` is called after each turn with the number of turns analyzed so far and the number of all turns.
    """
    opening = Position(rules, (), live_sets or LiveSets(), effort.feedback_budget)
    solver, curve = BoundedSolver(rules, effort.solver_budget), usual_curve(rules)
    judge, judged, budget = None, None, par_budget(rules, effort.solver_budget)
    known: dict[tuple[Ties | None, History], TurnAnalysis] = {}
    done, turns = 0, sum(map(len, games))
    for game, chosen in zip_longest(games, ties):
        position = opening
        if chosen != judged:
            judge, judged = None if chosen is None else ParJudge(rules, chosen, budget), chosen
        for turn in game:
            place = chosen, (*position.history, turn)
            if place not in known:
                known[place] = analyze_turn(position, turn, solver, effort.counted_codes, curve, judge)
            position = position.after(*turn)
            done += 1
            if progress is not None:
                progress(done, turns)
    analyzed = zip_longest(games, ties)
    return tuple(tuple(known[chosen, game[: turn + 1]] for turn in range(len(game))) for game, chosen in analyzed)
