"""`evilpegs serve`: a match server, with a greeting that names its addresses and with warnings of dangers."""

import logging
import os
import re
import shlex
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final, Literal

import structlog
from cyclopts import Parameter
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

from evilpegs.database import check_database_file, server_settings
from evilpegs.errors import CommandError
from evilpegs.options import WHOLE
from evilpegs_clients.printable import printable
from evilpegs_server.hosts import is_loopback
from evilpegs_server.server import RunningServer, serve_until_stopped
from evilpegs_server.settings import Settings, default_database
from evilpegs_server.storage.location import database_file, is_remote, shown_url
from evilpegs_server.work.interpreter import run

LogFormat = Literal["text", "json"]
# of `evilpegs show` too
Host = Annotated[
    str | None, Parameter(help="The address to listen on, by default 127.0.0.1; 0.0.0.0 lets other machines in.")
]
SitePort = Annotated[
    int | None, WHOLE, Parameter(help="The port of the page and the HTTP API, by default 8000; 0 picks a free port.")
]
TlsKey = Annotated[
    Path | None, Parameter(help="The private key of the certificate in PEM, unless it is in the same file.")
]
LogForm = Annotated[
    LogFormat | None,
    Parameter(help="The form of the log on standard error; by default text on a terminal, else JSON."),
]


def serve(
    *,
    host: Host = None,
    port: Annotated[int | None, WHOLE] = None,
    site: Annotated[bool | None, Parameter(negative="--no-site")] = None,
    site_port: SitePort = None,
    mqtt: str | None = None,
    database: str | None = None,
    node: str | None = None,
    tls_cert: Path | None = None,
    tls_key: TlsKey = None,
    registration: Literal["open", "closed"] | None = None,
    log_format: LogForm = None,
) -> None:
    """Run a match server until Ctrl-C or SIGTERM.

    An option that is not given is taken from the environment (--port from EVILPEGS_PORT, and so on), then from
    evilpegs.toml in the current directory. A server started again on the same database continues the matches that
    were not over.

    Args:
        port: The port for players, by default 8765; 0 picks a free port.
        site: Serve the web page and the HTTP API; by default they are served.
        mqtt: Publish events as they happen to this MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT.
        database: The database of players and matches, sqlite:///FILE, by default in the user data directory, or
            postgresql://USER@HOST/NAME.
        node: The name of this server among those on one PostgreSQL database, by default this machine's.
        tls_cert: The certificate chain of this server in PEM; clients then connect to wss://.
        registration: With open, anyone can claim a new name; with closed, nobody can. By default open.
    """
    settings = server_settings(
        host=host,
        port=port,
        site=site,
        site_port=site_port,
        mqtt=mqtt,
        database=database,
        node=node,
        tls_cert=tls_cert,
        tls_key=tls_key,
        registration=registration,
        log_format=log_format,
    )
    _check_directory(settings.database)
    log = configure_logging(settings.log_level, settings.log_format)
    dangers = find_dangers(settings, is_root=os.geteuid() == 0)

    def announce(server: RunningServer) -> None:
        print(greeting(server, is_behind_proxy=bool(settings.trusted_proxies)), flush=True)  # noqa: T201
        for danger in dangers:
            log.warning(danger)

    run(serve_until_stopped(settings, log, announce))


def find_dangers(settings: Settings, *, is_root: bool) -> list[str]:
    dangers = []
    is_secure = settings.tls_cert is not None or (settings.site_url or "").startswith("https:")
    if not is_secure and not is_loopback(settings.host):
        dangers.append("tokens travel in clear and can be read on the way; use --tls-cert, or a proxy with TLS")
    if is_root:
        dangers.append("the server runs as root; run it as a user who owns nothing but the database")
    return dangers


def _check_directory(url: str) -> None:
    if is_remote(url):
        return
    check_database_file(url)
    directory = database_file(url).parent
    # the server creates the default directory; any other is probably mistyped, and a new database in it would make all
    # matches seem lost
    if url != default_database() and not directory.exists():
        raise CommandError(
            f"there is no directory {directory} for the database; "
            f"create it with: mkdir -p {shlex.quote(str(directory))}, or name another with --database sqlite:///FILE"
        )


