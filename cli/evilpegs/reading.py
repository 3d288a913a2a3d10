"""Functions for commands that read from a server, and the lines that report a cut or restored connection."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from evilpegs.errors import CommandError
from evilpegs.output import console, pluralize
from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.retry import RetryPolicy
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_clients.connection.session_events import (
    KeyChanged,
    Reconnected,
    Reconnecting,
    SessionEvent,
    key_change_line,
)
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_clients.printable import printable
from evilpegs_protocol.server_messages import ErrorCode, Notice


def retry_policy() -> RetryPolicy:
    """Return the policy of all commands for attempts to connect again: the default delays, with random jitter."""
    return RetryPolicy(Random())  # noqa: S311 - jitter


def server_reader(server: str) -> ServerReader:
    """Return a reader for the server at the address ``server``, which prints session events on standard error.

    Session events are, for example, that the connection is cut or restored.
    """
    return ServerReader(server, "evilpegs", retry_policy(), print_session_event)


@contextmanager
def explain_refusals(server: str, match: str | None) -> Iterator[None]:
    """During the block, replace the server's refusal of an unknown match by a CommandError that says what to do.

    ``server`` is the address of the server, and ``match`` is the id of the match that is requested, or None if no
    single match is requested. Other refusals are passed on.
    """
    try:
        yield
    except ServerRefusedError as error:
        if error.code is not ErrorCode.NOT_YOUR_MATCH or match is None:
            raise
        url = server_url(server)
        message = f"there is no match {match} on {url}; see the newest with: evilpegs replay last --server {url}"
        raise CommandError(message) from None


def session_line(event: SessionEvent) -> str | None:
    """Return the line of text that reports an event of a session, such as a cut connection, to a person.

    Return None for the second and later attempts to restore a connection.
    """
    match event:
        case Reconnecting():
            return f"{printable(event.why)}; trying to connect again" if event.attempt == 1 else None
        case Reconnected():
            return f"connected again after {pluralize(event.attempts, 'attempt')}"
        case KeyChanged():
            return key_change_line(event)
        case Notice():
            return f"the server says: {printable(event.message)}"


def print_session_event(event: SessionEvent) -> None:
    """Print the line that reports ``event`` on standard error, if `session_line` has one."""
    line = session_line(event)
    if line is not None:
        console(sys.stderr).print(line, soft_wrap=True)
