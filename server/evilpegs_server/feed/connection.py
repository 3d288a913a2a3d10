"""The connection to the broker: a client whose live events never wait, and the one place that connects again."""

import asyncio
import logging
import math
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

import aiomqtt
from paho.mqtt.client import MQTTMessageInfo
from paho.mqtt.properties import Properties
from structlog.stdlib import BoundLogger

from evilpegs_protocol.broker import Broker

KEEPALIVE_SECONDS: Final = 20
"""The silence after which each side asks whether the other is still there."""
ANSWER_SECONDS: Final = 30.0
"""The time that the broker has to accept the connection or to acknowledge a message."""
GOODBYE_SECONDS: Final = 1.0
"""The time that a goodbye may take before the socket is closed without one."""
MAX_PENDING: Final = 200
"""The number of messages that may await their acknowledgment before aiomqtt finds it worth a warning."""
STABLE_SECONDS: Final = 10.0
"""A connection that lasts so long begins a new series of delays when it is lost."""

_NO_DELAY: Final = ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),)
"""Without this, a small message waits up to 40 milliseconds for the acknowledgment of the one before."""
_LOGGER: Final = logging.getLogger("evilpegs.mqtt")
_LOGGER.addHandler(logging.NullHandler())
_LOGGER.propagate = False  # the feed reports in its own words, once


class FeedClient(aiomqtt.Client):
    """An MQTT 5 client that can also queue messages of QoS 0 without waiting until each is written.

    `aiomqtt.Client.publish` costs a task and two iterations of the event loop per message, also at QoS 0. A busy server
    publishes thousands of events per second, so `send` hands them to the queue of paho, the library below aiomqtt.
    """

    def __init__(self, broker: Broker, identifier: str, will: aiomqtt.Will) -> None:
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
            tls_context=broker.tls,
            socket_options=_NO_DELAY,
        )
        self.pending_calls_threshold = MAX_PENDING

    def send(self, topic: str, payload: str) -> MQTTMessageInfo:
        """Queue a message of QoS 0, and return a handle that says whether it was written to the socket."""
        return self._client.publish(topic, payload)

    async def deliver(
        self, topic: str, payload: str | bytes, *, retain: bool = False, properties: Properties | None = None
    ) -> None:
        """Publish a message of QoS 1 and wait until the broker has acknowledged it.

        The time limit is not that of aiomqtt, which uses `asyncio.wait_for`. In Python 3.11 that function can swallow a
        cancellation, and the publisher would not stop.

        Raises:
            aiomqtt.MqttError: the message cannot be sent.
            TimeoutError: the broker does not answer.
        """
        async with asyncio.timeout(ANSWER_SECONDS):
            await self.publish(topic, payload, qos=1, retain=retain, properties=properties, timeout=math.inf)

    async def wait_until_lost(self) -> None:
        """Wait until the connection is lost, and raise `aiomqtt.MqttError` with the reason."""
        async for _ in self.messages:
            pass  # nothing is subscribed

    async def close_socket(self) -> None:
        """Close the socket, if it is open, without a goodbye. The broker then publishes the last will."""
        open_socket = self._client.socket()
        if isinstance(open_socket, socket.socket):
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            async with asyncio.timeout(GOODBYE_SECONDS):
                while self._client.socket() is not None:  # noqa: ASYNC110 - paho closes it when it reads the end
                    await asyncio.sleep(0.005)
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # known here, or asyncio would log it


@asynccontextmanager
async def connected(client: FeedClient) -> AsyncIterator[None]:
    """Connect to the broker. Say goodbye at the end of the block, unless an error ends it.

    Raises:
        aiomqtt.MqttError: the broker cannot be reached, or it refused the login.
    """
    try:
        await client.__aenter__()
        yield
        with suppress(TimeoutError, aiomqtt.MqttError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await client.__aexit__(None, None, None)
    finally:
        with suppress(TimeoutError):
            await client.close_socket()


@dataclass(frozen=True, slots=True)
class ReconnectDelays:
    """Exponential delays with jitter, in seconds; each is drawn from the upper half of its bound."""

    first: float = 0.25
    longest: float = 30.0

    def draw(self, failures: int, rng: Random) -> float:
        """Return the delay after ``failures`` attempts that failed in a row."""
        bound = min(self.longest, self.first * 2 ** min(failures, 32))
        return rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class ReconnectTime:
    """The delays between attempts, and the clock and the randomness that they need. Tests replace both."""

    rng: Random
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    delays: ReconnectDelays = ReconnectDelays()


class ConnectionReport(Protocol):
    """Where the state of the connection is reported. It hears of every attempt."""

    def connected(self) -> None:
        """Report that the broker accepted the connection."""
        ...

    def failed(self, error: Exception) -> None:
        """Report that the connection was lost or refused."""
        ...


class LoggedConnection:
    """A report that logs one line when the connection is lost or refused, and one when it is back."""

    def __init__(self, log: BoundLogger, address: str) -> None:
        self._log = log.bind(broker=address)
        self._is_out = False

    def connected(self) -> None:
        """Log that the broker is there."""
        self._is_out = False
        self._log.info("connected to the MQTT broker")

    def failed(self, error: Exception) -> None:
        """Log the reason of an outage, at its begin only."""
        if not self._is_out:
            self._is_out = True
            self._log.warning("no MQTT broker; matches go on, and results are sent later", why=_reason(error))


async def keep_connected(
    new_client: Callable[[], FeedClient],
    use: Callable[[FeedClient], Awaitable[None]],
    report: ConnectionReport,
    time: ReconnectTime,
) -> None:
    """Connect, run ``use``, and connect again after every failure, until ``use`` returns."""
    failures = 0
    while True:
        began: float | None = None
        client = new_client()
        try:
            async with connected(client):
                began = time.now()
                report.connected()
                await use(client)
                return
        except Exception as error:  # noqa: BLE001 - no fault of a broker or of the feed may end the feed
            report.failed(error)
        if began is not None and time.now() - began >= STABLE_SECONDS:
            failures = 0
        await time.sleep(time.delays.draw(failures, time.rng))
        failures += 1


def _reason(error: BaseException) -> str:
    """Return the first line of an error; of a group, that of its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
