"""Counts of connections to the site and of the responses that refuse a request, for its metrics."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class SiteCounts:
    connections: int = 0
    refused_connections: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    """The responses with a status of 400 or more."""

    def note_status(self, status: int) -> None:
        if status >= 400:
            self.statuses[status] += 1
