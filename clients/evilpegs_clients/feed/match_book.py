"""A memory of matches: whose they are, on which ladder, and which of their events have been seen."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from evilpegs_protocol.server_messages import MatchStarted, RecordEvent

MAX_MATCHES: Final = 10_000
"""The number of matches that are remembered; the one that was silent for the longest time is forgotten first."""


@dataclass(slots=True)
class KnownMatch:
    """The known facts of a match: its player and its ladder, None while unknown, and the numbers of the events seen."""

    player: str | None = None
    ladder: str | None = None
    seen: set[int] = field(default_factory=set)


class MatchBook:
    """A memory of the matches of a feed, by their ids."""

    def __init__(self) -> None:
        self._matches: OrderedDict[str, KnownMatch] = OrderedDict()

    def get(self, match: str) -> KnownMatch:
        """Return the known facts of a match; a match that was not known is added without facts."""
        known = self._matches.setdefault(match, KnownMatch())
        self._matches.move_to_end(match)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return known

    def introduce(self, match: str, player: str, ladder: str) -> None:
        """Note the player and the ladder of a match."""
        known = self.get(match)
        known.player, known.ladder = player, ladder

    def is_new(self, event: RecordEvent) -> bool:
        """Note an event and return True if it was not seen before.

        Events are distinguished by the id of the match and their number in it.
        """
        known = self.get(event.match)
        if isinstance(event, MatchStarted):
            known.player, known.ladder = event.player, event.ladder
        if event.seq in known.seen:
            return False
        known.seen.add(event.seq)
        return True
