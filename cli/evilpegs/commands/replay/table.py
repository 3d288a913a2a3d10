"""The turns of a game with the worth of each guess, as a table that fits the terminal."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rich.console import Console
from rich.text import Text

from evilpegs.tables import Column, feedback_text, format_number, print_table
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.analysis.regret import Regret
from evilpegs_game.analysis.turns import TurnAnalysis
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.guessing.criteria import ENTROPY
from evilpegs_server.record.replay import TurnReplay

LEGEND: Final = (
    "bits: what the feedback told; expected: what it tells on average; best: what an optimal codebreaker guesses,\n"
    "or * the best by entropy where that is not known; regret: guesses lost to it on average"
)
CHANCE_LEGEND: Final = "; chance: how likely a feedback at least as good was"
CHANCE: Final = "chance"
_SERIOUS_REGRET: Final = Fraction(1, 4)  # guesses; shown in red from here on


class AnalyzedTurn(NamedTuple):
    """A turn and the analysis of its guess."""

    turn: TurnReplay
    analysis: TurnAnalysis


def print_analysis(out: Console, turns: Sequence[TurnReplay], is_fixed: bool) -> None:
    """Print a row per analyzed turn; with ``is_fixed``, also how likely a feedback at least as good was."""
    rows = [AnalyzedTurn(turn, turn.analysis) for turn in turns if turn.analysis is not None]
    print_table(out, rows, [column for column in COLUMNS if is_fixed or column.heading != CHANCE])


def _feedback(turn: TurnReplay) -> Feedback:
    return Feedback(turn.black, turn.white)


def _best(analysis: TurnAnalysis, as_pegs: bool) -> Text:
    guess, mark = _better_guess(analysis)
    if guess is None:
        return Text("as played" + mark if analysis.best_guesses else "", "dim")
    return Text.assemble(peg_text(format_code(guess)) if as_pegs else format_code(guess), mark)


def _better_guess(analysis: TurnAnalysis) -> tuple[Code | None, str]:
    if analysis.regret is not None and analysis.regret.at_most == 0:
        return None, ""
    if analysis.optimal_guess is not None:
        return analysis.optimal_guess, ""
    if analysis.best_guesses is None or analysis.figures is None:
        return None, ""
    best = analysis.best_guesses.figures_of(ENTROPY)
    return (best.guess if best.expected_bits > analysis.figures.expected_bits else None), "*"


def _regret(regret: Regret | None) -> Text:
    if regret is None:
        return Text("")
    if regret.kind == "exact":
        style = "green" if not regret.at_least else "red" if regret.at_least >= _SERIOUS_REGRET else "yellow"
        return Text(f"{float(regret.at_least):.3f}" if regret.at_least else "0", style)
    return Text(regret_range(regret))


def regret_range(regret: Regret) -> str:
    """Return the bounds of a regret, rounded outward, such as ``0.12-0.35`` or ``≥0.12``."""
    low = f"{math.floor(regret.at_least * 100) / 100:.2f}"
    if regret.at_most is None:
        return f"≥{low}"
    high = f"{math.ceil(regret.at_most * 100) / 100:.2f}"
    return f"≤{high}" if regret.kind == "at most" else f"{low}-{high}"


def _two_places(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(chance: Fraction | None) -> str:
    if chance is None:
        return ""
    # never 0 %, because the feedback did occur
    return f"{float(chance):.0%}" if chance >= Fraction(1, 200) else "<1%"


COLUMNS: Final[Sequence[Column[AnalyzedTurn]]] = (
    Column("turn", lambda row: str(row.turn.turn), "right"),
    Column("guess", lambda row: peg_text(row.turn.code), narrow={2: lambda row: row.turn.code}),
    Column(
        "feedback",
        lambda row: feedback_text(_feedback(row.turn), len(row.turn.code)),
        narrow={3: lambda row: str(_feedback(row.turn))},
    ),
    Column("left", lambda row: format_number(row.turn.candidates), "right"),
    Column("bits", lambda row: _two_places(row.analysis.bits), "right"),
    Column("expected", lambda row: _two_places(row.analysis.expected_bits), "right"),
    Column(CHANCE, lambda row: _percent(row.analysis.chance), "right"),
    Column(
        "best",
        lambda row: _best(row.analysis, as_pegs=True),
        narrow={1: lambda row: _best(row.analysis, as_pegs=False), 4: None},
    ),
    Column("regret", lambda row: _regret(row.analysis.regret), "right"),
    Column("ms", lambda row: format_number(row.turn.took_ms), "right", narrow={5: None}),
)
