"""The messages between the server and its publisher process, sent as frames of `child_process`.

The server sends a `PublisherSetup` first. The publisher process then connects to the broker, and again after each
failure; it reports each attempt as `Connected` or `ConnectionFailed`. During a connection the server sends `LiveBatch`
and `DeliveryRequest`, and at last `ConnectionEnd`; the publisher process answers with `BatchWritten` and `Delivered`.
Connections are numbered from 1, so that messages for a lost one can be dropped; batches and requests are numbered from
1 on each connection.
"""

from typing import Final, NamedTuple

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.broker import Broker

# of connections, of processes and of refused results
BACKOFF: Final = Backoff(first=0.25, longest=30.0)


class PublisherSetup(NamedTuple):
    """The broker, the MQTT client id, and the last will: a message that the broker retains if no goodbye comes."""

    broker: Broker
    client_id: str
    will_topic: str
    will_payload: bytes


class LiveBatch(NamedTuple):
    """Events to publish at QoS 0, as (topic, payload) pairs."""

    connection: int
    number: int
    events: list[tuple[str, str]]


class Delivery(NamedTuple):
    """A message to publish at QoS 1, with MQTT user properties."""

    topic: str
    payload: str | bytes
    is_retained: bool = False
    properties: tuple[tuple[str, str], ...] = ()


class DeliveryRequest(NamedTuple):
    connection: int
    number: int
    deliveries: list[Delivery]


class ConnectionEnd(NamedTuple):
    """A request to say goodbye and exit; or, with a reason ``why``, to treat the connection as lost."""

    connection: int
    why: str | None


class Connected(NamedTuple):
    connection: int


class ConnectionFailed(NamedTuple):
    why: str


class BatchWritten(NamedTuple):
    """A report that this batch and all earlier ones were written to the broker's socket."""

    connection: int
    number: int


class Delivered(NamedTuple):
    """A report that the broker has acknowledged or refused every message of a request."""

    connection: int
    number: int
    accepted: list[bool]


class RefusedMessage(NamedTuple):
    """A report that the broker refuses a message; without ``advice``, the user may lack the right to publish."""

    topic: str
    why: str
    advice: str | None


def reason_of(error: BaseException) -> str:
    """Return the first line of an error's text, or of that of its cause or first member; else its class name."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
