"""An index of the open matches by id and by player."""

from collections.abc import Iterator

from evilpegs_server.matches.runner import MatchRunner


class OpenRunners:
    """The runners of open matches, by id and by player. Iterating yields them in the order in which they were added.

    A connection plays only matches of its own player. To find these matches, only the matches of the player are
    searched, and the search takes no longer if other players have more open matches.
    """

    def __init__(self) -> None:
        self._by_id: dict[str, MatchRunner] = {}
        self._by_player: dict[int, dict[str, MatchRunner]] = {}
        self.practice = 0
        """The number of open matches on practice ladders."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[MatchRunner]:
        return iter(tuple(self._by_id.values()))

    def get(self, match: str) -> MatchRunner | None:
        """Return the runner of the match with the id ``match``, or None if that match is not open."""
        return self._by_id.get(match)

    def of_player(self, player: int) -> list[MatchRunner]:
        """Return the runners of the open matches of the player with the id ``player``."""
        return list(self._by_player.get(player, {}).values())

    def add(self, runner: MatchRunner) -> None:
        """Add the runner of a match that has begun or was resumed."""
        self._by_id[runner.key.id] = runner
        self._by_player.setdefault(runner.player, {})[runner.key.id] = runner
        self.practice += not runner.key.ladder.rated

    def remove(self, runner: MatchRunner) -> None:
        """Remove the runner of a match that is over or must be read again; do nothing if it was removed before."""
        if self._by_id.pop(runner.key.id, None) is None:
            return
        self.practice -= not runner.key.ladder.rated
        own = self._by_player[runner.player]
        del own[runner.key.id]
        if not own:
            del self._by_player[runner.player]
