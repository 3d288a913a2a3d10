"""Who may begin a match, and on which ladder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import RefusedError
from evilpegs_server.play.counts import PRACTICE_LIMIT, ServerCounts
from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.play.presence import Presence
from evilpegs_server.play.rounds import Rounds
from evilpegs_server.play.served_ladders import ServedLadders
from evilpegs_server.storage.log.players import Player

MAX_OPEN_MATCHES: Final = 8
"""Per player."""


@dataclass(frozen=True, slots=True)
class Eligibility:
    """All that decides; ``wall_ms`` returns the Unix time."""

    ladders: ServedLadders
    open: OpenMatches
    presence: Presence
    rounds: Rounds
    counts: ServerCounts
    wall_ms: Callable[[], int]

    def check(self, player: Player, ladder_id: str, elsewhere: Sequence[str]) -> Ladder:
        """Return the ladder of a new match; ``elsewhere`` are open ones on other nodes. Raises RefusedError."""
        ladder = self.ladders.find(ladder_id, self.wall_ms())
        if ladder.rated and player.is_guest:
            raise RefusedError(ErrorCode.AUTH_REQUIRED, "guests play practice ladders; claim a name for rated ones")
        if ladder.kind not in {None, player.kind}:
            why = f"{ladder_id} is for names of the kind {ladder.kind}, yours is a {player.kind}; play another ladder"
            raise RefusedError(ErrorCode.NOT_AN_ENTRANT, why)
        matches = [*(runner.key.id for runner in self.open.of_player(player.id)), *elsewhere]
        if len(matches) >= MAX_OPEN_MATCHES:
            why = f"you have {len(matches)} open matches; resume or resign one of them first: {', '.join(matches)}"
            raise RefusedError(ErrorCode.TOO_MANY_MATCHES, why)
        if not ladder.rated and not self.presence.admit_practice():
            self.counts.limits[PRACTICE_LIMIT] += 1
            why = f"{self.open.practice} practice matches are open here (limit {PRACTICE_LIMIT}); come back later"
            raise RefusedError(ErrorCode.TOO_MANY_MATCHES, why)
        if ladder.is_round:
            self.rounds.enter(player.id, ladder.id)
        return ladder
