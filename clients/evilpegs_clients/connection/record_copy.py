"""A second copy of the record of a match, with which a client checks the events of its `MatchView`."""

import asyncio
from typing import Any

from evilpegs_clients.connection.connection import ReceivedMessage
from evilpegs_clients.errors import BrokenRecordError
from evilpegs_protocol.server_messages import RecordEvent, Resumed


class RecordCopy:
    """The events of a match, received a second time but, unlike in a `MatchView`, not compared with the first."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.events: list[dict[str, Any]] = []
        self.complete = asyncio.Event()
        self._announced: int | None = None

    def take(self, received: ReceivedMessage) -> bool:
        """Take a message if it belongs to the copy; raises BrokenRecordError if there are more than announced."""
        message = received.message
        if getattr(message, "match", None) != self.match or not isinstance(message, RecordEvent | Resumed):
            return False
        if isinstance(message, Resumed):
            self._announced = message.seq
        else:
            self.events.append(dict(received.fields))
        if self._announced is not None and len(self.events) > self._announced:
            text = f"the server announced {self._announced} events of match {self.match} and sent more"
            raise BrokenRecordError(text)
        if len(self.events) == self._announced:
            self.complete.set()
        return True
