"""The tokens that prove one's names, kept in a file that only its owner can read.

The file is JSON: for each server, for each name, the tokens issued, the newest first. More than one is
kept because servers can take turns at one address (one database today, another tomorrow), and a token is the
only proof of a name. Programs that run at the same time do not lose each other's tokens: each change is made
under a lock and replaces the file as a whole.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from evilpegs_clients.errors import DamagedTokenFileError, TokenFileError
from evilpegs_protocol.files import replace_file

MOST_KEPT: Final = 4
_Kept = dict[str, dict[str, list[str]]]


def default_token_file() -> Path:
    """Where tokens are kept if nobody says otherwise: in the user's data directory."""
    return user_data_path("evilpegs") / "tokens.json"


class TokenFile:
    """A file of tokens; every method raises TokenFileError with one line where the file will not do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def kept(self, server: str, name: str) -> tuple[str, ...]:
        """The tokens for that name on that server, the newest first; most often one or none."""
        return tuple(self._load().get(server, {}).get(name, ()))

    def keep(self, server: str, name: str, token: str) -> None:
        """Add a token, ahead of those already there."""
        with self._locked():
            kept = self._load()
            names = kept.setdefault(server, {})
            others = [known for known in names.get(name, []) if known != token]
            names[name] = [token, *others][:MOST_KEPT]
            self._save(kept)

    def check_writable(self) -> None:
        """Find out whether a token could be kept, before one is issued."""
        with self._locked():
            self._load()

    def _load(self) -> _Kept:
        try:
            text = self.path.read_text()
            self._close_to_others()
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise self._failed("read", error) from error
        try:
            return _checked(json.loads(text))
        except (ValueError, RecursionError):
            message = f"the file of tokens {self.path} is damaged; mend it, or move it away and choose new names"
            raise DamagedTokenFileError(message) from None

    def _close_to_others(self) -> None:
        if self.path.stat().st_mode & 0o077:
            self.path.chmod(0o600)

    def _save(self, kept: _Kept) -> None:
        replace_file(self.path.resolve(), json.dumps(kept, indent=1, sort_keys=True).encode())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.with_name(self.path.name + ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise self._failed("write", error) from error

    def _failed(self, what: str, error: Exception) -> TokenFileError:
        why = getattr(error, "strerror", None) or "it is not text"
        return TokenFileError(f"cannot {what} the file of tokens {self.path}: {why}; set XDG_DATA_HOME to move it")


@contextmanager
def sole_user(tokens: TokenFile, server: str, name: str | None) -> Iterator[bool]:
    """Whether, while the block lasts, no other program plays on that server under that name.

    One that is alone may finish the matches it finds open; another's would be taken from under its hands. Programs
    know of each other by locks beside the file of tokens, which stay there: who waits for one that was removed would
    hold another file than who comes next. Of guests, who have no name, this is never true.
    """
    if name is None:
        yield False
        return
    tokens.check_writable()
    digest = sha256(f"{server} {name}".encode()).hexdigest()[:16]
    path = tokens.path.with_name(f"{tokens.path.name}.{digest}.lock")
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _checked(value: Any) -> _Kept:
    if not isinstance(value, dict) or not all(map(_is_names, value.values())):
        message = "not servers with names with tokens"
        raise ValueError(message)
    return value


def _is_names(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(tokens, list) and all(isinstance(token, str) for token in tokens) for tokens in value.values()
    )
