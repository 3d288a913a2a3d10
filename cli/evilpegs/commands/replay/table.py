"""The turns of a game with what each guess was worth, as a table that fits the terminal."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from evilpegs.commands.replay.match_replay import TurnReplay
from evilpegs.tables import feedback_text, number, plain_table
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.analysis.regret import Regret
from evilpegs_game.analysis.turns import TurnAnalysis
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.guessing.criteria import ENTROPY

LEGEND: Final = (
    "bits: what the feedback told; expected: what it tells on average; best: what an optimal codebreaker guesses,\n"
    "or * the best by entropy where that is not known; regret: guesses lost to it on average"
)
LEGEND_OF_CHANCE: Final = "; chance: how likely a feedback at least as good was"
_SERIOUS: Final = Fraction(1, 4)


class TableWidth(NamedTuple):
    """How much room a table takes: which codes are shown as pegs, and what is left out."""

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
"""The widest first."""


class _Column(NamedTuple):
    heading: str
    cell: Callable[[TurnReplay, TurnAnalysis], Text | str]
    justify: JustifyMethod = "right"


def analysis_tables(turns: Sequence[TurnReplay], by_chance: bool) -> Iterator[Table]:
    """The same table, ever narrower; with a column of chance if it is ``by_chance`` what feedback a guess gets."""
    for width in WIDTHS:
        columns = list(_columns(width, by_chance))
        table = plain_table()
        for column in columns:
            table.add_column(column.heading, justify=column.justify, no_wrap=True)
        for turn in turns:
            if turn.analysis is not None:
                table.add_row(*(column.cell(turn, turn.analysis) for column in columns))
        yield table


def _columns(width: TableWidth, by_chance: bool) -> Iterator[_Column]:
    yield _Column("turn", lambda turn, _: str(turn.turn))
    yield _Column("guess", lambda turn, _: peg_text(turn.code) if width.pegs else turn.code, "left")
    yield _Column("feedback", lambda turn, _: _feedback(turn, width.marks), "left")
    yield _Column("left", lambda turn, _: number(turn.candidates))
    yield _Column("bits", lambda _, found: _two_places(found.bits))
    yield _Column("expected", lambda _, found: _two_places(found.expected_bits))
    if by_chance:
        yield _Column("chance", lambda _, found: _percent(found.chance))
    if width.best:
        yield _Column("best", lambda _, found: _best(found, width.best_pegs), "left")
    yield _Column("regret", lambda _, found: _regret(found.regret))
    if width.times:
        yield _Column("ms", lambda turn, _: number(turn.took_ms))


def _feedback(turn: TurnReplay, with_marks: bool) -> Text | str:
    given = Feedback(turn.black, turn.white)
    return feedback_text(given, len(turn.code)) if with_marks else str(given)


def _best(found: TurnAnalysis, as_pegs: bool) -> Text:
    """The guess that is better than the one played; a note where that one is as good."""
    guess, mark = _better(found)
    if guess is None:
        return Text("as played" + mark if found.best_guesses else "", "dim")
    return Text.assemble(peg_text(format_code(guess)) if as_pegs else format_code(guess), mark)


def _better(found: TurnAnalysis) -> tuple[Code | None, str]:
    """A guess that is better than the one played, if there is one, and the mark of whom it is best for."""
    if found.regret is not None and found.regret.at_most == 0:
        return None, ""
    if found.optimal_guess is not None:
        return found.optimal_guess, ""
    if found.best_guesses is None or found.figures is None:
        return None, ""
    best = found.best_guesses.figures_of(ENTROPY)
    return (best.guess if best.expected_bits > found.figures.expected_bits else None), "*"


def _regret(regret: Regret | None) -> Text:
    """Exact to three places; bounds rounded to the safe side."""
    if regret is None:
        return Text("")
    if regret.kind == "exact":
        style = "green" if not regret.at_least else "red" if regret.at_least >= _SERIOUS else "yellow"
        return Text(f"{float(regret.at_least):.3f}" if regret.at_least else "0", style)
    return Text(regret_range(regret))


def regret_range(regret: Regret) -> str:
    """The bounds in two places."""
    low = f"{math.floor(regret.at_least * 100) / 100:.2f}"
    if regret.at_most is None:
        return f"≥{low}"
    high = f"{math.ceil(regret.at_most * 100) / 100:.2f}"
    return f"≤{high}" if regret.kind == "at most" else f"{low}-{high}"


def _two_places(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(chance: Fraction | None) -> str:
    """Never 0 % for what happened."""
    if chance is None:
        return ""
    return f"{float(chance):.0%}" if chance >= Fraction(1, 200) else "<1%"
