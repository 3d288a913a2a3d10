"""A memory of matches: whose they are, on which ladder, and which of their events have been seen."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from evilpegs_protocol.server_messages import MatchStarted, RecordEvent

MAX_MATCHES: Final = 10_000
"""The number of matches that are remembered; the one that was silent for the longest time is forgotten first."""


@dataclass(slots=True)
class KnownMatch:
    """The known facts of a match. ``player`` and ``ladder`` are None while they are unknown."""

    player: str | None = None
    ladder: str | None = None
    seen: set[int] = field(default_factory=set)


class MatchBook:
    """The matches of a feed by id."""

    def __init__(self) -> None:
        self._matches: OrderedDict[str, KnownMatch] = OrderedDict()

    def get(self, match: str) -> KnownMatch:
        """Return what is known of a match."""
        known = self._matches.setdefault(match, KnownMatch())
        self._matches.move_to_end(match)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return known

    def introduce(self, match: str, player: str, ladder: str) -> None:
        """Note whose match it is, and on which ladder."""
        known = self.get(match)
        known.player, known.ladder = player, ladder

    def is_new(self, event: RecordEvent) -> bool:
        """Return True the first time that an event is seen: no two events of a match have the same number."""
        known = self.get(event.match)
        if isinstance(event, MatchStarted):
            known.player, known.ladder = event.player, event.ladder
        if event.seq in known.seen:
            return False
        known.seen.add(event.seq)
        return True
