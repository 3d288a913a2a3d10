"""`evilpegs show`: the page, the HTTP API and the feed of a database without a game server."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from evilpegs.database import bring_up_to_date, check_database_file, server_settings
from evilpegs.kit.hosts import reachable_hosts
from evilpegs.kit.logs import configure_logging
from evilpegs.options import Database, Host, LogForm, SitePort, TlsKey
from evilpegs.signals import ended_in_order
from evilpegs_server.hosts import host_in_url
from evilpegs_server.show_server import show_until_stopped
from evilpegs_server.storage.copies.backup import readable_database
from evilpegs_server.storage.location import shown_url
from evilpegs_server.storage.server_key import key_path
from evilpegs_server.work.interpreter import run_server


def show(
    *,
    database: Database = None,
    host: Host = None,
    site_port: SitePort = None,
    mqtt: Annotated[
        str | None, Parameter(help="Publish events to this MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT.")
    ] = None,
    tls_cert: Annotated[Path | None, Parameter(help="The certificate chain of the site in PEM.")] = None,
    tls_key: TlsKey = None,
    log_format: LogForm = None,
) -> None:
    """Show the matches, players and leaderboards of a database in a browser until Ctrl-C or SIGTERM.

    Nobody can play, and nothing is written to the database, so it may be a copy, a backup, or the database of a server
    that runs. Results are derived into a file beside it; a database of an older version, or one in a folder where
    nothing can be written, is copied to a temporary directory first.
    """
    settings = server_settings(
        database=database,
        host=host,
        site=True,
        site_port=site_port,
        mqtt=mqtt,
        tls_cert=tls_cert,
        tls_key=tls_key,
        log_format=log_format,
    )
    check_database_file(settings.database)
    log = configure_logging(settings.log_level, settings.log_format)

    def announce(port: int) -> None:
        scheme = "http" if settings.tls_cert is None else "https"
        shown_host = reachable_hosts(settings.site_host or settings.host)[0]
        address = f"{scheme}://{host_in_url(shown_host)}:{port}/"
        print(f"showing {shown_url(settings.database)}\nthe site is {address}\nstop with Ctrl-C", flush=True)  # noqa: T201

    # only a broker that is named here: one of the settings is that of the server
    # a copy has no keys beside it, and is removed at every signal
    key = key_path(settings.database, settings.server_key)
    with ended_in_order(), readable_database(settings.database, log) as url:
        bring_up_to_date(url)  # here Ctrl-C ends it
        shown = settings.model_copy(update={"database": url, "server_key": key, "mqtt": mqtt})
        run_server(show_until_stopped(shown, log, announce))
