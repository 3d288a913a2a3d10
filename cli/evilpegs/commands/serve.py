"""`evilpegs serve`: a match server, with a greeting that names its addresses and with warnings of dangers."""

import asyncio
import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from structlog.stdlib import BoundLogger

from evilpegs.database import check_database_file, server_settings
from evilpegs.errors import CommandError
from evilpegs.machine_addresses import reachable_hosts
from evilpegs.options import WHOLE
from evilpegs.server_log import LogFormat, configure_logging
from evilpegs_server.hosts import is_loopback
from evilpegs_server.server import RunningServer, serve_until_stopped
from evilpegs_server.settings import Settings, default_database
from evilpegs_server.storage.location import database_file


def serve(
    *,
    host: Annotated[
        str | None, Parameter(help="The address to listen on, by default 127.0.0.1; 0.0.0.0 lets other machines in.")
    ] = None,
    port: Annotated[
        int | None, WHOLE, Parameter(help="The port for players, by default 8765; 0 picks a free port.")
    ] = None,
    site: Annotated[
        bool | None,
        Parameter(
            negative="--no-site",
            show_default=False,
            help="Serve the web page and the HTTP API; by default they are served.",
        ),
    ] = None,
    site_port: Annotated[
        int | None,
        WHOLE,
        Parameter(help="The port of the page and the HTTP API, by default 8000; 0 picks a free port."),
    ] = None,
    mqtt: Annotated[
        str | None,
        Parameter(help="Publish events as they happen to this MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT."),
    ] = None,
    database: Annotated[
        str | None,
        Parameter(help="The database of players and matches, sqlite:///FILE; by default in the user data directory."),
    ] = None,
    tls_cert: Annotated[
        Path | None, Parameter(help="The certificate chain of this server in PEM; clients then connect to wss://.")
    ] = None,
    tls_key: Annotated[
        Path | None, Parameter(help="The private key of the certificate in PEM, unless it is in the same file.")
    ] = None,
    registration: Annotated[
        Literal["open", "closed"] | None,
        Parameter(help="With open, anyone can claim a new name; with closed, nobody can. By default open."),
    ] = None,
    log_format: Annotated[
        LogFormat | None,
        Parameter(help="The form of the log on standard error; by default text on a terminal, else JSON."),
    ] = None,
) -> None:
    """Run a match server until Ctrl-C or SIGTERM.

    An option that is not given is taken from the environment (--port from EVILPEGS_PORT, and so on), then from
    evilpegs.toml in the current directory. A server started again on the same database continues the matches that
    were not over.
    """
    settings = server_settings(
        host=host,
        port=port,
        site=site,
        site_port=site_port,
        mqtt=mqtt,
        database=database,
        tls_cert=tls_cert,
        tls_key=tls_key,
        registration=registration,
        log_format=log_format,
    )
    _check_directory(settings.database)
    log = configure_logging(settings.log_level, settings.log_format)
    dangers = find_dangers(settings, is_root=os.geteuid() == 0)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve_until_stopped(settings, log, partial(_announce, dangers, log)))


def find_dangers(settings: Settings, *, is_root: bool) -> list[str]:
    """Return one line for each danger of running a server with these settings."""
    dangers = []
    is_secure = settings.tls_cert is not None or (settings.site_url or "").startswith("https:")
    if not is_secure and not is_loopback(settings.host):
        dangers.append("tokens travel in clear and can be read on the way; use --tls-cert, or a proxy with TLS")
    if is_root:
        dangers.append("the server runs as root; run it as a user who owns nothing but the database")
    return dangers


def _check_directory(url: str) -> None:
    check_database_file(url)
    directory = database_file(url).parent
    # the server creates the default directory; any other is probably mistyped, and a new database in it would make all
    # matches seem lost
    if url != default_database() and not directory.exists():
        raise CommandError(
            f"there is no directory {directory} for the database; "
            f"create it with: mkdir -p {shlex.quote(str(directory))}, or name another with --database sqlite:///FILE"
        )


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return None
    return uvloop.new_event_loop


def _announce(dangers: list[str], log: BoundLogger, server: RunningServer) -> None:
    print(greeting(server), flush=True)  # noqa: T201
    for danger in dangers:
        log.warning(danger)


def greeting(server: RunningServer) -> str:
    """Return the lines that are printed once the server listens."""
    # other machines most likely reach the server at the first
    first, *others = [replace(server, host=host) for host in reachable_hosts(server.host)]
    lines = [
        f"listening on {first.url}",
        *([] if first.site_url is None else [f"the site is {first.site_url}"]),
        *(_other_line(other, first) for other in others),
        f"the database is {server.database}",
        f"start a bot:  evilpegs bot minimax --server {first.url}",
        f"play:         evilpegs play --server {first.url}",
        "stop with Ctrl-C",
    ]
    return "\n".join(lines)


def _other_line(other: RunningServer, first: RunningServer) -> str:
    site = None if other.site_url == first.site_url else other.site_url
    return f"also at {other.url}" + ("" if site is None else f" and {site}")
