"""The ladders of a server: those it knows, and those on which new matches can begin."""

from collections.abc import Callable, Container
from datetime import UTC, datetime

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_protocol.suggestions import unknown_ladder_text
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import RefusedError


class ServedLadders:
    """The ladders ``known``, some of which may be too large: then ``unavailable_reason`` returns why."""

    def __init__(self, known: dict[str, Ladder], unavailable_reason: Callable[[Ladder], str | None]) -> None:
        self.known = known
        """Matches may exist on these, whether or not new ones can begin."""
        self._unavailable_reason = unavailable_reason
        self.offered = [each for each in known.values() if not each.former and unavailable_reason(each) is None]

    def add(self, ladder: Ladder) -> None:
        """Offer another ladder, whose matches may be among those that are read later."""
        self.known[ladder.id] = ladder
        if self._unavailable_reason(ladder) is None:
            self.offered.append(ladder)

    def offer_rounds(self, rounds: Container[str]) -> None:
        """Offer no rounds but these."""
        self.offered = [each for each in self.offered if not each.is_round or each.id in rounds]

    def find(self, ladder_id: str, now_ms: int) -> Ladder:
        """Return the ladder for a new match. Raises RefusedError."""
        ladder = self.known.get(ladder_id)
        if ladder is None or ladder.former:
            why = unknown_ladder_text(ladder_id, [each.id for each in self.offered])
            raise RefusedError(ErrorCode.UNKNOWN_LADDER, why)
        opens, closes = ladder.opens or 0, ladder.closes or now_ms + 1
        if not opens <= now_ms < closes:
            which, ms = ("opens", opens) if now_ms < opens else ("closed", closes)
            why = f"{ladder_id} {which} at {utc(ms)}; play {'then' if now_ms < opens else 'another ladder'}"
            raise RefusedError(ErrorCode.ROUND_CLOSED, why)
        if (reason := self._unavailable_reason(ladder)) is not None:
            raise RefusedError(ErrorCode.TOO_LARGE, reason)
        return ladder


def utc(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
