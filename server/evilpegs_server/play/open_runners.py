"""An index of the open matches by id and by player."""

from collections.abc import Iterator

from evilpegs_server.play.runner import MatchRunner


class OpenRunners:
    def __init__(self) -> None:
        self._by_id: dict[str, MatchRunner] = {}
        # by player: a scan would grow with the number of open matches
        self._by_player: dict[int, dict[str, MatchRunner]] = {}
        self.practice = 0
        """Open matches on practice ladders."""

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[MatchRunner]:
        return iter(tuple(self._by_id.values()))

    def get(self, match: str) -> MatchRunner | None:
        return self._by_id.get(match)

    def of_player(self, player: int) -> list[MatchRunner]:
        return list(self._by_player.get(player, {}).values())

    def add(self, runner: MatchRunner) -> None:
        self._by_id[runner.key.id] = runner
        self._by_player.setdefault(runner.player, {})[runner.key.id] = runner
        self.practice += not runner.key.ladder.rated

    def remove(self, runner: MatchRunner) -> None:
        if self._by_id.pop(runner.key.id, None) is None:
            return
        self.practice -= not runner.key.ladder.rated
        own = self._by_player[runner.player]
        del own[runner.key.id]
        if not own:
            del self._by_player[runner.player]
