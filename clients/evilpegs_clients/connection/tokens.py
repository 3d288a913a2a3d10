"""The tokens that prove a player's names, stored in a file that only its owner can read.

The file is JSON: for each server and each name, the issued tokens, newest first. Several are stored because servers
with different databases can use one address in turn, and a token is the only proof of a name. Each change is made under
a lock and replaces the whole file, so that programs do not lose each other's tokens.
"""

import json
import os
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final, Self
from urllib.parse import urlsplit

from filelock import lock_descriptor
from platformdirs import user_data_path
from pydantic import ConfigDict, TypeAdapter

from evilpegs_clients.errors import DamagedTokenFileError, TokenFileError
from evilpegs_protocol.files import make_private_folder, replace_file
from evilpegs_protocol.text_files import NotTextError, read_text

MAX_TOKENS: Final = 4
LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "::1")
_LOCAL: Final = re.compile(r"ws://(127\.0\.0\.1|localhost|\[::1\]):(?P<port>[0-9]+)")
_Servers = dict[str, dict[str, list[str]]]
_SERVERS: Final = TypeAdapter(_Servers, config=ConfigDict(strict=True))


def default_token_file(server: str = "") -> Path:
    """Return the file of the user, or that of a local server, which `token_variable` names."""
    own = os.environ.get(token_variable(server))
    return Path(own) if own else user_data_path("evilpegs") / "tokens.json"


def token_variable(server: str) -> str:
    """Return the variable of the environment that names the token file of a server on a port of this machine."""
    local = _LOCAL.match(server.strip())
    return f"EVILPEGS_TOKENS_{local['port'] if local else ''}"


class TokenFile:
    """The file at ``path``, which need not exist; every method raises TokenFileError if it cannot be used."""

    contents: ClassVar[str] = "tokens"
    remedy: ClassVar[str] = "and choose new names"

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, server: str, name: str) -> tuple[str, ...]:
        """Return the tokens, newest first; the loopback hosts share those of a port, those of ``server`` come first."""
        servers = self._load()
        same = [known for known in servers if known != server and _address(known) == _address(server)]
        tokens = [token for known in (server, *same) for token in servers.get(known, {}).get(name, ())]
        return tuple(dict.fromkeys(tokens))

    def servers_with(self, name: str) -> tuple[str, ...]:
        return tuple(server for server, names in self._load().items() if names.get(name))

    def names_at(self, server: str) -> list[str]:
        servers = self._load()
        same = [names for known, names in servers.items() if _address(known) == _address(server)]
        return sorted({name for names in same for name, tokens in names.items() if tokens})

    def add(self, server: str, name: str, token: str) -> None:
        """Store ``token`` as the newest, and drop the oldest beyond `MAX_TOKENS`."""
        with self._lock():
            servers = self._load()
            names = servers.setdefault(server, {})
            others = [known for known in names.get(name, []) if known != token]
            names[name] = [token, *others][:MAX_TOKENS]
            self._store(servers)

    def move_all(self, server: str) -> None:
        """Keep all tokens for ``server``, the new address of the one that issued them."""
        with self._lock():
            names = dict[str, list[str]]()
            for known in self._load().values():
                for name, tokens in known.items():
                    names[name] = [*tokens, *names.get(name, [])][:MAX_TOKENS]
            self._store({server: names})

    def check_writable(self) -> None:
        """Raise TokenFileError if a token could not be stored; call this before the server issues one."""
        with self._lock():
            self._load()

    def _store(self, servers: _Servers) -> None:
        replace_file(self.path.resolve(), json.dumps(servers, indent=1, sort_keys=True).encode())

    def _load(self) -> _Servers:
        try:
            if self.path.is_fifo():
                raise NotTextError("it is a pipe, not a file")  # to read it would wait for ever
            text = read_text(self.path)
            if self.path.stat().st_mode & 0o077:
                self.path.chmod(0o600)
        except FileNotFoundError:
            return {}
        except (OSError, NotTextError) as error:
            raise self._error("read", error) from error
        try:
            return _SERVERS.validate_json(text)
        except ValueError:
            raise DamagedTokenFileError(
                f"the file of {self.contents} {self.path} is damaged; fix it, or move it away {self.remedy}"
            ) from None

    @contextmanager
    def _lock(self) -> Iterator[None]:
        try:
            make_private_folder(self.path.parent)
            with self.path.with_name(self.path.name + ".lock").open("w") as lock:
                lock_descriptor(lock.fileno())
                yield
        except OSError as error:
            raise self._error("write", error) from error

    def _error(self, what: str, error: Exception) -> TokenFileError:
        why = f"{error.strerror}; set XDG_DATA_HOME to move it" if isinstance(error, OSError) else str(error)
        return TokenFileError(f"cannot {what} the file of {self.contents} {self.path}: {why}")


class ServerKeyFile(TokenFile):
    """The public keys of servers by name, apart: earlier versions refuse a token file with anything else."""

    contents: ClassVar[str] = "server keys"
    remedy: ClassVar[str] = "to trust the servers' keys again"

    @classmethod
    def beside(cls, tokens: TokenFile) -> Self:
        return cls(tokens.path.with_name(tokens.path.name + ".keys"))


@contextmanager
def sole_user(tokens: TokenFile, server: str, name: str | None) -> Iterator[bool]:
    """Hold the lock of ``name``, and yield whether it was free: its open matches may belong to another program."""
    if name is None:
        yield False
        return
    tokens.check_writable()
    # a byte of one file for each name; not of the lock of the tokens, which is taken meanwhile
    byte = int.from_bytes(sha256(f"{_address(server)} {name}".encode()).digest()[:7])
    with tokens.path.with_name(tokens.path.name + ".players.lock").open("w") as lock:
        yield _lock_byte(lock.fileno(), byte)


def _lock_byte(descriptor: int, byte: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - not on every system

        # a lock of the open file, unlike those of the process, which end when any descriptor of the file is closed
        request = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, request)
    except (ImportError, AttributeError):  # elsewhere one name at a time is known to be free
        return lock_descriptor(descriptor, blocking=False)
    except (BlockingIOError, PermissionError):  # the errors of a lock that another program holds
        return False
    return True


def _address(server: str) -> str:
    parts = urlsplit(server)
    if (parts.hostname or "") not in LOOPBACK_HOSTS:
        return server
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"{LOOPBACK_HOSTS[0]}{port}").geturl()
