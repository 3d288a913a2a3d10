from collections.abc import Callable
from typing import Protocol

from structlog.stdlib import BoundLogger

from evilpegs_server.feed.reconnect_time import STABLE_SECONDS


class Cancelable(Protocol):
    def cancel(self) -> None: ...


class ConnectionLog:
    """The log of the connection to the broker: one line when it is lost or refused, and one when it is back.

    After a loss within `STABLE_SECONDS`, nothing is logged until a connection has lasted that long. Otherwise another
    server with the same MQTT client id, or a broker that refuses every message, would fill the log.
    """

    def __init__(
        self, log: BoundLogger, address: str, call_later: Callable[[float, Callable[[], None]], Cancelable]
    ) -> None:
        self._log = log.bind(broker=address)
        self._call_later = call_later
        self._is_out = False
        self._is_unstable = False
        self._is_stable = False
        self._timer: Cancelable | None = None

    def connected(self) -> None:
        self._timer = self._call_later(STABLE_SECONDS, self._note_stable)
        if not self._is_unstable:
            self._is_out = False
            self._log.info("connected to the MQTT broker")

    def failed(self, why: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._is_unstable = self._is_unstable or not self._is_stable
        self._is_stable = False
        if not self._is_out:
            self._is_out = True
            self._log.warning("not connected to the MQTT broker; matches go on, results are sent later", why=why)

    def _note_stable(self) -> None:
        self._is_stable = True
        if self._is_unstable:
            self._is_unstable = self._is_out = False
            self._log.info("connected to the MQTT broker")
