"""The feed of an MQTT broker: every message of the subscribed topics, even after a lost connection was restored."""

import logging
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import aiomqtt
import orjson

from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.errors import ServerUnreachableError, UnreachableReason
from evilpegs_protocol.broker import Broker
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_protocol.topics import ParsedTopic, parse_topic

ANSWER_SECONDS: Final = 10.0
KEEPALIVE_SECONDS: Final = 20
MAX_PAYLOAD: Final = 4 << 20  # in bytes; messages with a longer payload are ignored

_LOGGER: Final = logging.getLogger("evilpegs.mqtt")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False


@dataclass(frozen=True, slots=True)
class FeedMessage:
    topic: ParsedTopic
    fields: dict[str, Any]
    properties: dict[str, str]

    def event(self) -> RecordEvent | None:
        """Return the event of the message; None if it has none, or one of another match than the topic."""
        if self.topic.kind not in {"event", "result"}:
            return None
        try:
            event = decode_record_event(orjson.dumps(self.fields).decode())
        except (CodecError, orjson.JSONEncodeError):  # JSON that is nested too deeply can be read, but not written
            return None
        return event if event.match == self.topic.match else None


async def follow_broker(
    broker: Broker,
    topics: Sequence[str],
    retry_policy: RetryPolicy,
    on_outage: Callable[[str], None],  # gets the reason, once per outage
    on_subscribed: Callable[[], None] = lambda: None,  # before any message of a connection
) -> AsyncIterator[FeedMessage]:
    """Yield the messages on ``topics`` over all outages but a first one. Raises ServerUnreachableError."""
    delays, was_connected, is_out = _endless(retry_policy), False, False
    while True:
        try:
            async with _client(broker) as client:
                await client.subscribe([(topic, 1) for topic in topics])
                delays, was_connected, is_out = _endless(retry_policy), True, False
                on_subscribed()
                async for message in client.messages:
                    if (read := _read(message)) is not None:
                        yield read
        except aiomqtt.MqttError as error:
            reason = re.sub(r"^\[Errno \d+\] ", "", str(error).partition("\n")[0])
            why = f"no connection to the MQTT broker at {broker.address}: {reason}"
            if not was_connected:
                hint = await broker.tls_hint() or "; check the address, the user and the password"
                raise _first_failure(broker, error, why + hint) from None
            if not is_out:
                on_outage(f"{why}; trying again")
            is_out = True
        await retry_policy.sleep(next(delays))


def _client(broker: Broker) -> aiomqtt.Client:
    return aiomqtt.Client(
        broker.host,
        broker.port,
        username=broker.user,
        password=broker.password,
        logger=_LOGGER,
        protocol=aiomqtt.ProtocolVersion.V5,
        timeout=ANSWER_SECONDS,
        keepalive=KEEPALIVE_SECONDS,
        tls_context=broker.tls_context(),
    )


def _first_failure(broker: Broker, error: aiomqtt.MqttError, why: str) -> ServerUnreachableError:
    if isinstance(error.__context__, socket.gaierror):
        return ServerUnreachableError(f"there is no host {broker.host!r}; check --mqtt", UnreachableReason.HOST)
    return ServerUnreachableError(why, UnreachableReason.NETWORK)


def _endless(retry_policy: RetryPolicy) -> Iterator[float]:
    while True:
        yield from retry_policy.delays()


def _read(message: aiomqtt.Message) -> FeedMessage | None:
    topic = parse_topic(message.topic.value)
    # anybody may publish on a broker, so that messages without the form of the feed are left out
    payload = message.payload
    if topic is None or len(payload) > MAX_PAYLOAD:
        return None
    try:
        fields = orjson.loads(payload)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(fields, dict):
        return None
    properties = dict(getattr(message.properties, "UserProperty", ()))
    return FeedMessage(topic, fields, properties)
