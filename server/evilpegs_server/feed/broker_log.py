"""What the log says about the broker: a line when something ends, and one when it is well again."""

import asyncio
from collections.abc import Callable

from structlog.stdlib import BoundLogger

from evilpegs_server.feed.mqtt_client import RefusedMessage
from evilpegs_server.work.child_process import STABLE_SECONDS


class ConnectionLog:
    """The log of the connection to the broker: one line when it is lost or refused, and one when it is back."""

    def __init__(
        self, log: BoundLogger, address: str, call_later: Callable[[float, Callable[[], None]], asyncio.TimerHandle]
    ) -> None:
        self._log = log.bind(broker=address)
        self._call_later = call_later
        self._is_out = False
        # after a loss within `STABLE_SECONDS`, until a connection lasts that long: another server with the same client
        # id, or a broker that refuses every message, would fill the log
        self._is_unstable = False
        # until a connection is stable
        self._timer: asyncio.TimerHandle | None = None

    def connected(self) -> None:
        self._timer = self._call_later(STABLE_SECONDS, self._note_stable)
        if not self._is_unstable:
            self._is_out = False
            self._log.info("connected to the MQTT broker")

    def failed(self, why: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._is_unstable = True
        if not self._is_out:
            self._is_out = True
            self._log.warning("not connected to the MQTT broker; matches go on, events are sent later", why=why)

    def _note_stable(self) -> None:
        self._timer = None
        if self._is_unstable:
            self._is_unstable = self._is_out = False
            self._log.info("connected to the MQTT broker")


class RefusalLog:
    """A log of refusals: the first of each kind of message, such as `match/result`, and when it is accepted again."""

    def __init__(self, log: BoundLogger, user: str | None) -> None:
        self._log = log
        self._advice = f"allow the user {user!r}" if user is not None else "allow anonymous users"
        self._refused: set[str] = set()

    def refused(self, message: RefusedMessage) -> None:
        kind = _kind(message.topic)
        if kind not in self._refused:
            self._refused.add(kind)
            event = "the MQTT broker refused a message; it was dropped"
            if kind == "match/result":
                event = "the MQTT broker refused a result; all events wait until it accepts it"
            advice = message.advice or f"{self._advice} to publish on this topic, for example in mosquitto's acl_file"
            self._log.warning(event, topic=message.topic, why=message.why, advice=advice)

    # only of results, which are sent again: documents differ in size, so one does not say that another is accepted
    def accepted(self, topic: str) -> None:
        """Log that messages like one on ``topic`` are accepted, if they were refused."""
        kind = _kind(topic)
        if kind in self._refused:
            self._refused.remove(kind)
            self._log.info("the MQTT broker accepts messages again", topic=topic)


def _kind(topic: str) -> str:
    *_, owner, _, kind = topic.split("/")
    return f"{owner}/{kind}"
