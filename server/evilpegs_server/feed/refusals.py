"""The log of the broker's refusals: one line per kind of message, and one when the broker accepts results again.

The kind of a message is the last level of its MQTT topic, such as `result`. Only results are sent again until they are
accepted. Documents of one kind differ in size, so that one is accepted does not say that another would be.
"""

from structlog.stdlib import BoundLogger

from evilpegs_server.feed.publisher_messages import RefusedMessage


class RefusalLog:
    """A log of messages that the broker refuses, with only the first refusal of each kind of message.

    The kind of a message is the last level of its topic, such as `result`. After a call of `accepted` for a kind, the
    next refusal of that kind is logged again. ``user`` is the user name at the broker, None for an anonymous user.
    """

    def __init__(self, log: BoundLogger, user: str | None) -> None:
        self._log = log
        self._advice = f"allow the user {user!r}" if user is not None else "allow anonymous users"
        self._refused: set[str] = set()

    def refused(self, message: RefusedMessage) -> None:
        """Log which message the broker refused, and what to do about the refusal.

        Log nothing if a message of the same kind was refused before and `accepted` was not called for this kind since.
        The kind is the last level of the topic.
        """
        kind = _kind(message.topic)
        if kind not in self._refused:
            self._refused.add(kind)
            advice = message.advice or f"{self._advice} to publish on this topic, for example in mosquitto's acl_file"
            self._log.warning(_REFUSED[kind == "result"], topic=message.topic, why=message.why, advice=advice)

    def accepted(self, topic: str) -> None:
        """Note that the broker accepted a message on ``topic``.

        Log a line if messages of the same kind were refused since the last accepted one. The kind is the last level of
        ``topic``.
        """
        kind = _kind(topic)
        if kind in self._refused:
            self._refused.remove(kind)
            self._log.info("the MQTT broker accepts messages again", topic=topic)


_REFUSED = (
    "the MQTT broker refused a message; it is left out",
    "the MQTT broker refused a result; results wait until it accepts them",
)


def _kind(topic: str) -> str:
    return topic.rpartition("/")[2]
