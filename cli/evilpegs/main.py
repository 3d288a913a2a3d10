"""The `evilpegs` command: its subcommands, and how every error of a user ends in one line and exit status 2."""

import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Final

from cyclopts import App, Parameter

from evilpegs.commands.assist import assist
from evilpegs.commands.bot import bot
from evilpegs.commands.certify import certify
from evilpegs.commands.demo import demo
from evilpegs.commands.duel import duel
from evilpegs.commands.evaluate import evaluate
from evilpegs.commands.ladders import ladders
from evilpegs.commands.leaderboard import leaderboard
from evilpegs.commands.partition import partition
from evilpegs.commands.play import play
from evilpegs.commands.replay import replay
from evilpegs.commands.serve import serve
from evilpegs.commands.solve import solve
from evilpegs.commands.tree import tree
from evilpegs.commands.verify import verify
from evilpegs.errors import explained

USERS_FAULT: Final = 2
INTERRUPTED: Final = 130
NOBODY_READS: Final = 1


def _version() -> str:
    from importlib.metadata import version

    return version("evilpegs")


app = App(
    name="evilpegs",
    help="An adversarial codemaker and match server for Mastermind and its relatives.",
    version=_version,
    help_format="markdown",
    default_parameter=Parameter(negative=()),
    result_action="return_value",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
)
COMMANDS: Final[tuple[Callable[..., object], ...]] = (
    serve,
    play,
    bot,
    demo,
    ladders,
    leaderboard,
    replay,
    verify,
    partition,
    assist,
    evaluate,
    duel,
    solve,
    tree,
    certify,
)
"""In the order in which `--help` lists them."""
for _place, _command in enumerate(COMMANDS):
    app.command(_command, sort_key=_place)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (by default those of the process) say; the exit status."""
    _never_be_without_output()
    _never_fail_to_print()
    try:
        status = app(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return NOBODY_READS
    except Exception as error:
        line = explained(error)
        if line is None:
            raise
        if isinstance(error, OSError):
            _discard_output()
        print(f"evilpegs: {line}", file=sys.stderr)  # noqa: T201
        return USERS_FAULT
    return int(status or 0)


def _discard_output() -> None:
    """Let the flush at exit succeed where nothing more can be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _never_be_without_output() -> None:
    """Write to nowhere where a stream was closed before the start; Python has None in its place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - for as long as the process lives


def _never_fail_to_print() -> None:
    """Show a question mark for what the terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
