import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Protocol

import aiomqtt
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from evilpegs_protocol.broker import Broker

KEEPALIVE_SECONDS: Final = 20
ANSWER_SECONDS: Final = 30.0
"""The time for the broker to accept a connection or acknowledge a message."""
GOODBYE_SECONDS: Final = 0.5

# of a PUBLISH packet: kind 1, length 4, length of the topic 2, number of the message 2 bytes
_HEADER_BYTES: Final = 9
# without it, a message waits up to 40 ms for the TCP acknowledgment of the message before
_NO_DELAY: Final = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)
# the reason code of a disconnection that the broker has not explained
_UNSPECIFIED: Final = 128
_CUT: Final = "the connection was cut"
_LOGGER: Final = logging.getLogger("evilpegs.mqtt")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False  # the feed reports in its own words, once


class PublishRefusedError(aiomqtt.MqttError):
    """The broker does not accept a message; the connection stays open."""

    def __init__(self, topic: str, why: str, advice: str | None = None) -> None:
        super().__init__(f"{topic}: {why}")
        self.topic = topic
        self.why = why
        self.advice = advice
        """A remedy for the broker's administrator; None if the user may lack the right to publish."""


class SentMessage(Protocol):
    def is_published(self) -> bool:
        """Return True once the message was written to the socket, or left out."""
        ...


class _SkippedMessage:
    def is_published(self) -> bool:
        return True


