"""`evilpegs feed`: match events line by line, from a match server or an MQTT broker."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.kit.match_events import print_event, print_watched
from evilpegs.options import DEFAULT_SERVER, FILE, LADDER_ID, JsonLines, server_in_environment, to_server
from evilpegs.output import console
from evilpegs.reading import retry_policy
from evilpegs.signals import run_interruptibly
from evilpegs_clients.feed.watch_feed import MatchBook, Watched
from evilpegs_clients.printable import printable
from evilpegs_game.errors import quoted
from evilpegs_protocol.broker import Broker, BrokerUnusableError, load_broker, require_aiomqtt
from evilpegs_protocol.topics import ANY, FeedTopics, is_id

RETAINED_SECONDS: Final = 3.0  # after a subscription, a broker should have sent the messages that it retains


def feed(
    named: Annotated[str | None, LADDER_ID, Parameter(name="LADDER")] = None,
    /,
    *,
    ladder: Annotated[str | None, LADDER_ID] = None,
    mqtt: str | None = None,
    mqtt_user: str | None = None,
    mqtt_password_file: Annotated[Path | None, FILE, Parameter(env_var="EVILPEGS_MQTT_PASSWORD_FILE")] = None,
    mqtt_ca_file: Annotated[Path | None, FILE, Parameter(env_var="EVILPEGS_MQTT_CA_FILE")] = None,
    server: Annotated[str | None, Parameter(converter=to_server)] = None,
    as_json: JsonLines = False,
) -> None:
    """Print match events line by line, from a server or an MQTT broker.

    Without --mqtt, the events come from the match server. With --mqtt, they come from the broker to which
    `evilpegs serve --mqtt` publishes them. A lost connection is restored. Ctrl-C ends the command.

    Args:
        named: The id of a ladder; by default matches on every ladder are shown.
        ladder: The id of a ladder, as other commands take it.
        mqtt: Read from this MQTT broker, mqtt://HOST:PORT or mqtts://HOST:PORT; by default, if no --server is given,
            from the broker that EVILPEGS_MQTT names.
        mqtt_user: The user at the broker, if it wants one; by default the one in EVILPEGS_MQTT_USER.
        mqtt_password_file: The file with the password in its first line.
        mqtt_ca_file: The certificates to trust; by default the system's.
        server: Read from the server at ws://HOST:PORT/v1, or the first of several that answers; by default, if no
            broker is named, from the server that EVILPEGS_SERVER names, or else from one on this machine.
    """
    if None not in (named, ladder):
        raise CommandError(f"name one ladder: {printable(str(named))[:40]} or that of --ladder")
    ladder = named if ladder is None else ladder
    if server is not None and mqtt is not None:
        raise CommandError("name one source: --mqtt or --server")
    if server is None and mqtt is None:
        mqtt = _broker_in_environment()
    if mqtt is None and mqtt_user is not None:
        raise CommandError("--mqtt-user needs --mqtt")
    if mqtt is None:
        chosen = server or server_in_environment() or DEFAULT_SERVER
        run_interruptibly(print_watched(chosen, Watched(ladder=ladder), as_json))
        return
    if ladder is not None and not is_id(ladder):
        raise CommandError(f"not the id of a ladder: {quoted(ladder)}; see: evilpegs ladders")
    require_aiomqtt()
    user = os.environ.get("EVILPEGS_MQTT_USER") if mqtt_user is None else mqtt_user
    password = os.environ.get("EVILPEGS_MQTT_PASSWORD") if mqtt_password_file is None else None
    broker = load_broker(mqtt, user, password, mqtt_password_file, mqtt_ca_file)
    run_interruptibly(_print_published(broker, ladder, as_json))


def _broker_in_environment() -> str | None:
    url = os.environ.get("EVILPEGS_MQTT")
    try:
        if url is not None:
            load_broker(url)
    except BrokerUnusableError as error:
        raise CommandError(f"environment variable EVILPEGS_MQTT: {error}") from None
    return url


def _print_outage(line: str) -> None:
    console(sys.stderr).print(printable(line), soft_wrap=True)


async def _print_published(broker: Broker, ladder: str | None, as_json: bool) -> None:
    from evilpegs_clients.feed.broker_feed import follow_broker  # noqa: PLC0415 - needs the extra `mqtt`

    book, topics, is_known = MatchBook(), FeedTopics(ANY), ladder is None

    # a server publishes the open matches of each ladder that it offers as a retained message
    def expect_ladder() -> None:
        asyncio.get_running_loop().call_later(RETAINED_SECONDS, hint_at_missing_ladder)

    def hint_at_missing_ladder() -> None:
        nonlocal is_known
        if not is_known:
            is_known = True  # one hint is enough
            _print_outage(f"nothing is published for the ladder {ladder} at this broker; waiting")

    # the ladder of a match follows from its first event, from properties of a message, or from the list of open matches
    wanted = [topics.live(ladder or ANY), topics.event(ANY), topics.result(ANY)]
    async for message in follow_broker(broker, wanted, retry_policy(), _print_outage, expect_ladder):
        is_known = is_known or message.topic.ladder == ladder
        if message.topic.kind == "live":
            _introduce(message.topic.ladder or "", message.fields, book)
        elif (event := message.event()) is not None:
            properties = message.properties
            if "player" in properties and "ladder" in properties:
                book.introduce(event.match, properties["player"], properties["ladder"])
            if book.is_new(event) and (ladder is None or book.get(event.match).ladder == ladder):
                print_event(event, book, as_json)


def _introduce(ladder: str, document: dict[str, object], book: MatchBook) -> None:
    matches = document.get("matches")
    for listed in matches if isinstance(matches, list) else ():
        match listed:
            case {"match": str(match), "player": str(player)}:
                book.introduce(match, player, ladder)
