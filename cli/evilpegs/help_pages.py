"""What the help page of a command has beside its docstring: arguments by name in the usage, and examples."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files
from typing import Final

from cyclopts import App
from cyclopts.help import format_usage

from evilpegs.commands import GROUPS, HELP_GROUPS

_NEEDED: Final = {"STRATEGY", "ENTRANT", "GUESS"}  # without one, a command wants an option that takes its place


def complete_page(app: App, words: Sequence[str]) -> None:
    """Complete the help page of the command that ``words`` name."""
    path, apps, _ = app.parse_commands(words)
    command = apps[-1]
    # not a group, nor what cyclopts brings
    if getattr(command.default_command, "__module__", "").startswith("evilpegs.commands."):
        usage, arguments = str(format_usage(app, path)).strip(), _optional_arguments(command)
        command.usage = re.sub(r"\[ARGS(\.\.\.)?\]", lambda _: arguments, usage)
        command.help = None  # its own page is its docstring; the line of the table was for lists
        command.help_epilogue = "Examples:\n\n" + "\n".join(f"* `{line}`" for line in examples(path))


def _optional_arguments(command: App) -> str:
    names = []
    for argument in command.assemble_argument_collection():
        info, name = argument.field_info, argument.name.lstrip("-").upper()
        if info.is_positional and argument.show and not argument.required:
            shown = name + "..." * (info.kind is info.VAR_POSITIONAL)
            names.append(shown if name in _NEEDED else f"[{shown}]")
    return " ".join(names)


def examples(path: Sequence[str]) -> list[str]:
    """Return command lines to copy; a group has none, because each of its commands has some."""
    lines = files("evilpegs").joinpath("examples.txt").read_text(encoding="utf-8").splitlines()
    paths = {line: line.split()[1 : 3 if line.split()[1] in GROUPS else 2] for line in lines}
    return [line for line in lines if paths[line] == [*path]]


def importable_commands() -> list[str]:
    """Return the names of the commands and groups whose extras are installed."""
    names = []
    for name in (name for lines in HELP_GROUPS.values() for name in lines):
        try:
            import_module(f"evilpegs.commands.{name.replace('-', '_')}")
        except ImportError:
            continue
        names.append(name)
    return names
