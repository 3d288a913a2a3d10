"""What is wrong with a PostgreSQL database, in one line with what to do."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import psycopg

from evilpegs_server.storage.errors import DatabaseUnavailableError, DatabaseUnusableError

OLDEST: Final = 14
READ_ONLY: Final = "25006"
_LOST: Final = "check that PostgreSQL runs there and is reachable"
# by SQLSTATE, or the class that its first two characters name
_HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "53100": "free some space on its disk",
        "53200": "give PostgreSQL more memory",
        "53300": "raise its max_connections",
        "25P03": "this program stood still for seconds; the machine may be overloaded",
        READ_ONLY: "it is read-only; use the primary server, or make it writable",
        "55P03": "another program holds a lock; end that program",
        "57014": "another program holds a lock, or its disk is slow; look into pg_stat_activity",
        "42704": f"install PostgreSQL {OLDEST} or newer",
        "08P01": "connect to PostgreSQL itself, because a pooler of transactions loses what a session has set",
        "42501": "give the user the rights to read and write the tables",
        "28": "check the user and the password in the URL",
        "options": "check the options after ? in the URL",
        "3D000": "create it with createdb, then run evilpegs database upgrade",
        "08": _LOST,
        "57": _LOST,
        "57P03": "wait until it has started",
        "58": "check the disk of PostgreSQL",
    }
)
# what libpq says when it cannot connect, without a SQLSTATE
_REFUSALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unrecognized configuration parameter": "42704",
        "startup parameter": "08P01",
        "password": "28",
        'role "': "28",
        "pg_hba": "28",
        "does not exist": "3D000",
        "too many": "53300",
        "connection option": "options",
        "starting up": "57P03",
        "the database system": "57",
    }
)


class NodeReplacedError(DatabaseUnusableError):
    def __init__(self, node: str) -> None:
        super().__init__(f"another server runs as the node {node}; stop one of them, or give it another --node")


def explain_postgres(error: BaseException, name: str, *, is_cut: bool = False) -> DatabaseUnusableError | None:
    """Return the error that explains a failure of the whole database ``name``, or None for any other error.

    What cut the connection, ``is_cut``, is one whatever its state.
    """
    original = getattr(error, "orig", None) or error
    if not isinstance(original, psycopg.Error):
        return None
    state = original.sqlstate or next((code for text, code in _REFUSALS.items() if text in str(original)), "")
    hint = _HINTS.get(state) or _HINTS.get(state[:2])
    is_cut |= not state and isinstance(original, psycopg.OperationalError | psycopg.InterfaceError)
    if hint is None and not is_cut:
        return None
    reason = (str(original).strip().splitlines() or [type(original).__name__])[0]
    return DatabaseUnavailableError(f"the database {name} cannot be used now: {reason[:300]}; {hint or _LOST}")
