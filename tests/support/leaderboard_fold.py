"""The plain leaderboard: a pure fold over the events of records, without luck."""

from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, MatchOver, MatchStarted
from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.standing import games_for_rank


class LeaderboardFold:
    """The leaderboard of one ladder, from events that are added one at a time.

    The events of a match must be in order; those of several matches may alternate. Matches count as started in the
    order of their first events. Events of other ladders and of practice matches are ignored.
    """

    def __init__(self, ladder):
        self._ladder = ladder
        self._leaderboard = None
        self._numbers = {}
        self._started = 0
        self._open = {}
        self._times = {}

    def add(self, event):
        if isinstance(event, MatchStarted):
            if event.ladder == self._ladder and event.rated:
                self._add_start(event)
        elif self._leaderboard is not None and event.match in self._open:
            self._add_to_match(self._leaderboard, self._open[event.match], event)

    def rows(self):
        return [] if self._leaderboard is None else self._leaderboard.rows()

    def _add_start(self, event):
        if self._leaderboard is None:
            ranked_from = games_for_rank(event.codemaker)
            self._leaderboard = Leaderboard(guess_limit=event.guess_limit, ranked_from=ranked_from, adjusted=False)
        self._open[event.match] = event
        self._started += 1
        number = self._numbers.setdefault(event.player, len(self._numbers))
        self._leaderboard.set_player(number, event.player)
        self._leaderboard.version(number, _client(event)).add_matches(1, self._started, self._started)

    def _add_to_match(self, leaderboard, started, event):
        player, client = self._numbers[started.player], _client(started)
        match event:
            case FeedbackGiven():
                self._times.setdefault((event.match, event.game), []).append(event.took_ms)
            case GameOver():
                times_ms = self._times.pop((event.match, event.game), [])
                leaderboard.add_games(player, client, event.outcome, event.guesses)
                if event.outcome != "void":
                    leaderboard.version(player, client).times_ms.update(times_ms)
            case MatchOver():
                del self._open[started.match]
            case _:
                pass


def leaderboard(events, ladder):
    """Return the rows of a `LeaderboardFold` over ``events``, best first."""
    fold = LeaderboardFold(ladder)
    for event in events:
        fold.add(event)
    return fold.rows()


def _client(started):
    return f"{started.client.name} {started.client.version}"
