"""The messages between the server and its publisher process, which are sent as `work.frames`.

The server first sends a `PublisherSetup`. The publisher then connects to the broker again and again, and reports each
attempt as `Connected` or `ConnectionFailed`. On a connection the server sends a `LiveBatch` or a `DeliveryRequest` at
any time, and at last a `ConnectionEnd`. A batch is reported as `BatchWritten`, a request as `Delivered`. Connections
have numbers, so that messages for a lost connection are dropped.
"""

from typing import NamedTuple

from evilpegs_protocol.broker import Broker


class PublisherSetup(NamedTuple):
    """The first message to the publisher process: the broker, the MQTT client id, and the last will.

    The broker publishes the last will, a retained message, when the connection ends without a goodbye.
    """

    broker: Broker
    client_id: str
    will_topic: str
    will_payload: bytes


class LiveBatch(NamedTuple):
    """A request to publish events of live matches at QoS 0. Each event is a pair of a topic and a payload."""

    connection: int
    number: int
    events: list[tuple[str, str]]


class Delivery(NamedTuple):
    """A message to be published at QoS 1. ``properties`` are its user properties, pairs of a name and a value."""

    topic: str
    payload: str | bytes
    is_retained: bool = False
    properties: tuple[tuple[str, str], ...] = ()


class DeliveryRequest(NamedTuple):
    """A request to publish messages at QoS 1 in the order of ``deliveries``."""

    connection: int
    number: int
    deliveries: list[Delivery]


class ConnectionEnd(NamedTuple):
    """A request to end a connection.

    If ``why`` is None, the publisher says goodbye to the broker and ends. Otherwise it treats the connection as lost
    for this reason and connects again.
    """

    connection: int
    why: str | None


class Connected(NamedTuple):
    """A report that the broker has accepted a connection."""

    connection: int


class ConnectionFailed(NamedTuple):
    """A report that the connection was lost or refused, with the reason in one line."""

    why: str


class BatchWritten(NamedTuple):
    """A report that the batch ``number`` and all earlier batches were written to the broker's socket."""

    connection: int
    number: int


class Delivered(NamedTuple):
    """A report that the broker has acknowledged or refused every message of the request ``number``.

    ``accepted`` has True for each message that was acknowledged.
    """

    connection: int
    number: int
    accepted: list[bool]


class RefusedMessage(NamedTuple):
    """A report that the broker does not accept a message. ``advice`` is None if the user lacks the right to publish."""

    topic: str
    why: str
    advice: str | None


def reason_of(error: BaseException) -> str:
    """Return the first line of an error's text, or the name of its class if it has no text.

    For an exception group, use its first member. If the error has a cause, use the cause.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
