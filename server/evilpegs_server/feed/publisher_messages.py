"""The messages between the server and its publisher process, sent as `work.frames`.

The server first sends a `PublisherSetup`. The publisher then connects to the broker again and again, and reports each
attempt as `Connected` or `ConnectionFailed`. On a connection the server sends a `LiveBatch` or a `DeliveryRequest` at
any time, and at last a `ConnectionEnd`. A batch is reported as `BatchWritten`, a request as `Delivered`. Connections
have numbers, so that what was meant for one that is lost is dropped.
"""

from typing import NamedTuple

from evilpegs_protocol.broker import Broker


class PublisherSetup(NamedTuple):
    """The broker, the id of the client there, and the retained message that is published when it vanishes."""

    broker: Broker
    client_id: str
    will_topic: str
    will_payload: bytes


class LiveBatch(NamedTuple):
    """Events of live matches, as pairs of a topic and a payload, to be published at QoS 0."""

    connection: int
    number: int
    events: list[tuple[str, str]]


class Delivery(NamedTuple):
    """A message of QoS 1. ``properties`` are its user properties."""

    topic: str
    payload: str | bytes
    is_retained: bool = False
    properties: tuple[tuple[str, str], ...] = ()


class DeliveryRequest(NamedTuple):
    """Messages that are to be delivered in this order."""

    connection: int
    number: int
    deliveries: list[Delivery]


class ConnectionEnd(NamedTuple):
    """An order to end the connection: with a goodbye, after which the publisher ends, or as lost for a reason."""

    connection: int
    why: str | None


class Connected(NamedTuple):
    """A report that the broker has accepted a connection."""

    connection: int


class ConnectionFailed(NamedTuple):
    """A report that the connection was lost or refused, with the reason in one line."""

    why: str


class BatchWritten(NamedTuple):
    """A report that a batch, and all before it, were written to the broker's socket."""

    connection: int
    number: int


class Delivered(NamedTuple):
    """A report that the broker has acknowledged or refused every message of a request; True if it acknowledged."""

    connection: int
    number: int
    accepted: list[bool]


class RefusedMessage(NamedTuple):
    """A report that the broker does not accept a message. ``advice`` is None if the reason is missing rights."""

    topic: str
    why: str
    advice: str | None


def reason_of(error: BaseException) -> str:
    """Return the first line of an error; of a group, that of its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
