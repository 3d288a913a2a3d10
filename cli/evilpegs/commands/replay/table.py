"""The turns of a game with the worth of each guess, as a table that fits the terminal."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from evilpegs.tables import feedback_text, format_number, plain_table
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
_SERIOUS_REGRET: Final = Fraction(1, 4)
"""Guesses lost from which a regret is shown in red."""


class TableWidth(NamedTuple):
    """The width of a table: whether codes are shown as pegs and feedback as marks, and which columns it has."""

    pegs: bool = True
    best_pegs: bool = True
    marks: bool = True
    best: bool = True
    times: bool = True


WIDTHS: Final = (
    TableWidth(),
    TableWidth(best_pegs=False),
    TableWidth(pegs=False, best_pegs=False),
    TableWidth(pegs=False, best_pegs=False, marks=False),
    TableWidth(pegs=False, best_pegs=False, marks=False, best=False),
    TableWidth(pegs=False, best_pegs=False, marks=False, best=False, times=False),
)
"""All widths, the widest first."""


class _Column(NamedTuple):
    heading: str
    cell: Callable[[TurnReplay, TurnAnalysis], Text | str]
    justify: JustifyMethod = "right"


def analysis_tables(turns: Sequence[TurnReplay], is_fixed: bool) -> Iterator[Table]:
    """Yield the table in each of `WIDTHS`; if the secret is fixed, it has a column for the chance of the feedback."""
    for width in WIDTHS:
        columns = list(_columns(width, is_fixed))
        table = plain_table()
        for column in columns:
            table.add_column(column.heading, justify=column.justify, no_wrap=True)
        for turn in turns:
            if turn.analysis is not None:
                table.add_row(*(column.cell(turn, turn.analysis) for column in columns))
        yield table


def _columns(width: TableWidth, is_fixed: bool) -> Iterator[_Column]:
    yield _Column("turn", lambda turn, _: str(turn.turn))
    yield _Column("guess", lambda turn, _: peg_text(turn.code) if width.pegs else turn.code, "left")
    yield _Column("feedback", lambda turn, _: _feedback(turn, width.marks), "left")
    yield _Column("left", lambda turn, _: format_number(turn.candidates))
    yield _Column("bits", lambda _, analysis: _two_places(analysis.bits))
    yield _Column("expected", lambda _, analysis: _two_places(analysis.expected_bits))
    if is_fixed:
        yield _Column("chance", lambda _, analysis: _percent(analysis.chance))
    if width.best:
        yield _Column("best", lambda _, analysis: _best(analysis, width.best_pegs), "left")
    yield _Column("regret", lambda _, analysis: _regret(analysis.regret))
    if width.times:
        yield _Column("ms", lambda turn, _: format_number(turn.took_ms))


def _feedback(turn: TurnReplay, with_marks: bool) -> Text | str:
    feedback = Feedback(turn.black, turn.white)
    return feedback_text(feedback, len(turn.code)) if with_marks else str(feedback)


def _best(analysis: TurnAnalysis, as_pegs: bool) -> Text:
    """Return a guess better than the one played, or a note that there is none."""
    guess, mark = _better_guess(analysis)
    if guess is None:
        return Text("as played" + mark if analysis.best_guesses else "", "dim")
    return Text.assemble(peg_text(format_code(guess)) if as_pegs else format_code(guess), mark)


def _better_guess(analysis: TurnAnalysis) -> tuple[Code | None, str]:
    """Return a guess better than the one played, if any, and the mark ``*`` if it is only the best by entropy."""
    if analysis.regret is not None and analysis.regret.at_most == 0:
        return None, ""
    if analysis.optimal_guess is not None:
        return analysis.optimal_guess, ""
    if analysis.best_guesses is None or analysis.figures is None:
        return None, ""
    best = analysis.best_guesses.figures_of(ENTROPY)
    return (best.guess if best.expected_bits > analysis.figures.expected_bits else None), "*"


def _regret(regret: Regret | None) -> Text:
    """Return an exact regret to three places, or bounds that are rounded outwards."""
    if regret is None:
        return Text("")
    if regret.kind == "exact":
        style = "green" if not regret.at_least else "red" if regret.at_least >= _SERIOUS_REGRET else "yellow"
        return Text(f"{float(regret.at_least):.3f}" if regret.at_least else "0", style)
    return Text(regret_range(regret))


def regret_range(regret: Regret) -> str:
    """Return the bounds of a regret to two places, rounded outwards."""
    low = f"{math.floor(regret.at_least * 100) / 100:.2f}"
    if regret.at_most is None:
        return f"≥{low}"
    high = f"{math.ceil(regret.at_most * 100) / 100:.2f}"
    return f"≤{high}" if regret.kind == "at most" else f"{low}-{high}"


def _two_places(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(chance: Fraction | None) -> str:
    """Return a percentage, never 0 %, because the feedback did occur."""
    if chance is None:
        return ""
    return f"{float(chance):.0%}" if chance >= Fraction(1, 200) else "<1%"
