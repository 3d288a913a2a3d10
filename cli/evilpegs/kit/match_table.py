"""A match turn by turn: each guess, its feedback, and what the guess was worth."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple

from rich.console import Console
from rich.text import Text

from evilpegs.output import (
    Column,
    TurnTableRow,
    feedback_text,
    format_number,
    pluralize,
    print_table,
    print_turns,
    whole_range,
)
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.analysis.regret import Regret
from evilpegs_game.analysis.turns import TurnAnalysis
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.guessing.criteria import ENTROPY
from evilpegs_protocol.record import RecordedGame
from evilpegs_protocol.server_messages import FeedbackGiven
from evilpegs_server.record.recorded_match import MatchReplay

LEGEND: Final = (
    "bits: what the feedback revealed; expected: what it reveals on average; "
    "best: what an optimal codebreaker guesses,\n"
    "or * the best by entropy where that is not known; regret: guesses lost to it on average"
)
EVIL_LEGEND: Final = (
    "needed: the guesses that are enough after this one, with the best play; best: a guess that loses none;\n"
    "lost: how many more are needed than after the best guess. Against evil there is no luck"
)
CHANCE_LEGEND: Final = "; chance: how likely a feedback at least as good was"
CHANCE: Final = "chance"
_SERIOUS_REGRET: Final = Fraction(1, 4)  # guesses; shown in red from here on


def show_match(out: Console, match: MatchReplay, games: int | None = None) -> None:
    record, started = match.record, match.record.started
    out.print(f"match {started.match}: {started.player} ({record.client}) on {started.ladder}", style="bold")
    is_fixed, is_evil = started.codemaker == "fixed", started.codemaker == "evil"
    for game, turns in islice(zip(record.games.values(), match.analyses, strict=True), games):
        columns = EVIL_COLUMNS if is_evil else COLUMNS if is_fixed else UNSURE_COLUMNS
        analyzed = list(map(AnalyzedTurn, game.turns, turns))
        _show_game(out, game, analyzed, is_fixed, columns if match.analyzed else None)
    analyses = [turn for turns in match.analyses for turn in turns] if match.analyzed else []
    if analyses:
        legend = EVIL_LEGEND if is_evil else f"{LEGEND}{CHANCE_LEGEND if is_fixed else ''}"
        out.print(f"\n{legend}", style="dim")
    if match.flaw is None and any(analysis.candidates_before is None for analysis in analyses):
        out.print("what is left empty takes more than a moment to count; --thorough takes its time", style="dim")
    out.print()
    show_chain(out, match.events, match.flaw, is_over=record.over is not None)


def _show_game(
    out: Console,
    game: RecordedGame,
    turns: "Sequence[AnalyzedTurn]",
    is_fixed: bool,
    columns: "Sequence[Column[AnalyzedTurn]] | None",
) -> None:
    elapsed_ms = game.over.elapsed_ms if game.over else sum(turn.took_ms for turn in game.turns)
    guesses = pluralize(len(turns), "guess", "guesses")
    summary = f"{game.outcome or 'not over'}, {guesses} in {elapsed_ms:,} ms"
    secret = game.over.secret if game.over else None
    if secret is None:
        out.print(f"\ngame {game.game}: {summary}")
    else:
        out.print(f"\ngame {game.game}: {summary}, {'secret' if is_fixed else 'a code that fits:'}", peg_text(secret))
    if turns and columns:
        print_table(out, turns, columns)
    elif turns:
        rows = [
            TurnTableRow(turn.code, _feedback(turn), analysis.candidates_after or None, turn.took_ms)
            for turn, analysis in turns
        ]
        print_turns(out, rows, timed=True)
    methods = [turn.method for turn in game.turns if turn.method]
    if methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy in the others", style="dim")


def show_chain(out: Console, events: int, flaw: str | None, is_over: bool) -> None:
    if flaw is None:
        out.print(f"the chain of {events} hashes holds" + ("" if is_over else "; the match is not over"))
    else:
        out.print(f"the chain of hashes is broken: {flaw}", style="bold red")


class AnalyzedTurn(NamedTuple):
    turn: FeedbackGiven
    analysis: TurnAnalysis


def _feedback(turn: FeedbackGiven) -> Feedback:
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
    if analysis.needed is not None:
        return None, ""
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


def _lost(regret: Regret | None) -> Text:
    if regret is None:
        return Text("")
    style = "red" if regret.at_least else "green" if regret.at_most == 0 else ""
    return Text(whole_range(int(regret.at_least), None if regret.at_most is None else int(regret.at_most)), style)


def _two_places(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(chance: Fraction | None) -> str:
    if chance is None:
        return ""
    # never 0 %, because the feedback did occur
    return f"{float(chance):.0%}" if chance >= Fraction(1, 200) else "<1%"


_TURN: Final[Sequence[Column[AnalyzedTurn]]] = (
    Column("turn", lambda row: str(row.turn.turn), "right"),
    Column("guess", lambda row: peg_text(row.turn.code), narrow={2: lambda row: row.turn.code}),
    Column(
        "feedback",
        lambda row: feedback_text(_feedback(row.turn), len(row.turn.code)),
        narrow={3: lambda row: str(_feedback(row.turn))},
    ),
    Column("left", lambda row: format_number(row.analysis.candidates_after or None), "right"),
)
_BEST: Final[Column[AnalyzedTurn]] = Column(
    "best",
    lambda row: _best(row.analysis, as_pegs=True),
    narrow={1: lambda row: _best(row.analysis, as_pegs=False), 4: None},
)
_MS: Final[Column[AnalyzedTurn]] = Column("ms", lambda row: format_number(row.turn.took_ms), "right", narrow={5: None})
COLUMNS: Final[Sequence[Column[AnalyzedTurn]]] = (
    *_TURN,
    Column("bits", lambda row: _two_places(row.analysis.bits), "right"),
    Column("expected", lambda row: _two_places(row.analysis.expected_bits), "right"),
    Column(CHANCE, lambda row: _percent(row.analysis.chance), "right"),
    _BEST,
    Column("regret", lambda row: _regret(row.analysis.regret), "right"),
    _MS,
)
UNSURE_COLUMNS: Final = [column for column in COLUMNS if column.heading != CHANCE]
EVIL_COLUMNS: Final[Sequence[Column[AnalyzedTurn]]] = (
    *_TURN,
    Column("needed", lambda row: "" if row.analysis.needed is None else whole_range(*row.analysis.needed), "right"),
    _BEST,
    Column("lost", lambda row: _lost(row.analysis.regret), "right"),
    _MS,
)
