"""The connections of players, and the end of the matches of guests who have been disconnected for too long.

A guest did not claim a name, so nothing but an open match connects them with the server. A guest who leaves without an
open match is forgotten at once. One who leaves an open match may come back to it for some minutes; then the match is
forfeited, and the guest is forgotten with their last match. If too many practice matches are open, the matches of the
guests gone longest are forfeited earlier.

Forgetting concerns memory only. A guest who has played is in the database, and their token is found there again.
"""

from collections import Counter, OrderedDict

from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.storage.log.players import Player, Players


class Presence:
    """The connections per player, and the guests who are gone: with an open match but without a connection.

    A guest may be gone for ``absent_seconds``, and at most ``max_practice`` practice matches may be open.
    """

    def __init__(
        self,
        players: Players,
        open_matches: OpenMatches,
        clock: StallFreeClock,
        *,
        absent_seconds: float,
        max_practice: int,
    ) -> None:
        self._absent_seconds, self._max_practice = absent_seconds, max_practice
        self._players = players
        self._open = open_matches
        self._clock = clock
        self._connections: Counter[int] = Counter()
        self._gone: OrderedDict[int, float] = OrderedDict()
        self._ending: set[int] = set()

    def table_sizes(self) -> dict[str, int]:
        return {"connected_players": len(self._connections), "absent_guests": len(self._gone)}

    def is_connected(self, player: int) -> bool:
        return player in self._connections

    def restore(self) -> None:
        """Count guests without a connection as gone from now on, after a restart has resumed their matches."""
        for runner in self._open.runners:
            if self._players.guest(runner.player) is not None and not self.is_connected(runner.player):
                self._gone[runner.player] = self._clock.now()

    def enter(self, player: Player) -> None:
        self._connections[player.id] += 1
        self._gone.pop(player.id, None)
        self._ending.discard(player.id)

    def leave(self, player: Player) -> None:
        self._connections[player.id] -= 1
        if self._connections[player.id] > 0:
            return
        del self._connections[player.id]
        if player.is_guest and self._open.of_player(player.id):
            self._gone[player.id] = self._clock.now()
        else:
            self.forget_if_gone(player.id)

    def end_long_gone(self, now: float) -> None:
        latest = now - 1000 * self._absent_seconds
        for guest in [guest for guest, since in self._gone.items() if since <= latest]:
            self._abandon(guest)

    def admit_practice(self) -> bool:
        """Return whether one more practice match may begin, for which that of a guest who is gone is given up."""
        if self._open.practice < self._max_practice:
            return True
        guest = next((guest for guest in self._gone if guest not in self._ending), None)
        if guest is None:
            return False
        self._abandon(guest)
        return True

    def _abandon(self, guest: int) -> None:
        self._ending.add(guest)
        self._open.abandon(guest)

    def forget_if_gone(self, player: int) -> None:
        """Forget a guest who has neither a connection nor an open match."""
        if self.is_connected(player) or self._open.of_player(player):
            return
        self._gone.pop(player, None)
        self._ending.discard(player)
        if (guest := self._players.guest(player)) is not None:
            self._players.remove(guest, self._players.guest_hash(guest))
