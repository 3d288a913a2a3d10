"""The `evilpegs` command: its table of subcommands. Errors of the user become one line and exit status 2."""

import ast
import gc
import logging
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Final

from cyclopts import App, Parameter

from evilpegs.errors import CommandError, user_message
from evilpegs.signals import TerminatedError

ADDRESS_SPACE: Final = 1 << 30
"""The least bytes for a process of a server; on two processors it maps 700 MB at its start."""
USER_ERROR_STATUS: Final = 2
INTERRUPTED_STATUS: Final = 130
CLOSED_PIPE_STATUS: Final = 1


def _version() -> str:
    # what a report of an error should name
    libraries = ", ".join(f"{library} {version(library)}" for library in ("numpy", "numba"))
    return f"evilpegs {version('evilpegs')} (Python {platform.python_version()}, {libraries})"


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
# in the order of --help; each is the function of this name in the module of this name, with _ for -
COMMANDS: Final = (
    *("serve", "show", "play", "watch", "bot", "demo", "feed", "ladders", "leaderboard"),
    *("replay", "verify", "partition", "assist"),
    *("evaluate", "compare", "duel", "tournament", "solve", "tree", "certify", "docs"),
    "check-client",
)
# the functions of a module, whose commands have the first word of the name
GROUPS: Final = {
    "round": (
        "Open, close and read the rounds of a contest.",
        ("open_round", "admit", "close", "extend", "exclude", "status"),
    ),
    "players": (
        "See, add, ban, rename and forget the players of a server, and open or close registration.",
        (
            *("list_all", "add", "token", "ban", "unban", "kick", "hide", "show", "rename", "forget"),
            *("open_registration", "close_registration"),
        ),
    ),
    "database": ("Copy the database while a server uses it, or check it.", ("backup", "check")),
}


def _add_command(to: App, name: str, module: str, function: str, position: int | None = None) -> None:
    spec = find_spec(f"evilpegs.commands.{module}")
    assert spec is not None and spec.origin is not None  # noqa: S101, PT018 - a module of this package
    # parsed for its help and imported when it runs, because an import would load what the command needs
    definitions = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
    (definition,) = (node for node in definitions if isinstance(node, ast.FunctionDef) and node.name == function)
    to.command(f"{spec.name}:{function}", name=name, help=ast.get_docstring(definition), sort_key=position)


for _index, _name in enumerate(COMMANDS):
    _module = _name.replace("-", "_")
    _add_command(app, _name, _module, _module, _index)
for _index, (_group, (_help, _functions)) in enumerate(GROUPS.items(), len(COMMANDS)):
    _app = App(name=_group, help=_help, sort_key=_index)
    for _function in _functions:
        _add_command(_app, _function.partition("_")[0], _group, _function)
    app.command(_app)
app.register_install_completion_command(
    help="Install completion of commands and options for bash, zsh or fish, and exit."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return the exit status.

    The status is 2 for an error of the user, which is printed in one line, 130 after Ctrl-C, 128 plus the signal after
    SIGTERM or SIGHUP, and 1 if nobody reads the output. A fault of the program is raised.
    """
    prepare_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _check_address_space(words)
        with _paused_collection():
            command, bound, _ = app.parse_args(words)
        if arguments is None:
            gc.freeze()  # compiling kernels takes 4 % longer if all that was imported is checked for garbage
        report_kernels()
        status = command(*bound.args, **bound.kwargs)
        sys.stdout.flush()
    except TerminatedError as error:
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except BrokenPipeError:
        discard_output()
        return CLOSED_PIPE_STATUS
    except Exception as error:
        line = user_message(error)
        if line is None:
            raise
        if isinstance(error, OSError):
            discard_output()
        print(f"evilpegs: {line}", file=sys.stderr)  # noqa: T201
        return USER_ERROR_STATUS
    return int(status or 0)


def _check_address_space(words: Sequence[str]) -> None:
    # first: with less, the libraries fail to load in many ways, and some print lines of their own
    if words[:1] not in (["serve"], ["show"]):
        return
    import resource  # noqa: PLC0415 - not on every system

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= limit < ADDRESS_SPACE:
        raise CommandError(
            f"each process of a server needs {ADDRESS_SPACE >> 20:,} MiB of address space, and only {limit >> 20:,} "
            "are allowed; run ulimit -v unlimited before it, or leave LimitAS out of the service"
        )


class _KernelMessages(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(f"evilpegs: {record.getMessage()}", file=sys.stderr)  # noqa: T201


def report_kernels() -> None:
    """Print messages about kernels: warnings always, the start of a compilation only on a terminal."""
    logger = logging.getLogger("evilpegs_game")
    if not logger.handlers:
        logger.addHandler(_KernelMessages())
    logger.setLevel(logging.INFO if sys.stderr.isatty() else logging.WARNING)


@contextmanager
def _paused_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    # importing a command makes many objects and hardly any garbage: this saves 0.4 of 2.1 s at the start of a server
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Standard output and error stay open whatever a strategy file does to them: it runs in this process, and if it closed
# sys.stdout or descriptor 1, the results of a played match would be lost.
STREAMS: Final = {"stdout": 1, "stderr": 2}


class OpenStream(TextIOWrapper):
    """A text stream with a descriptor of its own, which `close` only flushes."""

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self.flush()


def prepare_streams() -> None:
    """Let ``sys.stdout`` and ``sys.stderr`` stay open and take any text, unless something else has replaced them."""
    for name in STREAMS:
        # Python's sign that the stream was closed before the start
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - for as long as the process lives
    # only now, because a new descriptor has the lowest free number, which may be that of a closed stream
    for name, descriptor in STREAMS.items():
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            if not isinstance(stream, OpenStream) and _is_on(stream, descriptor):
                stream = _reopen(stream, descriptor)
                setattr(sys, name, stream)
            stream.reconfigure(errors="replace")  # in place of characters that cannot be printed


def discard_output() -> None:
    # otherwise the flush at exit fails, because nothing can be written
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_on(stream: TextIOWrapper, descriptor: int) -> bool:
    try:
        return stream.fileno() == descriptor
    except (OSError, ValueError):  # no file, or a closed one
        return False


def _reopen(stream: TextIOWrapper, descriptor: int) -> OpenStream:
    stream.flush()
    buffering = 0 if stream.write_through else -1
    return OpenStream(
        os.fdopen(os.dup(descriptor), "wb", buffering),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
