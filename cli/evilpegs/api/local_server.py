"""A server of one's own on this machine, for tests and notebooks."""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Final, Literal

from evilpegs.files import failure_reason
from evilpegs_clients.connection.tokens import TokenFile, token_variable
from evilpegs_clients.strategies.program_guard import ProgramGuard
from evilpegs_game.errors import EvilpegsError, MalformedError, quoted, require
from evilpegs_protocol.text_files import read_text

STOP_SECONDS: Final = 15.0
REFUSED_STATUS: Final = 2  # that of a command with an argument that is wrong

Ladders = Mapping[str, Mapping[str, str | int | datetime]]


@dataclass(frozen=True, slots=True)
class LocalServer:
    """The addresses of a server that `local_server` runs: ``ws://`` for players and ``http://`` for its site."""

    url: str
    site_url: str
    database: str
    """The URL of its database, ``sqlite:///FILE``."""
    token_file: Path
    """The tokens of bots that play on it, unless they are started with another file."""


@contextmanager
def local_server(
    *,
    ladders: Ladders | str | Path | None = None,
    mqtt: str | None = None,
    registration: Literal["open", "closed"] = "open",
    data: str | Path | None = None,
) -> Iterator[LocalServer]:
    """Run a server on free ports of this machine during the block, with an empty database that ends with it.

    It is a process of its own, which ignores ``evilpegs.toml`` and the environment, and needs the extra ``server``.
    Bots that play on it, in this process or in those that it starts, keep their tokens beside its database::

        >>> with evilpegs.local_server(ladders={"tiny": tiny}) as server:  # doctest: +SKIP
        ...     evilpegs.play(server=server.url, ladder="tiny", strategy="minimax", name="ann")

    Args:
        ladders: Ladders besides the built-in ones: a mapping of ids to what their tables in ``evilpegs.toml`` say, such
            as ``{"tiny": {"rules": "3x4", "codemaker": "fixed", "guess_limit": 10}}``, or a file with such tables.
        mqtt: The address of an MQTT broker that gets the events, ``mqtt://HOST:PORT``.
        registration: With ``closed``, nobody can claim a new name.
        data: A folder that keeps the database and the tokens; it is created if it is missing.

    Raises:
        MalformedError: an argument is wrong, or the server cannot start with it.
        EvilpegsError: the server did not start, or had ended before the block did.
    """
    settings = _settings(ladders, mqtt, registration)
    with tempfile.TemporaryDirectory(prefix="evilpegs-local-") as folder:
        home, log = _open_folder(folder if data is None else data), Path(folder, "log")
        Path(folder, "evilpegs.toml").write_text(settings, encoding="utf-8")  # where the server starts
        name = str(home / "local.sqlite3").replace("%", "%25").replace("?", "%3F")
        database, tokens = f"sqlite:///{name}", home / "tokens.json"
        where = ["--host", "127.0.0.1", "--port", "0", "--site-port", "0", "--database", database]
        command = [sys.executable, "-m", "evilpegs", "serve", *where]
        env = {name: value for name, value in os.environ.items() if not name.upper().startswith("EVILPEGS_")}
        guard = ProgramGuard(Path(folder))  # it ends the server even if this process is killed
        try:
            with log.open("wb") as errors:
                process = subprocess.Popen(  # noqa: S603 - this Python
                    command, stdin=DEVNULL, stdout=PIPE, stderr=errors, cwd=folder, env=env, process_group=guard.group
                )
            with process:
                try:
                    assert process.stdout is not None  # noqa: S101 - a pipe
                    addresses = [line.decode().split()[-1] for line in islice(process.stdout, 2)]
                    if len(addresses) == 2:
                        with _own_tokens(addresses[0], tokens):
                            yield LocalServer(addresses[0], addresses[1], database, tokens)
                finally:
                    process.terminate()
                    status = process.wait(STOP_SECONDS)
                if status != 0 or len(addresses) < 2:
                    *_, last = ["it said nothing", *log.read_text(errors="replace").splitlines()]
                    if status == REFUSED_STATUS and not addresses:
                        raise MalformedError(last.removeprefix("evilpegs: ").replace(" in evilpegs.toml", "", 1))
                    raise EvilpegsError(f"the server ended with status {status}: {last}")
        finally:
            guard.kill()


@contextmanager
def _own_tokens(server: str, tokens: Path) -> Iterator[None]:
    if tokens.exists():  # of an earlier run, when it had another port
        TokenFile(tokens).move_all(server)
    # in the environment, so that bots in processes that are started from here find the file too
    os.environ[token_variable(server)] = str(tokens)
    try:
        yield
    finally:
        os.environ.pop(token_variable(server), None)


def _open_folder(data: str | Path) -> Path:
    require(data, str | Path, "the name of a folder", "one for the data of the server, or leave it out")
    try:
        Path(data).mkdir(parents=True, exist_ok=True)
        return Path(data).resolve()
    except (OSError, ValueError) as error:
        what = f"cannot use the folder {quoted(str(data), 200)}: {failure_reason(error)}"
        raise MalformedError(f"{what}; name another", arguments=("data",)) from None


def _settings(ladders: Ladders | str | Path | None, mqtt: str | None, registration: str) -> str:
    require(registration, str, "a registration", "'open' or 'closed'")
    require(mqtt, str | None, "the address of a broker", "one like 'mqtt://HOST:PORT', or leave it out")
    lines = [f"registration = {_value(registration)}", *([] if mqtt is None else [f"mqtt = {_value(mqtt)}"])]
    for id_, ladder in _read_ladders(ladders).items():
        require(ladder, Mapping, "a ladder", "a mapping such as {'rules': '4x6', 'codemaker': 'fixed', ...}")
        lines.append(f"[ladders.{_value(id_)}]")
        lines += [f"{_value(key)} = {_value(value)}" for key, value in ladder.items()]
    return "\n".join(lines)


def _read_ladders(ladders: Ladders | str | Path | None) -> Ladders:
    require(ladders, Mapping | str | Path | None, "ladders", "a mapping of ids to ladders, or the name of a TOML file")
    if not isinstance(ladders, str | Path):
        return ladders or {}
    try:
        written = tomllib.loads(read_text(Path(ladders))).get("ladders")
    except (OSError, ValueError) as error:  # TOMLDecodeError among them
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise MalformedError(f"cannot read ladders from {quoted(str(ladders), 200)}: {why}") from None
    if not isinstance(written, dict):
        raise MalformedError(f"{quoted(str(ladders), 200)} has no ladders; write a table like [ladders.friday]")
    return written


def _value(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    require(value, str | int, "a value of a setting", "a text, a whole number, True, False or a datetime")
    return json.dumps(value)  # which TOML writes in the same way
