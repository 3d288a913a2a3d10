"""HTML for notebooks, as `_repr_html_` returns it: pegs, marks, bars and tables.

Only pegs have a background and a color of text. Everything else has the color of the text around it, so it reads on
light and on dark pages. Where styles are stripped the symbols and numbers remain.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from typing import Final

from evilpegs_game.codes import SYMBOLS, Code
from evilpegs_game.feedback import Feedback

_DARK, _LIGHT = "#15131a", "#ffffff"
# those of the page, which tells in components/peg.js why
PEG_COLORS: Final = (
    *(("#e69f00", _DARK), ("#56b4e9", _DARK), ("#009e73", _DARK), ("#f0e442", _DARK), ("#0072b2", _LIGHT)),
    *(("#d55e00", _DARK), ("#cc79a7", _DARK), ("#26232e", _LIGHT), ("#f4f2f8", _DARK), ("#7b4a1e", _LIGHT)),
    *(("#b6e04a", _DARK), ("#7fe7dc", _DARK), ("#6e1030", _LIGHT), ("#1f2d86", _LIGHT), ("#c9b79c", _DARK)),
    ("#6b6f76", _LIGHT),
)
MAX_ROWS: Final = 200  # of a table; a game may have any number of turns
_PEG: Final = (
    "display:inline-block;width:1.7em;height:1.7em;line-height:1.7em;margin:0 .1em;border-radius:50%;"
    "text-align:center;font-weight:700;box-shadow:0 0 0 1px currentColor;"
)
_CELL: Final = "padding:.2em .7em;vertical-align:middle;white-space:nowrap;"
_HEAD: Final = f"{_CELL}text-align:center;border-bottom:1px solid currentColor"


class Html(str):
    """Text that is HTML already; every other text in a table is escaped."""

    __slots__ = ()


def html_pegs(*codes: Code) -> Html:
    """Return each code as a row of pegs, which reads ``1122`` without styles."""
    return Html(" ".join(f'<span style="white-space:nowrap">{"".join(map(_peg, code))}</span>' for code in codes))


def _peg(color: int) -> str:
    background, ink = PEG_COLORS[color % len(PEG_COLORS)]
    # as on the page, colors repeat with a double ring
    ring = f"outline:.14em double {ink};outline-offset:-.3em;" if color >= len(PEG_COLORS) else ""
    return f'<span style="{_PEG}background:{background};color:{ink};{ring}">{SYMBOLS[color]}</span>'


def html_bar(share: float) -> Html:
    """Return a bar, as long as its share of the longest one."""
    # a border, because browsers print no backgrounds
    style = f"display:inline-block;height:.8em;border-left:{16 * share:.2f}em solid currentColor"
    return Html(f'<span style="{style}"></span>')


def html_line(name: str, shown: object) -> Html:
    return Html(f"<div>{escape(name)}: {_text(shown)}</div>")


def html_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """Return a table of the columns that have a cell; texts are escaped unless they are `Html`."""
    kept = [index for index in range(len(heads)) if not rows or any(row[index] not in (None, "") for row in rows)]
    head = "".join(f'<th style="{_HEAD}">{escape(heads[index])}</th>' for index in kept)
    body = "".join(f"<tr>{''.join(_cell(row[index]) for index in kept)}</tr>" for row in rows[:MAX_ROWS])
    more = len(rows) - MAX_ROWS
    left_out = f'<tr><td colspan="{len(kept)}">and {more:,} more</td></tr>' if more > 0 else ""
    return Html(
        # not a caption: it would be broken at the width of the table, or make the table as wide as itself
        f'<div>{escape(caption)}</div><table style="border-collapse:collapse;color:inherit">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}{left_out}</tbody></table>"
    )


def html_turns(caption: str, turns: Iterable[tuple[Code, Feedback]], *columns: tuple[str, Sequence[object]]) -> Html:
    """Return a table of turns; a further column has a heading and a cell for each turn."""
    heads = ["turn", "guess", "feedback", *(head for head, _ in columns)]
    rows = [
        (number, html_pegs(guess), show_marks(feedback, len(guess)), *(cells[number - 1] for _, cells in columns))
        for number, (guess, feedback) in enumerate(turns, 1)
    ]
    return html_table(caption, heads, rows)


def show_marks(feedback: Feedback, pegs: int) -> str:
    """Return a feedback such as ``●○·· 1,1``."""
    black, white = feedback
    return f"{'●' * black}{'○' * white}{'·' * (pegs - black - white)} {feedback}"


def html_caption(value: object) -> str:
    """Return the repr of a value without its brackets."""
    return repr(value).removeprefix("<").removesuffix(">")


def show_bounds(bounds: tuple[float | Fraction | None, float | Fraction | None] | None) -> str:
    """Return bounds such as ``3``, ``3-4`` or ``≥3``; nothing if there are none."""
    if bounds is None or bounds[0] is None:
        return ""
    low, high = (None if each is None else _text(each) for each in bounds)
    return f"≥{low}" if high is None else f"{low}" if low == high else f"{low}-{high}"


def _cell(value: object) -> str:
    is_number = isinstance(value, int | float | Fraction) and not isinstance(value, bool)
    return f'<td style="{_CELL}text-align:{"right" if is_number else "left"}">{_text(value)}</td>'


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float | Fraction):
        return f"{float(value):.3f}".removesuffix(".000")
    return value if isinstance(value, Html) else escape(str(value))
