"""The open matches, found by id, by player and by number without looking at the others."""

from collections.abc import Iterator

from evilpegs_server.matches.runner import MatchRunner


class OpenRunners:
    """The runners of open matches, by id and by player, in the order in which they were added.

    A match belongs to one player, and only their connections can have its seat. So the matches of a connection are
    among the few of its player, and the cost of finding them does not depend on how many matches are open.
    """

    def __init__(self) -> None:
        self._by_id: dict[str, MatchRunner] = {}
        self._by_player: dict[int, dict[str, MatchRunner]] = {}
        self.practice = 0
        """The number of matches on practice ladders."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[MatchRunner]:
        return iter(tuple(self._by_id.values()))

    def get(self, match: str) -> MatchRunner | None:
        """Return the runner of a match, None if it is not open."""
        return self._by_id.get(match)

    def of_player(self, player: int) -> list[MatchRunner]:
        """Return the runners of a player's matches."""
        return list(self._by_player.get(player, {}).values())

    def add(self, runner: MatchRunner) -> None:
        """Add the runner of a match that has begun or was resumed."""
        self._by_id[runner.key.id] = runner
        self._by_player.setdefault(runner.player, {})[runner.key.id] = runner
        self.practice += not runner.key.ladder.rated

    def remove(self, runner: MatchRunner) -> None:
        """Remove a match that is over or must be read again; nothing happens if it was removed before."""
        if self._by_id.pop(runner.key.id, None) is None:
            return
        self.practice -= not runner.key.ladder.rated
        own = self._by_player[runner.player]
        del own[runner.key.id]
        if not own:
            del self._by_player[runner.player]
