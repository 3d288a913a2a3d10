"""Turns of a record with their analyses, as `evilpegs replay` prints them."""

from evilpegs.kit.match_table import AnalyzedTurn
from evilpegs_game.analysis.turns import USUAL, analyze_games
from evilpegs_game.codes import format_code
from evilpegs_protocol.server_messages import FeedbackGiven


def analyzed_turn(number, analysis, took_ms):
    black, white = analysis.feedback
    given = FeedbackGiven(
        match="0" * 16,
        seq=number + 2,
        at=0,
        game=1,
        turn=number,
        code=format_code(analysis.guess),
        black=black,
        white=white,
        took_ms=took_ms,
        left_ms=None,
    )
    return AnalyzedTurn(given, analysis)


def analyze(rules, history, effort=USUAL):
    """Return the analysis of every turn of one game."""
    return analyze_games(rules, [history], effort)[0]
