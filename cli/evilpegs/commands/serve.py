"""`evilpegs serve`: the match server."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from evilpegs.options import WHOLE

if TYPE_CHECKING:
    import asyncio

    from evilpegs_server.service import RunningServer


def serve(
    *,
    host: Annotated[
        str | None, Parameter(help="The address to listen on, by default 127.0.0.1; 0.0.0.0 lets other machines in.")
    ] = None,
    port: Annotated[int | None, WHOLE, Parameter(help="The port, by default 8765; 0 takes any that is free.")] = None,
    database: Annotated[
        str | None, Parameter(help="Where everything is kept, sqlite:///FILE; by default in the user data directory.")
    ] = None,
    registration: Annotated[
        Literal["open", "closed"] | None, Parameter(help="Whether new names can be claimed; by default open.")
    ] = None,
) -> None:
    """Run a match server until Ctrl-C or SIGTERM.

    Options not given are taken from the environment (EVILPEGS_HOST, EVILPEGS_PORT, EVILPEGS_DATABASE,
    EVILPEGS_REGISTRATION), then from evilpegs.toml in the current directory. A server started again on the same
    database goes on with the matches that were not over.
    """
    import asyncio

    from evilpegs.logs import configure_logging
    from evilpegs.server_settings import server_settings
    from evilpegs_server.service import serve_until_stopped

    settings = server_settings(host=host, port=port, database=database, registration=registration)
    log = configure_logging(settings.log_level)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve_until_stopped(settings, log, _announce))


def _loop_factory() -> "Callable[[], asyncio.AbstractEventLoop] | None":
    """The maker of uvloop's event loops where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _announce(server: "RunningServer") -> None:
    print(greeting(server), flush=True)  # noqa: T201


def greeting(server: "RunningServer") -> str:
    """Return the lines printed once the server listens: its address, its database, and commands that reach it."""
    from dataclasses import replace

    from evilpegs.addresses import reachable_host

    url = replace(server, host=reachable_host(server.host)).url
    lines = [
        f"listening on {url}",
        f"the database is {server.database}",
        f"start a bot:  evilpegs bot minimax --server {url}",
        f"play:         evilpegs play --server {url}",
        "stop with Ctrl-C",
    ]
    return "\n".join(lines)
