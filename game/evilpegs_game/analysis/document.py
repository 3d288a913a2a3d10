"""The analysis of a turn as a JSON document."""

from fractions import Fraction
from typing import Any

from evilpegs_game.analysis.best_guesses import BestGuesses
from evilpegs_game.analysis.figures import Figure, GuessFigures, figure
from evilpegs_game.analysis.regret import Regret
from evilpegs_game.analysis.turns import TurnAnalysis
from evilpegs_game.codes import format_code


def analysis_document(turn: TurnAnalysis) -> dict[str, Any]:
    """Return the analysis as a JSON object; unknown values are null, and fractions are floats."""
    played, best = turn.figures, turn.best_guesses
    return {
        "before": turn.candidates_before,
        "after": turn.candidates_after,
        "candidate": turn.is_candidate,
        "bits": turn.bits,
        "expected_bits": turn.expected_bits,
        "expected_size": played and float(played.expected_size),
        "largest": played and played.largest_part,
        "parts": played and played.part_count,
        "chance": None if turn.chance is None else float(turn.chance),
        "among": best and best.among,
        "best": [] if best is None or played is None else _best(best, played),
        "optimal": turn.optimal_guess and format_code(turn.optimal_guess),
        "regret": turn.regret and regret_document(turn.regret),
    }


def regret_document(regret: Regret) -> dict[str, Any]:
    """Return the bounds of a regret, which are equal if its kind is ``exact``."""
    at_most = None if regret.at_most is None else float(regret.at_most)
    return {"kind": regret.kind, "at_least": float(regret.at_least), "at_most": at_most}


def plain_figure(value: Figure) -> int | float | list[int]:
    """Return a figure as a JSON number or list."""
    if isinstance(value, tuple):
        return list(value)
    return float(value) if isinstance(value, Fraction) else value


def _best(best: BestGuesses, played: GuessFigures) -> list[dict[str, Any]]:
    return [
        {
            "criterion": criterion.name,
            "code": format_code(figures.guess),
            "figure": plain_figure(figure(figures, criterion)),
            "played": plain_figure(figure(played, criterion)),
        }
        for criterion, figures in best.guesses
    ]
