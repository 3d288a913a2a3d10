"""The messages between the server and its publisher process, which are sent as the frames of `work.frames`.

The server first sends a `PublisherSetup`. The publisher process then connects to the broker, and again after each
failure; it reports each attempt as `Connected` or `ConnectionFailed`. While there is a connection, the server sends a
`LiveBatch` or a `DeliveryRequest` at any time, and at last a `ConnectionEnd`. The publisher process reports a batch as
`BatchWritten`, and a request as `Delivered`. Connections are numbered from 1, so that messages for a lost connection
can be dropped. On each connection, batches and requests are numbered from 1 too.
"""

from typing import NamedTuple

from evilpegs_protocol.broker import Broker


class PublisherSetup(NamedTuple):
    """The first message to the publisher process: the broker, the MQTT client id, and the last will.

    The last will is a retained message that the broker publishes if the connection ends without a goodbye.
    """

    broker: Broker
    client_id: str
    will_topic: str
    will_payload: bytes


class LiveBatch(NamedTuple):
    """A request to publish events of live matches at QoS 0. Each event is a pair of a topic and a payload.

    ``connection`` is the number of the connection to the broker, and ``number`` the number of this batch on it.
    """

    connection: int
    number: int
    events: list[tuple[str, str]]


class Delivery(NamedTuple):
    """A message to be published at QoS 1. ``properties`` are its MQTT user properties, pairs of a name and a value."""

    topic: str
    payload: str | bytes
    is_retained: bool = False
    properties: tuple[tuple[str, str], ...] = ()


class DeliveryRequest(NamedTuple):
    """A request to publish messages at QoS 1 in the order of ``deliveries``.

    ``connection`` is the number of the connection to the broker, and ``number`` the number of this request on it.
    """

    connection: int
    number: int
    deliveries: list[Delivery]


class ConnectionEnd(NamedTuple):
    """A request to end the connection to the broker with the number ``connection``.

    If ``why`` is None, the publisher process says goodbye to the broker and exits. Otherwise it treats the connection
    as lost, for the reason ``why``, and connects again.
    """

    connection: int
    why: str | None


class Connected(NamedTuple):
    """A report that the broker has accepted a connection, which has the number ``connection`` from now on."""

    connection: int


class ConnectionFailed(NamedTuple):
    """A report that the connection was lost or refused; ``why`` is the reason in one line."""

    why: str


class BatchWritten(NamedTuple):
    """A report that the batch ``number``, and all earlier batches, were written to the broker's socket.

    ``connection`` is the number of the connection to the broker.
    """

    connection: int
    number: int


class Delivered(NamedTuple):
    """A report that the broker has acknowledged or refused every message of the request ``number``.

    ``connection`` is the number of the connection to the broker. ``accepted`` has one value per message, in the order
    of the request: True if the broker acknowledged the message.
    """

    connection: int
    number: int
    accepted: list[bool]


class RefusedMessage(NamedTuple):
    """A report that the broker does not accept a message on the topic ``topic``, for the reason ``why``.

    ``advice`` is a remedy for the broker's administrator. It is None if the broker has answered with a refusal, for
    example because the user lacks the right to publish.
    """

    topic: str
    why: str
    advice: str | None


def reason_of(error: BaseException) -> str:
    """Return the first line of an error's text, or the name of its class if it has no text.

    The text of an exception group is that of its first member. If the error has a cause, the text is that of the cause.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
