"""The `evilpegs` command: its subcommands. Errors of the user become one line and exit status 2."""

import gc
import logging
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from cyclopts import App, Group, Parameter

from evilpegs.commands import COMMANDS, GROUPS, HELP_GROUPS
from evilpegs.errors import CommandError, user_message
from evilpegs.signals import TerminatedError
from evilpegs.starting import INTERRUPTED_STATUS, note_started
from evilpegs_clients.terminal.console import PLAINLY, PipedConsole

ADDRESS_SPACE: Final = 1 << 30  # least bytes for a process of a server, which maps 700 MB on two processors
USER_ERROR_STATUS: Final = 2
CLOSED_PIPE_STATUS: Final = 141  # that of other programs, which SIGPIPE ends; Python ignores it


def _version() -> str:
    # what a report of an error should name
    libraries = ", ".join(f"{library} {version(library)}" for library in ("numpy", "numba"))
    return f"evilpegs {version('evilpegs')} (Python {platform.python_version()}, {libraries})"


_HELP: Final = {title: Group(title, sort_key=order) for order, title in enumerate(HELP_GROUPS, 1)}
# options before or after any command, and the variables of the environment that say the same
_EVERYWHERE: Final = {"--quiet": "EVILPEGS_QUIET", "--no-color": "NO_COLOR", "--config": "EVILPEGS_CONFIG"}
_EPILOGUE: Final = """\
`evilpegs help COMMAND` says more about a command. Every command also takes `--quiet` (neither progress nor notes on
standard error), `--no-color`, and `--config FILE` (instead of `evilpegs.toml`)."""


def _shown_default(value: object) -> str | None:
    # that of a switch says nothing
    return None if value is None or isinstance(value, bool) else str(value)


app = App(
    name="evilpegs",
    help="An adversarial codemaker and match server for Mastermind and its relatives.",
    help_epilogue=_EPILOGUE,
    version=_version,
    version_flags=("--version", "-V"),
    help_format="markdown",
    version_format="plaintext",  # what reads Markdown takes 37 of 200 ms to import
    group_commands=_HELP["Installation"],
    default_parameter=Parameter(negative=(), show_default=_shown_default),
    result_action="return_value",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
)


for _title, _lines in HELP_GROUPS.items():
    for _index, (_name, _line) in enumerate(_lines.items()):
        _shown: dict[str, Any] = {"help": _line, "help_epilogue": "", "group": _HELP[_title], "sort_key": _index}
        if _name in GROUPS:
            _app = App(name=_name, group_commands="Commands", **_shown)
            for _function, _text in GROUPS[_name].items():
                _word, _path = _function.partition("_")[0], f"evilpegs.commands.{_name}:{_function}"
                _app.command(_path, name=_word, help=_text, help_epilogue="")
            app.command(_app)
        else:
            _module = _name.replace("-", "_")
            app.command(f"evilpegs.commands.{_module}:{_module}", name=_name, **_shown)
app.register_install_completion_command(
    help="Install completion of commands and options for bash, zsh or fish, and exit."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return the exit status.

    The status is 2 for an error of the user, which is printed in one line, 130 after Ctrl-C, 128 plus the signal after
    SIGTERM or SIGHUP, and 141 if nobody reads the output. A fault of the program is raised.
    """
    prepare_streams()
    words, environment = list(sys.argv[1:] if arguments is None else arguments), dict(os.environ)
    # an empty value means the default, as in `Settings`
    empty = [name for name, value in environment.items() if name.startswith("EVILPEGS_") and not value]
    for name in empty:
        del os.environ[name]
    try:
        _take_options_of_every_command(words)
        _check_address_space(words)
        with _paused_collection():
            if not {"--install-completion", *app.help_flags}.isdisjoint(words):
                _prepare_help(words)
            command, bound, _ = app.parse_args(words, console=PipedConsole())  # for help; cyclopts has one of rich's
        note_started()
        report_kernels()
        status = command(*bound.args, **bound.kwargs)
        sys.stdout.flush()
    except TerminatedError as error:
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except BrokenPipeError:
        return CLOSED_PIPE_STATUS
    except Exception as error:
        line = user_message(error)
        if line is None:
            raise
        with suppress(BrokenPipeError):
            print(f"evilpegs: {line}", file=sys.stderr)  # noqa: T201
        return USER_ERROR_STATUS
    finally:
        discard_unwritable()
        for variable in (*_EVERYWHERE.values(), *empty):
            os.environ.pop(variable, None)
            os.environ.update({variable: environment[variable]} if variable in environment else {})
    return int(status or 0)


def _take_options_of_every_command(words: list[str]) -> None:
    if words[:1] == ["help"]:
        words[:] = [*words[1:], "--help"]
    rest = words[words.index("--") :] if "--" in words else []
    own = words[: len(words) - len(rest)]
    words.clear()
    while own:
        option, equals, value = own.pop(0).partition("=")
        if option not in _EVERYWHERE or (equals and option != "--config"):
            words.append(f"{option}{equals}{value}")
        elif option != "--config":
            os.environ[_EVERYWHERE[option]] = "1"
        elif value or own:
            os.environ[_EVERYWHERE[option]] = value or own.pop(0)
        else:
            raise CommandError("--config needs a value, the name of a file like evilpegs.toml")
    words += rest
    config = os.environ.get("EVILPEGS_CONFIG")
    if config and not Path(config).is_file():
        raise CommandError(f"{config[:200]} is no file; --config and EVILPEGS_CONFIG name one like evilpegs.toml")


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


def _prepare_help(words: Sequence[str]) -> None:
    from evilpegs.help_pages import complete_page, importable_commands  # noqa: PLC0415 - for few calls only

    if words[:1] == ["--install-completion"]:
        # the script has the options of all commands, which would need all extras
        for name in {*COMMANDS, *GROUPS}.difference(importable_commands()):
            del app[name]
    else:
        complete_page(app, [word for word in words if word not in app.help_flags])


class _KernelMessages(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(f"evilpegs: {record.getMessage()}", file=sys.stderr)  # noqa: T201


def report_kernels() -> None:
    logger = logging.getLogger("evilpegs_game")
    if not logger.handlers:
        logger.addHandler(_KernelMessages())
    logger.setLevel(logging.ERROR if os.environ.get("EVILPEGS_QUIET") else logging.WARNING)


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
            stream.reconfigure(errors=PLAINLY)


def discard_unwritable() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            # any other is not ours, and may be closed
            if isinstance(stream, OpenStream):
                stream.flush()
        except OSError:
            # otherwise the flush at exit fails too, and the exit status is Python's own
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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
