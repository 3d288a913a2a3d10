"""Analysis: what each guess of a game was worth, as told afterwards by who knows the candidates at every turn.

One function, `analyze`, for everything that shows a game again. What it computes is exact; what would take more than
the effort allows is left out (None) or, the regret, put between bounds.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Final

from evilpegs_game.analysis.best_guesses import BestGuesses, best_guesses
from evilpegs_game.analysis.figures import GuessFigures, guess_figures
from evilpegs_game.analysis.regret import Regret, regret
from evilpegs_game.codes import Code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.within_budget import BoundedSolver
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class Effort:
    """What the analysis of one turn may take.

    ``feedbacks``: looked at for each criterion and each walk. ``solving``: for each question about optimal play.
    ``counted_codes``: on rules of more codes only the first turns are counted, later ones may take minutes each.
    """

    feedbacks: int = 100_000_000
    solving: int = 300_000_000
    counted_codes: int = 10**12


USUAL: Final = Effort()
"""Well under a second a turn, but for counts of ten pegs and more."""

THOROUGH: Final = Effort(feedbacks=5_000_000_000, solving=100_000_000_000, counted_codes=2**63)
"""Minutes a turn, where there is something to find."""


_ALWAYS_COUNTED: Final = 3
"""Turns that take a second at most, whatever the rules."""


@dataclass(frozen=True, slots=True)
class TurnAnalysis:
    """What one guess was worth.

    ``before`` and ``after`` count the candidates; ``after`` is 0 where the feedback contradicts those before, and all
    of the turns that follow is None. ``chance`` is the probability of a feedback at least as good as the one given:
    all-black, or a part no larger. ``best`` holds the best guess under each criterion, ``optimal`` the one with
    which an optimal codebreaker goes on.
    """

    guess: Code
    feedback: Feedback
    before: int | None
    after: int | None
    played: GuessFigures | None
    chance: Fraction | None
    best: BestGuesses | None
    optimal: Code | None
    regret: Regret | None

    @property
    def bits(self) -> float | None:
        """How much the feedback told."""
        return log2(self.before / self.after) if self.before and self.after else None

    @property
    def expected_bits(self) -> float | None:
        """How much the feedback tells on average."""
        return self.played.bits if self.played else None

    @property
    def is_candidate(self) -> bool | None:
        """Whether the guess could have been the secret."""
        return self.played.is_candidate if self.played else None


def analyze(
    rules: Rules, history: History, live_sets: LiveSets, effort: Effort = USUAL, solver: BoundedSolver | None = None
) -> tuple[TurnAnalysis, ...]:
    """Each turn of a game of any codemaker, finished or not; depends on nothing but its arguments.

    ``solver`` saves time where several games of the same rules are analyzed; by default one is made.
    """
    solver = solver or BoundedSolver(rules, effort.solving)
    positions = [Position(rules, history[:turn], live_sets, effort.feedbacks) for turn in range(len(history))]
    return tuple(
        analyze_turn(position, turn, solver, effort.counted_codes)
        for position, turn in zip(positions, history, strict=True)
    )


def analyze_turn(position: Position, turn: Turn, solver: BoundedSolver, counted_codes: int) -> TurnAnalysis:
    """One ``turn`` at ``position``, whose budget each criterion and walk may take; see `Effort`."""
    guess, given = turn
    unknown = TurnAnalysis(guess, given, None, None, None, None, None, None, None)
    if len(position.history) >= _ALWAYS_COUNTED and position.rules.size > counted_codes:
        return unknown
    try:
        parts, played = position.parts(guess), guess_figures(position, guess)
        best, lost = best_guesses(position), regret(position, guess, solver)
    except (ContradictionError, TooLargeError):
        return unknown
    return TurnAnalysis(
        guess=guess,
        feedback=given,
        before=played.candidates,
        after=parts.get(given, 0),
        played=played,
        chance=_chance(parts, given, all_black(position.rules.pegs)),
        best=best,
        optimal=solver.best_guess(position) if lost and lost.kind == "exact" else None,
        regret=lost,
    )


def _chance(parts: dict[Feedback, int], given: Feedback, ends: Feedback) -> Fraction | None:
    """How likely all-black, here ``ends``, or a part no larger than the one of ``given`` was."""
    if given not in parts:
        return None
    as_good = [size for other, size in parts.items() if other == ends or (given != ends and size <= parts[given])]
    return Fraction(sum(as_good), sum(parts.values()))
