"""Advice as a JSON document."""

from typing import Any

from evilpegs.assisting.advice import Advice, Contradiction, Suggestion
from evilpegs.played_turns import turns_document
from evilpegs_game.codes import format_code


def advice_document(found: Advice | Contradiction) -> dict[str, Any]:
    """The document of `evilpegs assist --json`; what does not apply is null or empty."""
    document = {"rules": str(found.board.rules), "after": turns_document(found.board.rows)}
    if isinstance(found, Advice):
        return document | {
            "candidates": found.codes,
            "codes": [format_code(code) for code in found.listed],
            "clash": [],
            "among": found.among,
            "guesses": [_suggestion(suggestion) for suggestion in found.suggestions],
            "expected_guesses": None if found.more_guesses is None else float(found.more_guesses),
        }
    clash = [
        {"row": number, "fitting": [list(given) for given in fitting]}
        for number, fitting in zip(found.rows, found.fitting, strict=True)
    ]
    nothing = {"candidates": 0, "codes": [], "clash": clash, "among": None, "guesses": [], "expected_guesses": None}
    return document | nothing


def _suggestion(suggestion: Suggestion) -> dict[str, Any]:
    figures = suggestion.figures
    return {
        "code": format_code(suggestion.guess),
        "best_by": list(suggestion.best_by),
        "candidate": figures and figures.is_candidate,
        "largest": figures and figures.largest,
        "expected_size": figures and float(figures.expected_size),
        "bits": figures and figures.bits,
        "parts": figures and figures.parts,
    }
