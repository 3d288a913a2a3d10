"""The command `evilpegs feed`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, Token

from evilpegs.commands.feed.follow import print_published, print_watched
from evilpegs.errors import CommandError
from evilpegs.interruptible import run_interruptibly
from evilpegs.options import DEFAULT_SERVER, FILE, to_server
from evilpegs_clients.feed.watch_feed import Watched
from evilpegs_game.errors import quoted
from evilpegs_protocol.broker import Broker, BrokerUnusableError, load_broker, require_aiomqtt
from evilpegs_protocol.feed_topics import is_id


# the value of an option that was typed, as opposed to one from an environment variable
class _Typed(str):
    __slots__ = ()


def _mark_typed(_: object, tokens: Sequence[Token]) -> str:
    (token,) = tokens
    return token.value if token.source == "env" else _Typed(token.value)


def _to_marked_server(target: object, tokens: Sequence[Token]) -> str:
    to_server(target, tokens)
    return _mark_typed(target, tokens)


def feed(
    ladder: Annotated[
        str | None, Parameter(help="The id of a ladder; by default matches on every ladder are shown.")
    ] = None,
    /,
    *,
    mqtt: Annotated[
        str | None,
        Parameter(
            env_var="EVILPEGS_MQTT",
            converter=_mark_typed,
            help="Read from this MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT.",
        ),
    ] = None,
    mqtt_user: Annotated[
        str | None,
        Parameter(env_var="EVILPEGS_MQTT_USER", converter=_mark_typed, help="The user at the broker, if it wants one."),
    ] = None,
    mqtt_password_file: Annotated[
        Path | None,
        FILE,
        Parameter(env_var="EVILPEGS_MQTT_PASSWORD_FILE", help="The file with the password in its first line."),
    ] = None,
    mqtt_ca_file: Annotated[
        Path | None,
        FILE,
        Parameter(env_var="EVILPEGS_MQTT_CA_FILE", help="The certificates to trust; by default the system's."),
    ] = None,
    server: Annotated[
        str,
        Parameter(
            env_var="EVILPEGS_SERVER", converter=_to_marked_server, help="The server's address, ws://HOST:PORT/v1."
        ),
    ] = DEFAULT_SERVER,
    board: Annotated[
        bool, Parameter(show_default=False, help="Keep the leaderboard on the screen; needs --mqtt.")
    ] = False,
    as_json: Annotated[
        bool, Parameter(name="--json", show_default=False, help="Print each event as one line of JSON.")
    ] = False,
) -> None:
    """Print match events line by line, from a server or an MQTT broker.

    Without --mqtt, the events come from the match server. With --mqtt, they come from the broker to which
    `evilpegs serve --mqtt` publishes them. A lost connection is restored. Ctrl-C ends the command.
    """
    mqtt = _choose_source(mqtt, server)
    if board and as_json:
        raise CommandError("--board is for people and --json for programs; choose one")
    if board and mqtt is None:
        raise CommandError("--board reads the leaderboard from a broker; name it with --mqtt mqtt://HOST:PORT")
    if mqtt is None and isinstance(mqtt_user, _Typed):
        raise CommandError("--mqtt-user needs --mqtt")
    if mqtt is None:
        run_interruptibly(print_watched(server, Watched(ladder=ladder), as_json))
        return
    if ladder is not None:
        _check_ladder(ladder)
    broker = _find_broker(mqtt, mqtt_user, mqtt_password_file, mqtt_ca_file)
    if board:
        from evilpegs.commands.feed.board import show_board  # noqa: PLC0415 - loads rich

        run_interruptibly(show_board(broker, ladder))
    else:
        run_interruptibly(print_published(broker, ladder, as_json))


def _choose_source(mqtt: str | None, server: str) -> str | None:
    if isinstance(server, _Typed):
        if isinstance(mqtt, _Typed):
            raise CommandError("--mqtt and --server name two sources; choose one")
        return None
    return mqtt


def _check_ladder(ladder: str) -> None:
    if not is_id(ladder):
        raise CommandError(f"not the id of a ladder: {quoted(ladder)}; see: evilpegs ladders")


def _find_broker(url: str, user: str | None, password_file: Path | None, ca_file: Path | None) -> Broker:
    require_aiomqtt()
    password = os.environ.get("EVILPEGS_MQTT_PASSWORD") if password_file is None else None
    try:
        load_broker(url)
    except BrokerUnusableError as error:
        if isinstance(url, _Typed):
            raise
        raise CommandError(f"environment variable EVILPEGS_MQTT: {error}") from None
    return load_broker(url, user, password, password_file, ca_file)
