"""The time that a player has left, counted down from the server's latest announcement of the time.

The server measures the time. Its `turn` message contains the time left when the turn opens. After a cut connection or a
restart, the server sends `turn` again with the time left then: no time passes while the server is away.
"""

from collections.abc import Callable

from evilpegs_clients.connection.match_view import MatchView, Phase


class Countdown:
    """The time that the player has left in the match of ``view``; ``clock`` is a monotonic clock in seconds.

    Call `note_arrival` soon after each message. A time left that the server announces is counted down from the first
    call of a method of this object after the announcement.
    """

    def __init__(self, view: MatchView, clock: Callable[[], float]) -> None:
        self._view = view
        self._now = clock
        self._announcements = -1
        self._since = 0.0

    def note_arrival(self) -> None:
        """Begin to count from now if the server has announced a new time left since the last call."""
        if self._announcements != self._view.announcements:
            self._announcements, self._since = self._view.announcements, self._now()

    def turn_ms(self) -> int | None:
        """Return the milliseconds that the player has left in the open turn, negative after the time is up.

        The result is None if the player's time is not limited, or if no turn is open.
        """
        self.note_arrival()
        left_ms = self._view.left_ms
        return None if left_ms is None or self._view.phase is not Phase.TURN else left_ms - self._passed_ms()

    def ready_seconds(self) -> int:
        """Return the whole seconds, at least 0, in which the player must begin the game that waits for `ready`.

        The result means nothing if no game waits for `ready`.
        """
        self.note_arrival()
        return max(0, self._view.ready_by_ms - self._passed_ms()) // 1000

    def _passed_ms(self) -> int:
        return round((self._now() - self._since) * 1000)
