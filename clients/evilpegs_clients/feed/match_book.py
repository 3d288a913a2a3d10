"""A memory of the matches of a feed."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from evilpegs_protocol.server_messages import MatchStarted, RecordEvent

MAX_MATCHES: Final = 10_000
"""Beyond it, the match that was looked up least recently is forgotten."""


@dataclass(slots=True)
class KnownMatch:
    """The player, the ladder's id and the numbers of the events that have been seen."""

    player: str | None = None
    ladder: str | None = None
    seen: set[int] = field(default_factory=set)


class MatchBook:
    def __init__(self) -> None:
        self._matches: OrderedDict[str, KnownMatch] = OrderedDict()

    def get(self, match: str) -> KnownMatch:
        """Return what is known of the match, and remember it from now on."""
        known = self._matches.setdefault(match, KnownMatch())
        self._matches.move_to_end(match)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return known

    def introduce(self, match: str, player: str, ladder: str) -> None:
        known = self.get(match)
        known.player, known.ladder = player, ladder

    def is_new(self, event: RecordEvent) -> bool:
        """Remember ``event`` and return True if none of its match and number was seen before."""
        known = self.get(event.match)
        if isinstance(event, MatchStarted):
            known.player, known.ladder = event.player, event.ladder
        if event.seq in known.seen:
            return False
        known.seen.add(event.seq)
        return True
