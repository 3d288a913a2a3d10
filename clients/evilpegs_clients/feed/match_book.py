"""A memory of the matches of a feed: the player and the ladder of each match, and the events that have been seen."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from evilpegs_protocol.server_messages import MatchStarted, RecordEvent

MAX_MATCHES: Final = 10_000
"""The most matches that are remembered; the match that was looked up least recently is forgotten first."""


@dataclass(slots=True)
class KnownMatch:
    """The known facts of a match: its player, its ladder, and the numbers of the events that have been seen.

    ``player`` is a name and ``ladder`` an id; both are None while unknown.
    """

    player: str | None = None
    ladder: str | None = None
    seen: set[int] = field(default_factory=set)


class MatchBook:
    """A memory of the matches of a feed, by their ids.

    It holds at most `MAX_MATCHES` matches, and forgets first the match that was looked up least recently.
    """

    def __init__(self) -> None:
        self._matches: OrderedDict[str, KnownMatch] = OrderedDict()

    def get(self, match: str) -> KnownMatch:
        """Return the known facts of the match with the id ``match``; add an unknown match with no facts."""
        known = self._matches.setdefault(match, KnownMatch())
        self._matches.move_to_end(match)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return known

    def introduce(self, match: str, player: str, ladder: str) -> None:
        """Remember the player and the id of the ladder of the match with the id ``match``."""
        known = self.get(match)
        known.player, known.ladder = player, ladder

    def is_new(self, event: RecordEvent) -> bool:
        """Remember ``event`` and return True if it was not seen before.

        Two events are the same if the ids of their matches and their ``seq`` are equal. The player and the ladder are
        taken from the first event of a match.
        """
        known = self.get(event.match)
        if isinstance(event, MatchStarted):
            known.player, known.ladder = event.player, event.ladder
        if event.seq in known.seen:
            return False
        known.seen.add(event.seq)
        return True
