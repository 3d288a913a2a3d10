"""What came of the matches of a bot."""

from dataclasses import dataclass

from evilpegs_clients.verification.violation import Finding
from evilpegs_protocol.server_messages import Outcome


@dataclass(frozen=True, slots=True)
class GameSummary:
    """How a game ended, and whether everything the server said in it was true."""

    match: str
    game: int
    outcome: Outcome
    guesses: int
    findings: tuple[Finding, ...]

    @property
    def verified(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """The games of a match; ``findings`` are about its record as a whole.

    ``over_budget`` counts the turns at which the strategy would have taken too long, so that the first
    candidate was played.
    """

    match: str
    ladder: str
    games: tuple[GameSummary, ...]
    findings: tuple[Finding, ...]
    over_budget: int

    @property
    def verified(self) -> bool:
        """Whether nothing was found wrong, in the record and in all its games."""
        return not self.findings and all(game.verified for game in self.games)


@dataclass(frozen=True, slots=True)
class BotSummary:
    """The matches of a run, in the order of play; ``player`` is the name they were played under."""

    player: str
    matches: tuple[MatchSummary, ...]

    @property
    def games(self) -> tuple[GameSummary, ...]:
        """Every game of every match."""
        return tuple(game for match in self.matches for game in match.games)

    @property
    def over_budget(self) -> int:
        """The turns of all matches that were cut short."""
        return sum(match.over_budget for match in self.matches)

    @property
    def verified(self) -> bool:
        """Whether nothing was found wrong at all."""
        return all(match.verified for match in self.matches)
