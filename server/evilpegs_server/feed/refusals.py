"""Refusals of the broker: one line in the log per kind of message, and one when it accepts them again."""

from structlog.stdlib import BoundLogger

from evilpegs_server.feed.publisher_messages import RefusedMessage


class RefusalLog:
    """A log of refused messages. It is notified of each, and logs the first of each kind."""

    def __init__(self, log: BoundLogger, user: str | None) -> None:
        self._log = log
        self._advice = f"allow the user {user!r}" if user is not None else "allow anonymous users"
        self._refused: set[str] = set()

    def refused(self, message: RefusedMessage) -> None:
        """Log what the broker refused and what to do, unless messages of this kind were refused before."""
        kind = _kind(message.topic)
        if kind not in self._refused:
            self._refused.add(kind)
            advice = message.advice or f"{self._advice} to publish on this topic, for example in mosquitto's acl_file"
            self._log.warning(_REFUSED[kind == "result"], topic=message.topic, why=message.why, advice=advice)

    def accepted(self, topic: str) -> None:
        """Log that the broker accepts this kind of messages again, if it had refused them."""
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
