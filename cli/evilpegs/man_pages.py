"""The manual pages of all commands, rendered from their help pages."""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any, Final

from cyclopts import App
from cyclopts.help import DescriptionRenderer, HelpPanel
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markdown import Markdown

from evilpegs.commands import GROUPS
from evilpegs.help_pages import complete_page, examples, importable_commands

# roff makes typographic signs of these, which nobody can paste into a shell
_ESCAPED: Final = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}
_WIDE: Final = 100_000  # columns: roff breaks the lines


class _RoffFormatter:
    """What cyclopts calls a formatter of help pages: it gets the parts of a page."""

    def __init__(self) -> None:
        self.summary = ""
        self.lines: list[str] = []

    def render_usage(self, _console: Console, _options: ConsoleOptions, usage: Any) -> None:
        self.lines += [".SH SYNOPSIS", _roff(str(usage).removeprefix("Usage: "))]

    def render_description(self, _console: Console, _options: ConsoleOptions, description: Any) -> None:
        self.summary, *paragraphs = _plain(description).split("\n\n")
        self.lines += [".SH DESCRIPTION", "\n.PP\n".join(map(_roff, paragraphs or [self.summary]))]

    # cyclopts may call it with names
    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:  # noqa: ARG002
        if panel.entries:
            self.lines.append(f".SH {_roff(str(panel.title).upper())}")
        for entry in panel.entries:
            names = ", ".join(entry.display_labels_with_metavar)
            self.lines += [".TP", f"\\fB{_roff(names)}\\fR", _roff(_plain(DescriptionRenderer()(entry)))]


def man_pages(app: App) -> Iterator[tuple[str, str]]:
    """Yield the name of the file of each page and its text, for the commands whose extras are installed."""
    yield _man_page(app, ())
    for name in importable_commands():
        yield _man_page(app, (name,))
        for function in GROUPS.get(name, ()):
            yield _man_page(app, (name, function.partition("_")[0]))


def _man_page(app: App, path: tuple[str, ...]) -> tuple[str, str]:
    page, name = _RoffFormatter(), "-".join(("evilpegs", *path))
    complete_page(app, path)
    app.help_formatter, before = page, app.help_formatter
    try:
        app.help_print(path, console=Console(quiet=True))
    finally:
        app.help_formatter = before
    head = f'.TH {_roff(name.upper())} 1 "" "evilpegs {version("evilpegs")}"'
    lines = [head, ".SH NAME", f"{_roff(name)} \\- {_roff(page.summary)}", *page.lines]
    if shown := examples(path):
        lines += [".SH EXAMPLES", ".nf", *map(_roff, shown), ".fi"]
    lines += [".SH EVERY COMMAND", _roff(_plain(Markdown(app.help_epilogue or "")))]
    return f"{name}.1", "\n".join(lines) + "\n"


def _plain(shown: RenderableType) -> str:
    out = Console(width=_WIDE, color_system=None)
    with out.capture() as capture:
        out.print(shown)
    return "\n".join(line.rstrip() for line in capture.get().strip().splitlines())


def _roff(text: str) -> str:
    symbols = (_ESCAPED.get(each, each if each.isascii() else f"\\[u{ord(each):04X}]") for each in text.strip())
    # a line that begins with a dot would be a request
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in "".join(symbols).splitlines())
