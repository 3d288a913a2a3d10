"""A second copy of the record of a match, with which a client checks the events that it received during the match.

Receiving the copy does not change the state of the match that the client keeps in its `MatchView`.
"""

import asyncio
from typing import Any

from evilpegs_clients.connection.connection import ReceivedMessage
from evilpegs_clients.errors import BrokenRecordError
from evilpegs_protocol.server_messages import RecordEvent, Resumed


class RecordCopy:
    """The events of the match with the id ``match``, received a second time, in the order of their arrival.

    ``events`` are JSON objects. ``complete`` is set once the server has sent as many events as it announced. Unlike a
    `MatchView`, a copy does not compare its events with the events received before. The caller must compare them.
    """

    def __init__(self, match: str) -> None:
        self.match = match
        self.events: list[dict[str, Any]] = []
        self.complete = asyncio.Event()
        self._announced: int | None = None

    def take(self, received: ReceivedMessage) -> bool:
        """Take a message that belongs to the copy and return True; return False for any other message.

        The events of the match belong to the copy, and so does `resumed`, which announces their number.

        Raises:
            BrokenRecordError: The server sent more events than it announced.
        """
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
