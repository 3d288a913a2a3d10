"""The value curves of rated ladders with a fixed codemaker, with which the luck of their games is measured."""

from collections.abc import Iterable
from functools import cache

from evilpegs_game.luck.value_curve import ValueCurve, load_value_curve
from evilpegs_server.match.ladders import Ladder


def ladder_curve(ladder: Ladder) -> ValueCurve | None:
    """Return the value curve with which the luck of a ladder's games is measured, or None if there is none.

    The curve gives the number of further guesses that a good strategy expects, by the number of codes still possible.
    Only rated ladders with a fixed codemaker can have a curve.
    """
    return _load(ladder.rules, ladder.guess_limit) if ladder.rated and ladder.codemaker == "fixed" else None


def curve_hashes(ladders: Iterable[Ladder]) -> dict[str, str]:
    """Return the hashes of the ladders' value curves, by the id of the ladder. Ladders without a curve are left out."""
    curves = ((ladder.id, ladder_curve(ladder)) for ladder in ladders)
    return {ladder: curve.hash for ladder, curve in curves if curve is not None}


_load = cache(load_value_curve)