class FeedClient(aiomqtt.Client):
    """An MQTT 5 client that can also queue messages at QoS 0 without waiting until each is written.

    `aiomqtt.Client.publish` costs a task and two iterations of the event loop per message, even at QoS 0. A busy server
    publishes thousands of events per second, so `send` hands them to the queue of paho, the library below aiomqtt.
    """

    def __init__(
        self,
        broker: Broker,
        identifier: str,
        will: aiomqtt.Will,
        on_refusal: Callable[[PublishRefusedError], None] = lambda _: None,
    ) -> None:
        super().__init__(
            broker.host,
            broker.port,
            username=broker.user,
            password=broker.password,
            logger=_LOGGER,
            identifier=identifier,
            protocol=aiomqtt.ProtocolVersion.V5,
            will=will,
            timeout=ANSWER_SECONDS,
            keepalive=KEEPALIVE_SECONDS,
            clean_start=True,
            tls_context=broker.tls_context(),
            socket_options=_NO_DELAY,
        )
        self._on_refusal = on_refusal
        self._largest_packet: int | None = None
        self._unacknowledged: dict[int, tuple[str, asyncio.Future[PublishRefusedError | None]]] = {}

    def send(self, topic: str, payload: str) -> SentMessage:
        """Queue a message at QoS 0; one that is too large for the broker is left out. Raises aiomqtt.MqttError."""
        try:
            self._check_size(topic, payload)
        except PublishRefusedError:
            # the broker would cut the connection
            return _SkippedMessage()
        sent = self._client.publish(topic, payload)
        if sent.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise aiomqtt.MqttError(_CUT)
        # after 65,535 messages the numbers repeat, and an acknowledgment could belong to either of two messages
        if sent.mid in self._unacknowledged:
            raise aiomqtt.MqttError("the broker does not acknowledge messages")
        return sent

    async def deliver(
        self,
        topic: str,
        payload: str | bytes,
        *,
        retain: bool = False,
        user_properties: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Publish at QoS 1 until acknowledged; raises PublishRefusedError, aiomqtt.MqttError or TimeoutError."""
        properties = _properties(user_properties)
        self._check_size(topic, payload, properties)
        # `aiomqtt.Client.publish` ignores the reason code of the acknowledgment, which may be a refusal, and uses
        # `asyncio.wait_for`, which can lose a cancellation in Python 3.11, so that the feed would not stop
        sent = self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        if sent.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise aiomqtt.MqttCodeError(sent.rc, "Could not publish message")
        acknowledged: asyncio.Future[PublishRefusedError | None] = asyncio.get_running_loop().create_future()
        self._unacknowledged[sent.mid] = topic, acknowledged
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                refused = await acknowledged
        finally:
            del self._unacknowledged[sent.mid]
        if refused is not None:
            raise refused

    async def wait_until_lost(self) -> None:
        """Raise `aiomqtt.MqttError` with the reason when the connection is lost."""
        async for _ in self.messages:
            pass  # nothing is subscribed

    async def close_socket(self) -> None:
        """Close the socket without a goodbye; the broker publishes the last will. Raises TimeoutError."""
        open_socket = self._client.socket()
        if isinstance(open_socket, socket.socket):
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            async with asyncio.timeout(GOODBYE_SECONDS):
                while self._client.socket() is not None:  # noqa: ASYNC110 - paho closes it when it reads the end
                    await asyncio.sleep(0.005)
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # known here, or asyncio would log it

    def _check_size(self, topic: str, payload: str | bytes, properties: Properties | None = None) -> None:
        if self._largest_packet is None:
            return
        packed = 1 if properties is None else len(properties.pack())  # type: ignore[no-untyped-call]
        octets = payload.encode() if isinstance(payload, str) else payload
        size = _HEADER_BYTES + len(topic.encode()) + packed + len(octets)
        if size > self._largest_packet:
            why = f"it has about {size} bytes, and the broker accepts {self._largest_packet}"
            refused = PublishRefusedError(topic, why, "raise the broker's limit, max_packet_size of mosquitto")
            self._on_refusal(refused)
            raise refused

    def _on_connect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Properties | None = None
    ) -> None:
        self._largest_packet = getattr(properties, "MaximumPacketSize", None)
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(
        self, client: Any, userdata: Any, flags: Any, reason_code: ReasonCode, properties: Properties | None = None
    ) -> None:
        if not self._connected.done():
            # aiomqtt would wait for the answer until its time limit
            self._connected.set_exception(aiomqtt.MqttError("the broker closed the connection before it answered"))
        elif reason_code == _UNSPECIFIED and not flags.is_disconnect_packet_from_server:
            self._note_cut()
        elif not self._connected.cancelled():  # aiomqtt would raise if the server stops before the broker has answered
            super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _note_cut(self) -> None:
        if not self._disconnected.done():
            self._disconnected.set_exception(aiomqtt.MqttError(_CUT))

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:  # noqa: ARG002
        # paho may call this on another thread
        self._loop.call_soon_threadsafe(self._watch_for_writing, client, sock)

    def _watch_for_writing(self, client: Any, sock: Any) -> None:
        # closed before the loop handles the call: aiomqtt would watch it, and the loop print a traceback
        if sock.fileno() >= 0:
            self._loop.add_writer(sock.fileno(), self._write, client)

    def _write(self, client: Any) -> None:
        try:
            client.loop_write()
        except Exception as error:  # noqa: BLE001 - the connection broke
            if not self._disconnected.done():
                self._disconnected.set_exception(error)

    def _on_publish(self, _client: Any, _userdata: Any, mid: int, reason_code: ReasonCode, _properties: Any) -> None:
        if mid not in self._unacknowledged:
            return
        topic, acknowledged = self._unacknowledged[mid]
        refused = PublishRefusedError(topic, str(reason_code)) if reason_code.is_failure else None
        if refused is not None:
            self._on_refusal(refused)  # at once: some brokers cut the connection next, which cancels the waiting task
        if not acknowledged.done():
            acknowledged.set_result(refused)


def _properties(user_properties: Sequence[tuple[str, str]]) -> Properties | None:
    if not user_properties:
        return None
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.UserProperty = list(user_properties)
    return properties


@asynccontextmanager
async def connected(client: FeedClient) -> AsyncIterator[None]:
    """Connect for the block, then say goodbye; after an error only close the socket. Raises aiomqtt.MqttError."""
    try:
        await client.__aenter__()
        yield
        with suppress(TimeoutError, aiomqtt.MqttError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await client.__aexit__(None, None, None)
    finally:
        with suppress(TimeoutError):
            await client.close_socket()
