"""`evilpegs serve`: the match server, the address it reports, and its log on standard error."""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

import structlog
from cyclopts import Parameter
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import Processor

from evilpegs.database import server_settings
from evilpegs.options import WHOLE
from evilpegs_server.hosts import is_loopback
from evilpegs_server.server import RunningServer, serve_until_stopped
from evilpegs_server.settings import Settings

_OUTSIDE: Final[Mapping[str, tuple[socket.AddressFamily, str]]] = MappingProxyType(
    {
        "0.0.0.0": (socket.AF_INET, "192.0.2.1"),  # noqa: S104 - recognized, not bound
        "::": (socket.AF_INET6, "2001:db8::1"),
    }
)
"""For each address that means all interfaces, an outside address reserved for documentation, where nothing is."""
_LEVEL_AND_TIME: Final[tuple[Processor, ...]] = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def serve(
    *,
    host: Annotated[
        str | None, Parameter(help="The address to listen on, by default 127.0.0.1; 0.0.0.0 lets other machines in.")
    ] = None,
    port: Annotated[int | None, WHOLE, Parameter(help="The port, by default 8765; 0 takes any that is free.")] = None,
    site: Annotated[
        bool | None,
        Parameter(negative="--no-site", show_default=False, help="Whether to serve the HTTP API; by default it is."),
    ] = None,
    site_port: Annotated[
        int | None, WHOLE, Parameter(help="The port of the HTTP API, by default 8000; 0 takes any that is free.")
    ] = None,
    mqtt: Annotated[
        str | None,
        Parameter(help="Publish events as they happen to this MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT."),
    ] = None,
    database: Annotated[
        str | None, Parameter(help="Where everything is kept, sqlite:///FILE; by default in the user data directory.")
    ] = None,
    tls_cert: Annotated[
        Path | None, Parameter(help="The certificate chain of this server in PEM; clients then connect to wss://.")
    ] = None,
    tls_key: Annotated[
        Path | None, Parameter(help="The key of the certificate in PEM, unless it is in the same file.")
    ] = None,
    registration: Annotated[
        Literal["open", "closed"] | None, Parameter(help="Whether new names can be claimed; by default open.")
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
    )
    log = configure_logging(settings.log_level)
    dangers = find_dangers(settings, is_root=os.geteuid() == 0)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve_until_stopped(settings, log, partial(_announce, dangers, log)))


def find_dangers(settings: Settings, *, is_root: bool) -> list[str]:
    """Return what is dangerous about running a server with these settings, in one line each."""
    dangers = []
    is_secure = settings.tls_cert is not None or (settings.site_url or "").startswith("https:")
    if not is_secure and not is_loopback(settings.host):
        dangers.append("tokens travel in clear and can be read on the way; use --tls-cert, or a proxy with TLS")
    if is_root:
        dangers.append("the server runs as root; run it as a user who owns nothing but the database")
    return dangers


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the function that creates uvloop's event loops, None if uvloop is not installed."""
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
    """Return the lines printed once the server listens: its address, its database, and commands that reach it."""
    reachable = replace(server, host=reachable_host(server.host))
    url, site = reachable.url, reachable.site_url
    lines = [
        f"listening on {url}",
        *([] if site is None else [f"the site is {site}"]),
        f"the database is {server.database}",
        f"start a bot:  evilpegs bot minimax --server {url}",
        f"play:         evilpegs play --server {url}",
        "stop with Ctrl-C",
    ]
    return "\n".join(lines)


def reachable_host(bound: str) -> str:
    """Return the host at which others reach a server bound to ``bound``; this machine's name without a route."""
    if bound not in _OUTSIDE:
        return bound
    return _local_address(*_OUTSIDE[bound]) or socket.gethostname()


def _local_address(family: socket.AddressFamily, outside: str) -> str | None:
    """Return this machine's address on the route to ``outside``. Connecting a datagram socket sends nothing."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((outside, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def configure_logging(level: str) -> BoundLogger:
    """Send log lines from ``level`` on, and warnings of libraries, to standard error; return the logger to use.

    Lines are plain text on a terminal and JSON elsewhere. Tracebacks do not show local variables, which may be secrets.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        ProcessorFormatter(foreign_pre_chain=_LEVEL_AND_TIME, processors=_renderers(sys.stderr.isatty()))
    )
    handler.addFilter(_is_relevant)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    ours = logging.getLogger("evilpegs")
    ours.setLevel(level.upper())
    logger: BoundLogger = structlog.wrap_logger(
        ours,
        processors=[structlog.stdlib.filter_by_level, *_LEVEL_AND_TIME, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return logger


def _renderers(on_terminal: bool) -> list[Processor]:
    if on_terminal:
        plain = structlog.dev.plain_traceback
        renderers: list[Processor] = [structlog.dev.ConsoleRenderer(exception_formatter=plain)]
    else:
        renderers = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [ProcessorFormatter.remove_processors_meta, *renderers]


def _is_relevant(record: logging.LogRecord) -> bool:
    """Return False for connections of strangers that do not speak WebSocket."""
    return record.msg != "opening handshake failed"
