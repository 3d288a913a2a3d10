"""A strategy that asks a program, which reads a position from standard input and writes a code to standard output.

The program may be written in any language. It receives one line of JSON per guess and answers with one line of JSON;
`docs/strategies.md` describes both. Each request holds the whole position, so a program needs no memory, and a program
that was killed can be started again in the middle of a game.
"""

import hashlib
import json
import os
import re
import select
import shlex
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Final

from evilpegs_clients.strategies.program_guard import ErrorOutput, ProgramGuard, deferred_signals
from evilpegs_clients.strategies.program_limits import LOOK_SECONDS, ProgramLimits
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.codes import Code, parse_code, rules_fields
from evilpegs_game.errors import GameError, quoted
from evilpegs_game.live.position import Position

ANSWER_SECONDS: Final = 60.0  # the longest time for one guess, unless the caller names another
SLOW_SECONDS: Final = 5.0  # the time after which a program without an answer is named
MAX_LINE: Final = 4096  # bytes of a line that a program may write
MAX_ERROR: Final = 400  # characters of the reason that a program may give in place of a code
_OWN_VARIABLES: Final = "EVILPEGS_"
# what a shell would act on, first where its quotation marks protect nothing from it
_QUOTED: Final = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"")
_FOR_A_SHELL: Final = re.compile(r"&&|\|\||>>|[|&;<>*]|(?<!\S)~|\$(?:\w+|[{(])")
_VARIABLE: Final = re.compile(r"(?<!\\)\$(?:\w+|[{(])")


