"""The log of the broker's refusals: one line per kind of message, and one when the broker accepts results again.

The kind is the last level of the topic, such as `result`. Only results are sent again until they are accepted.
Documents of one kind differ in size, so one that is accepted does not say that another would be.
"""

from structlog.stdlib import BoundLogger

from evilpegs_server.feed.publisher_messages import RefusedMessage


class RefusalLog:
    """A log of the first refusal of each kind of message."""

    def __init__(self, log: BoundLogger, user: str | None) -> None:
        self._log = log
        self._advice = f"allow the user {user!r}" if user is not None else "allow anonymous users"
        self._refused: set[str] = set()

    def refused(self, message: RefusedMessage) -> None:
        kind = _kind(message.topic)
        if kind not in self._refused:
            self._refused.add(kind)
            advice = message.advice or f"{self._advice} to publish on this topic, for example in mosquitto's acl_file"
            self._log.warning(_REFUSED[kind == "result"], topic=message.topic, why=message.why, advice=advice)

    def accepted(self, topic: str) -> None:
        """Log that messages like one on ``topic`` are accepted, if they were refused."""
        kind = _kind(topic)
        if kind in self._refused:
            self._refused.remove(kind)
            self._log.info("the MQTT broker accepts messages again", topic=topic)


_REFUSED = (
    "the MQTT broker refused a message; it was dropped",
    "the MQTT broker refused a result; results wait until it accepts them",
)


def _kind(topic: str) -> str:
    return topic.rpartition("/")[2]
