"""The feed of an MQTT broker: every message of the subscribed topics, even after a lost connection was restored."""

import logging
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import aiomqtt
import orjson

from evilpegs_clients.connection.retry import RetryPolicy
from evilpegs_clients.errors import ServerUnreachableError, UnreachableReason
from evilpegs_protocol.broker import Broker
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.feed_topics import ParsedTopic, parse_topic
from evilpegs_protocol.server_messages import RecordEvent

ANSWER_SECONDS: Final = 10.0
"""The longest time to wait for an answer from the broker, in seconds."""
KEEPALIVE_SECONDS: Final = 20
MAX_PAYLOAD: Final = 4 << 20
"""The longest payload that is read, in bytes; messages with a longer payload are ignored."""

_LOGGER: Final = logging.getLogger("evilpegs.mqtt")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False


@dataclass(frozen=True, slots=True)
class FeedMessage:
    """A message of the feed: its parsed topic, the JSON object of its payload, and its MQTT user properties.

    ``retained`` is True if the broker had stored the message before the subscription.
    """

    topic: ParsedTopic
    fields: dict[str, Any]
    properties: dict[str, str]
    retained: bool

    def event(self) -> RecordEvent | None:
        """Return the event that this message contains, or None if it contains none.

        The result is also None if the event belongs to another match than the topic, or if the topic is not one of
        events or results.
        """
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
    on_outage: Callable[[str], None],
    on_subscribed: Callable[[], None] = lambda: None,
) -> AsyncIterator[FeedMessage]:
    """Yield the messages of the feed on ``topics``, without end, and connect again after each lost connection.

    ``topics`` are MQTT topics, which may contain wildcards. When a connection is lost, ``on_outage`` is called once
    with a text that says why. ``on_subscribed`` is called after each connection and subscription, before any of its
    messages is yielded. Messages that do not have the form of the feed are left out, because anybody may publish on a
    broker.

    Raises:
        ServerUnreachableError: the first connection failed.
    """
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
            why = f"no connection to the MQTT broker at {broker.address}: {_reason(error)}"
            if not was_connected:
                raise _first_failure(broker, error, why) from None
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
    return ServerUnreachableError(f"{why}; check the address, the user and the password", UnreachableReason.NETWORK)


def _endless(retry_policy: RetryPolicy) -> Iterator[float]:
    while True:
        yield from retry_policy.delays()


def _read(message: aiomqtt.Message) -> FeedMessage | None:
    topic = parse_topic(message.topic.value)
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
    return FeedMessage(topic, fields, properties, bool(message.retain))


def _reason(error: BaseException) -> str:
    return re.sub(r"^\[Errno \d+\] ", "", str(error).partition("\n")[0])
