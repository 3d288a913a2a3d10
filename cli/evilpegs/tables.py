"""How every table looks, and what stands in its cells."""

from rich import box
from rich.table import Table
from rich.text import Text

from evilpegs_clients.pegs import marks
from evilpegs_game.feedback import Feedback


def plain_table(title: str | None = None) -> Table:
    """A table with nothing but a line under its headings."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        collapse_padding=True,
        pad_edge=False,
    )


def feedback_text(given: Feedback, pegs: int) -> Text:
    """A feedback as marks and as numbers."""
    return Text.assemble(marks(*given, pegs), f" {given}")


def number(value: int | None) -> str:
    """A number for people; nothing where there is none."""
    return "" if value is None else f"{value:,}"