def greeting(server: RunningServer, *, is_behind_proxy: bool = False) -> str:
    # other machines most likely reach the server at the first
    first, *others = [replace(server, host=host) for host in reachable_hosts(server.host)]
    outer = []
    if first.outer_url != first.url:
        outer = [f"players connect to {first.outer_url}"]
    elif is_behind_proxy:
        outer = ["players connect to the address of the proxy; the setting site_url makes it known here"]
    lines = [
        f"listening on {first.url}",
        *outer,
        *([] if first.site_url is None else [f"the site is {first.site_url}"]),
        *(
            f"also at {other.url}" + ("" if other.site_url == first.site_url else f" and {other.site_url}")
            for other in others
        ),
        f"the database is {shown_url(server.database)}",
        f"start a bot:  evilpegs bot minimax --server {first.outer_url}",
        f"play:         evilpegs play --server {first.outer_url}",
        "stop with Ctrl-C",
    ]
    return "\n".join(lines)


def configure_logging(level: str, log_format: LogFormat | None = None) -> BoundLogger:
    """Send log lines of at least ``level``, and warnings of libraries, to standard error; return the logger to use."""
    is_text = sys.stderr.isatty() if log_format is None else log_format == "text"
    renderers: list[Processor]
    if is_text:
        stamper = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False)
        lines = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR"),
            pad_event_to=0,  # because most messages end their line
            pad_level=False,
            exception_formatter=structlog.dev.plain_traceback,  # without local variables, which may be secrets
        )
        renderers = [_make_printable, lines]
    else:
        stamper = structlog.processors.TimeStamper(fmt="iso", utc=True)
        renderers = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    level_and_time: tuple[Processor, ...] = (structlog.stdlib.add_log_level, stamper)
    handler = logging.StreamHandler(sys.stderr)
    processors = [ProcessorFormatter.remove_processors_meta, *renderers]
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=level_and_time, processors=processors))
    # strangers cause these lines, with connections that do not speak WebSocket
    handler.addFilter(lambda record: record.msg != "opening handshake failed")
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("evilpegs_game").handlers.clear()  # which printed for commands without a log
    ours = logging.getLogger("evilpegs")
    ours.setLevel(level.upper())
    logger: BoundLogger = structlog.wrap_logger(
        ours,
        processors=[structlog.stdlib.filter_by_level, *level_and_time, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return logger


def _make_printable(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    # a path or a message may contain text from strangers, which a terminal could obey
    return {name: printable(value) if isinstance(value, str) else value for name, value in event.items()}


# The standard library has no list of a machine's addresses, and looking up its own name gives 127.0.1.1 on Debian. The
# kernel has the list: IPv4 among the routes in /proc/net/fib_trie, IPv6 in /proc/net/if_inet6. The address on the
# route to the outside comes first, because other machines are usually there. If the list cannot be read, only that
# address is known; without a route, only the name of this machine.

# addresses that mean all interfaces: family, and an address on no machine, because it is reserved for documentation
_OUTSIDE: Final = {
    "0.0.0.0": (socket.AF_INET, "192.0.2.1"),  # noqa: S104 - recognized, not bound
    "::": (socket.AF_INET6, "2001:db8::1"),
}
_IPV4_ROUTES: Final = Path("/proc/net/fib_trie")
_IPV4_ADDRESS: Final = re.compile(r"-- (\S+)\s+/32 host LOCAL")
_IPV6_ADDRESSES: Final = Path("/proc/net/if_inet6")


def reachable_hosts(bound: str) -> list[str]:
    """Return the hosts at which other machines reach a server, the most likely first; never empty."""
    if bound not in _OUTSIDE:
        return [bound]
    family, outside = _OUTSIDE[bound]
    addresses = dict.fromkeys([*address_on_route(family, outside), *interface_addresses(family)])
    useful = [
        str(address)
        for address in map(ip_address, addresses)
        if not (address.is_loopback or address.is_link_local or address.is_unspecified)
    ]
    return useful or [socket.gethostname()]


def address_on_route(family: socket.AddressFamily, outside: str) -> Iterator[str]:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # connecting a datagram socket sends nothing
            probe.connect((outside, 9))
            yield str(probe.getsockname()[0])
    except OSError:
        return


def interface_addresses(family: socket.AddressFamily) -> list[str]:
    try:
        if family == socket.AF_INET:
            return _IPV4_ADDRESS.findall(_IPV4_ROUTES.read_text())
        lines = _IPV6_ADDRESSES.read_text().splitlines()
        return [socket.inet_ntop(family, bytes.fromhex(line.split()[0])) for line in lines]
    except (OSError, ValueError):
        return []
