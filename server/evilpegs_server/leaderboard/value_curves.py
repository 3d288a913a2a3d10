"""The value curves of rated ladders with a fixed codemaker, with which the luck of their games is measured."""

from collections.abc import Iterable
from functools import cache

from evilpegs_game.luck.value_curve import ValueCurve, load_value_curve
from evilpegs_server.match.ladders import Ladder


def ladder_curve(ladder: Ladder) -> ValueCurve | None:
    return _load(ladder.rules, ladder.guess_limit) if ladder.rated and ladder.codemaker == "fixed" else None


def curve_hashes(ladders: Iterable[Ladder]) -> dict[str, str]:
    """Return the hashes by ladder id; ladders without a curve are left out."""
    curves = ((ladder.id, ladder_curve(ladder)) for ladder in ladders)
    return {ladder: curve.hash for ladder, curve in curves if curve is not None}


_load = cache(load_value_curve)