class ProgramStrategy:
    """A strategy that asks a program for each guess; ``command`` is the command line of the program.

    The command line is split as in a shell, but no shell runs it. The program may take ``answer_seconds`` per guess. It
    is started at the first guess, in a process group of its own, and without the environment variables of evilpegs. The
    whole group is killed by `close`, when the program gives a wrong answer or none, and when this process ends in any
    way. After a wrong answer the next guess starts the program again. The standard error of the program appears on that
    of this process, up to a limit; that of a program with ``limits`` is discarded.

    Raises:
        StrategyError: ``command`` cannot be split, or there is no such program.
    """

    uses_rng: ClassVar[bool] = True

    def __init__(
        self, command: str, answer_seconds: float = ANSWER_SECONDS, limits: ProgramLimits | None = None
    ) -> None:
        self._arguments = split_command(command)
        self._path = find_program(self._arguments[0])
        self._answer_seconds = answer_seconds
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: ProgramGuard | None = None
        self.name = self._path.name
        self._errors = ErrorOutput(self.name)
        self.version = hashlib.sha256(self._path.read_bytes()).hexdigest()[:8]
        """Eight hexadecimal digits that change with the content of the program's file."""

    def choose(self, position: Position, rng: Random) -> Code:
        """Send the position to the program, and return the guess in its answer.

        Raises:
            StrategyError: the program cannot run, ends, takes too long, writes without being asked, or answers with
                anything but a code of the rules.
        """
        return self.ask(position, make_request(position, rng))

    def ask(self, position: Position, request: dict[str, Any]) -> Code:
        """Send a request of `make_request`, perhaps with further fields; else like `choose`."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - pipes
        try:
            if select.select([process.stdout], [], [], 0)[0]:  # unasked output would be taken for the next answer
                piece = os.read(process.stdout.fileno(), MAX_LINE)
                if not piece:
                    raise self._ended(process)
                raise _BrokenRuleError(f"it wrote {_quote(piece)} without being asked")
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
            except BrokenPipeError:
                if not select.select([process.stdout], [], [], 0)[0]:  # what it wrote before it ended says more
                    raise self._ended(process) from None
            return _read_code(self._receive(process), position)
        except _BrokenRuleError as error:
            self.close()
            raise StrategyError(f"program {self.name} at turn {position.turn}: {error}") from None

    @property
    def group(self) -> int | None:
        """The id of the process group; None if the program does not run."""
        return None if self._guard is None else self._guard.group

    def close(self) -> None:
        """Kill the program, if it runs, and all of its group; the next guess would start it again."""
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.kill()
        process, self._process = self._process, None
        if process is not None:
            # a process that has left the group may keep the other ends open
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None  # noqa: S101 - a pipe
                pipe.close()
            process.wait()
            self._errors.finish()
        if self._limits is not None:
            self._limits.clean()

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {name: value for name, value in os.environ.items() if not name.upper().startswith(_OWN_VARIABLES)}
        if self._limits is not None:
            environment = self._limits.environment(environment)
        with deferred_signals():
            self._guard = guard = ProgramGuard(None if self._limits is None else self._limits.folder)
            try:
                self._process = subprocess.Popen(  # noqa: S603 - the user's own program, without a shell
                    [str(self._path), *self._arguments[1:]],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE if self._limits is None else subprocess.DEVNULL,
                    bufsize=0,
                    env=environment,
                    process_group=guard.group,
                )
            except OSError as error:
                self.close()
                raise StrategyError(f"program {self.name} cannot be started: {error.strerror}") from None
            if self._limits is not None:
                self._limits.apply(self._process.pid)
            if self._process.stderr is not None:
                self._errors.follow(os.dup(self._process.stderr.fileno()))
                self._process.stderr.close()
        return self._process

    def _receive(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None  # noqa: S101 - a pipe
        slow, deadline = (time.monotonic() + seconds for seconds in (SLOW_SECONDS, self._answer_seconds))
        line = b""
        while not line.endswith(b"\n"):
            if len(line) > MAX_LINE:
                raise _BrokenRuleError(f"it wrote a line of more than {MAX_LINE} bytes and was killed")
            now = time.monotonic()
            if self._limits is not None:
                if not select.select([process.stdout], [], [], LOOK_SECONDS)[0]:
                    if broken := self._limits.broken(self.group):
                        raise _BrokenRuleError(f"{broken} and was killed")
                    continue
            elif not select.select([process.stdout], [], [], max(0.0, min(slow, deadline) - now))[0]:
                if now >= deadline:
                    what = f"no answer came within {self._answer_seconds:g} s, and it was killed"
                    raise _BrokenRuleError(f"{what}; did it end its line and flush its output?")
                if now >= slow:
                    slow = deadline
                    self._errors.say(f"has not answered for {SLOW_SECONDS:g} s; it has {self._answer_seconds:g}")
                continue
            piece = os.read(process.stdout.fileno(), MAX_LINE)
            if not piece:
                raise self._ended(process)
            line += piece
        return line[:-1]

    def _ended(self, process: subprocess.Popen[bytes]) -> "_BrokenRuleError":
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        status = process.returncode
        if status is None:
            return _BrokenRuleError("it closed its standard input or output and was killed")
        how = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        return _BrokenRuleError(f"it ended {how}, without an answer")


class _BrokenRuleError(Exception):
    """The program ended, or its answer is not as docs/strategies.md demands."""


def shell_characters(command: str) -> list[str]:
    """Return what a shell would act on in a command line, as `ProgramStrategy` does not: ``|``, ``$X`` and others."""
    bare = _QUOTED.sub(lambda quoted: " ".join(_VARIABLE.findall(quoted[0])) if quoted[0][0] == '"' else "q", command)
    return list(dict.fromkeys(_FOR_A_SHELL.findall(bare)))


def split_command(command: str) -> list[str]:
    """Split a command line as a shell would; raises StrategyError."""
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise StrategyError(
            f"not a command: {quoted(command, 80)}: {str(error).lower()}; quote it as in a shell"
        ) from None
    if not arguments:
        raise StrategyError("the command of a program is empty; write a program and its arguments, such as ./mybot")
    return arguments


def find_program(program: str) -> Path:
    """Return the file of a program that can be started; raises StrategyError."""
    file = shutil.which(program)
    if file is None:
        raise StrategyError(f"the program {quoted(program, 80)} {_why_not_found(program)}")
    path = Path(file).absolute()  # not what a link leads to: the Python of a virtual environment is one
    _check_interpreter(path)
    return path


def _why_not_found(program: str) -> str:
    is_plain_name = os.sep not in program
    # `Path.is_file` fails for a text that can be no path
    is_file, is_folder = os.path.isfile(program), os.path.isdir(program)  # noqa: PTH112, PTH113
    if is_plain_name and is_file:
        return f"is not in a directory of PATH; for the one in the current directory write ./{program[:80]}"
    if is_folder:
        return "is a directory; name the program in it"
    if is_file:
        return "is not executable; try chmod +x"
    return "is in no directory of PATH; check its name" if is_plain_name else "does not exist; check its name"


def _check_interpreter(path: Path) -> None:
    try:
        # a missing interpreter would otherwise show only after a match has started, as a script that does not exist
        with path.open("rb") as file:
            first = file.readline(MAX_LINE).decode(errors="replace")
    except OSError as error:
        raise StrategyError(f"the program {path} cannot be read: {error.strerror}") from None
    is_script = first.removeprefix("\ufeff").startswith("#!")
    if is_script and (first.endswith("\r\n") or not first.startswith("#!")):
        raise StrategyError(
            f"the first line of the program {path} is as Windows writes it, which the system cannot read; save it "
            "without a byte order mark and with the line ends of Unix (LF)"
        )
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    by_name = words[1:2] if words[:1] == ["/usr/bin/env"] and words[1:2] != ["-S"] else []
    missing = [word for word in [*words[:1], *by_name] if shutil.which(word) is None]
    if missing:
        raise StrategyError(
            f"the program {path} needs the interpreter {quoted(missing[0], 80)} of its first line, which does not "
            f"exist; install it, or correct that line"
        )


def make_request(position: Position, rng: Random) -> dict[str, Any]:
    """Return the request for a guess, which docs/strategies.md describes."""
    return {
        **rules_fields(position.rules),
        "turn": position.turn,
        "history": [turn.to_json() for turn in position.history],
        "seed": rng.getrandbits(32),
    }


def _read_code(line: bytes, position: Position) -> Code:
    try:
        answer: Any = json.loads(line)
        if isinstance(answer, dict) and isinstance(answer.get("error"), str):
            raise _BrokenRuleError(answer["error"][:MAX_ERROR])
        text = answer["code"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _BrokenRuleError(
            f'it wrote {_quote(line)} instead of a line such as {{"code": "{"1" * position.rules.pegs}"}}'
        ) from None
    if not isinstance(text, str):
        raise _BrokenRuleError(f"its code is {_quote(line)}, not a string in quotation marks")
    try:
        return parse_code(text, position.rules)
    except GameError as error:
        raise _BrokenRuleError(str(error)) from None


def _quote(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace"))
