import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple

import aiomqtt
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from evilpegs_protocol.broker import Broker
from evilpegs_server.timing import Timing

KEEPALIVE_SECONDS: Final = 20

# of a PUBLISH packet: kind 1, length 4, length of the topic 2, number of the message 2 bytes
_HEADER_BYTES: Final = 9
_NO_PROPERTIES_BYTES: Final = 1
# without it, a message waits up to 40 ms for the TCP acknowledgment of the message before
_NO_DELAY: Final = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)
# the reason code of a disconnection that the broker has not explained
_UNSPECIFIED: Final = 128
_CUT: Final = "the connection was cut"
_LOGGER: Final = logging.getLogger("evilpegs.mqtt")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False  # the feed reports in its own words, once


class Delivery(NamedTuple):
    topic: str
    payload: bytes
    is_retained: bool = False
    properties: tuple[tuple[str, str], ...] = ()


class RefusedMessage(NamedTuple):
    """A message that the broker does not accept; the connection stays open."""

    topic: str
    why: str
    advice: str | None = None
    """A remedy for the broker's administrator; None if the user may lack the right to publish."""


class FeedClient(aiomqtt.Client):
    """An MQTT 5 client that says what the broker refuses, and need not wait for each message.

    The methods of `aiomqtt.Client` ignore the reason code of an acknowledgment, which may be a refusal, and use
    `asyncio.wait_for`, which can lose a cancellation in Python 3.11, so that the feed would not stop.
    """

    def __init__(
        self,
        broker: Broker,
        identifier: str,
        will: aiomqtt.Will,
        on_refusal: Callable[[RefusedMessage], None],
        timing: Timing,
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
            timeout=timing.answer_seconds,
            keepalive=KEEPALIVE_SECONDS,
            clean_start=True,
            tls_context=broker.tls_context(),
            socket_options=_NO_DELAY,
        )
        self._on_refusal, self.goodbye_seconds = on_refusal, timing.goodbye_seconds
        self._largest_packet: int | None = None
        self._unanswered: dict[int, tuple[str, asyncio.Future[bool]]] = {}
        self._posted = 0
        self._watch_answers()

    def send(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 0, in the order of calls, unless the broker accepts no message that large."""
        if not self._is_too_large(topic, len(payload) + _NO_PROPERTIES_BYTES):
            self._check(self._client.publish(topic, payload).rc)

    def post(self, message: Delivery) -> asyncio.Future[bool]:
        """Publish at QoS 1; the result is whether the broker accepts. Raises aiomqtt.MqttError."""
        topic, payload, is_retained, user_properties = message
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.UserProperty = list(user_properties)
        if self._is_too_large(topic, len(payload) + len(properties.pack())):  # type: ignore[no-untyped-call]
            refused: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            refused.set_result(False)
            return refused
        self._posted += 1
        self._watch_answers()
        sent = self._client.publish(topic, payload, qos=1, retain=is_retained, properties=properties)
        self._check(sent.rc)
        return self._await_answer(sent.mid, topic)

    def _watch_answers(self) -> None:
        # paho would call at QoS 0 too, with objects that take longer to make than everything else of a message
        self._client.on_publish = self._on_publish if self._posted else None

    async def confirm(self) -> None:
        """Wait until the broker has read all that was sent. Raises aiomqtt.MqttError or TimeoutError."""
        # nothing is subscribed: the request has no effect but its answer, where a message would reach subscribers
        error, number = self._client.unsubscribe("evilpegs")
        self._check(error)
        await self.answer_of(self._await_answer(number or 0, "evilpegs"))

    async def deliver(self, message: Delivery) -> bool:
        """Publish, and return whether the broker accepts. Raises aiomqtt.MqttError or TimeoutError."""
        return await self.answer_of(self.post(message))

    async def answer_of(self, posted: asyncio.Future[bool]) -> bool:
        """Wait for the answer to a posted message; raises TimeoutError."""
        async with asyncio.timeout(self.timeout):
            return await posted

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
            async with asyncio.timeout(self.goodbye_seconds):
                while self._client.socket() is not None:  # noqa: ASYNC110 - paho closes it when it reads the end
                    await asyncio.sleep(0.005)
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # known here, or asyncio would log it

    def _check(self, error: MQTTErrorCode) -> None:
        if error != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise aiomqtt.MqttError(_CUT)

    def _await_answer(self, number: int, topic: str) -> asyncio.Future[bool]:
        answered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._unanswered[number] = topic, answered
        return answered

    def _is_too_large(self, topic: str, rest: int) -> bool:
        # the broker would cut the connection
        size = _HEADER_BYTES + len(topic.encode()) + rest
        if self._largest_packet is None or size <= self._largest_packet:
            return False
        why = f"it has about {size} bytes, and the broker accepts {self._largest_packet}"
        self._on_refusal(RefusedMessage(topic, why, "raise the broker's limit, max_packet_size of mosquitto"))
        return True

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
            _fail(self._connected, aiomqtt.MqttError("the broker closed the connection before it answered"))
        elif reason_code == _UNSPECIFIED and not flags.is_disconnect_packet_from_server:
            _fail(self._disconnected, aiomqtt.MqttError(_CUT))
        elif not self._connected.cancelled():  # aiomqtt would raise if the server stops before the broker has answered
            super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:  # noqa: ARG002
        # paho may call this on another thread
        self._loop.call_soon_threadsafe(self._watch_for_writing, client, sock)

    def _watch_for_writing(self, client: Any, sock: Any) -> None:
        # closed before the loop handles the call: aiomqtt would watch it, and the loop print a traceback; paho may have
        # let go of it even before its call, and gives None
        if sock is not None and sock.fileno() >= 0:
            self._loop.add_writer(sock.fileno(), self._write, client)

    def _write(self, client: Any) -> None:
        try:
            client.loop_write()
        except Exception as error:  # noqa: BLE001 - the connection broke
            _fail(self._disconnected, error)

    def _on_publish(self, _client: Any, _userdata: Any, mid: int, reason_code: ReasonCode, _properties: Any) -> None:
        if mid not in self._unanswered:
            return
        topic, answered = self._unanswered.pop(mid)
        self._posted -= 1
        self._watch_answers()
        if reason_code.is_failure:
            # at once: some brokers cut the connection next, which cancels the waiting task
            self._on_refusal(RefusedMessage(topic, str(reason_code)))
        if not answered.done():
            answered.set_result(not reason_code.is_failure)

    def _on_unsubscribe(self, _client: Any, _userdata: Any, mid: int, _codes: Any, _properties: Any = None) -> None:
        _, answered = self._unanswered.pop(mid)
        if not answered.done():
            answered.set_result(True)


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # known, or asyncio would log it if nobody waits any more


@asynccontextmanager
async def connected(client: FeedClient) -> AsyncIterator[None]:
    """Connect for the block, then say goodbye; after an error only close the socket. Raises aiomqtt.MqttError."""
    try:
        await client.__aenter__()
        yield
        with suppress(TimeoutError, aiomqtt.MqttError):
            async with asyncio.timeout(client.goodbye_seconds):
                await client.__aexit__(None, None, None)
    finally:
        with suppress(TimeoutError):
            await client.close_socket()
