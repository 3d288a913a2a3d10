"""The time that a player has left, counted down from the server's latest announcement of the time.

The server measures the time. It announces the time left in `turn`, when the turn opens and again after a cut connection
or a restart: no time passes while the server is away.
"""

from collections.abc import Callable

from evilpegs_clients.connection.match_view import MatchView, Phase


class Countdown:
    """The time left in the match of ``view``; ``clock`` is monotonic, in seconds.

    Call `note_arrival` soon after each message: an announcement counts from the first call of a method after it.
    """

    def __init__(self, view: MatchView, clock: Callable[[], float]) -> None:
        self._view = view
        self._now = clock
        self._announcements = -1
        self._since = 0.0

    def note_arrival(self) -> None:
        if self._announcements != self._view.announcements:
            self._announcements, self._since = self._view.announcements, self._now()

    def turn_ms(self) -> int | None:
        """Return the time left, negative once it is up; None if it is not limited, or no turn is open."""
        self.note_arrival()
        left_ms = self._view.left_ms
        return None if left_ms is None or self._view.phase is not Phase.TURN else left_ms - self._passed_ms()

    def ready_seconds(self) -> int:
        """Return the time left for `ready`, at least 0; meaningless if no game waits for it."""
        self.note_arrival()
        return max(0, self._view.ready_by_ms - self._passed_ms()) // 1000

    def _passed_ms(self) -> int:
        return round((self._now() - self._since) * 1000)
