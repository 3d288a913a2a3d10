"""`evilpegs serve`: a match server, with a greeting that names its addresses and with warnings of dangers."""

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from evilpegs.database import check_database_file, server_settings
from evilpegs.errors import CommandError
from evilpegs.kit.hosts import reachable_hosts
from evilpegs.kit.logs import configure_logging
from evilpegs.options import WHOLE, Host, LogForm, SitePort, TlsKey
from evilpegs_server.hosts import is_loopback
from evilpegs_server.server import RunningServer, serve_until_stopped
from evilpegs_server.settings import Settings, default_database
from evilpegs_server.storage.location import database_file, is_remote, shown_url
from evilpegs_server.work.interpreter import run_server


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

    run_server(serve_until_stopped(settings, log, announce))


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
