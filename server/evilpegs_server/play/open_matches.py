"""The open matches of this server, by their ids and by their players."""

import orjson

from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import OpenMatch
from evilpegs_server.play.runner import MatchRunner


class OpenMatches:
    def __init__(self) -> None:
        self._by_id: dict[str, MatchRunner] = {}
        # a scan would grow with the number of open matches
        self._by_player: dict[int, dict[str, MatchRunner]] = {}
        self.practice = 0
        """How many are on ladders that are not rated."""

    def add(self, runner: MatchRunner) -> None:
        self._by_id[runner.key.id] = runner
        self._by_player.setdefault(runner.player, {})[runner.key.id] = runner
        self.practice += not runner.key.ladder.rated

    def remove(self, runner: MatchRunner) -> None:
        """Remove a match, if it is there."""
        if self._by_id.pop(runner.key.id, None) is None:
            return
        self.practice -= not runner.key.ladder.rated
        own = self._by_player[runner.player]
        del own[runner.key.id]
        if not own:
            del self._by_player[runner.player]

    def get(self, match: str) -> MatchRunner | None:
        return self._by_id.get(match)

    @property
    def runners(self) -> tuple[MatchRunner, ...]:
        return tuple(self._by_id.values())

    def of_player(self, player: int) -> list[MatchRunner]:
        return list(self._by_player.get(player, {}).values())

    def listed(self, player: int) -> list[OpenMatch]:
        return [_open_match(runner) for runner in self.of_player(player)]

    def abandon(self, player: int) -> None:
        """Forfeit the matches of a player who is gone for good."""
        for runner in self.of_player(player):
            runner.abandon()

    def __len__(self) -> int:
        return len(self._by_id)


def _open_match(runner: MatchRunner) -> OpenMatch:
    client = Program(**orjson.loads(runner.event_log.entries[0].text)["client"])
    return OpenMatch(match=runner.key.id, seq=runner.sent_count, ladder=runner.key.ladder.id, client=client)
