"""The results of a bot's run."""

from dataclasses import dataclass
from typing import Any

from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_clients.verification.violation import NotChecked, Violation
from evilpegs_game.feedback import History
from evilpegs_game.live.position import Position
from evilpegs_protocol.fields import Outcome


@dataclass(frozen=True, slots=True)
class GameSummary:
    """The result of one game; ``history`` has the answered turns."""

    match: str
    game: int
    outcome: Outcome
    guesses: int
    violations: tuple[Violation, ...]
    history: History = ()

    @property
    def verified(self) -> bool:
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "outcome": self.outcome,
            "guesses": self.guesses,
            "verified": self.verified,
            "findings": [str(violation) for violation in self.violations],
        }


@dataclass(frozen=True, slots=True)
class StrategyFailure:
    """A failure of the strategy at ``position``, with the data needed to reproduce it.

    ``match`` and ``game``, which was resigned, are None if nothing was played yet. ``secret`` agrees with every reply:
    the fixed secret or the witness; None if the server showed no code.
    """

    match: str | None
    game: int | None
    position: Position
    seed: int
    secret: str | None
    error: StrategyError


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """The results of one match, its games in the order of play.

    ``violations`` concern the record as a whole, not a single game. ``not_checked`` lists the statements that could not
    be checked, for example because the server had stopped. ``over_budget`` counts the turns at which the first
    candidate was played because the strategy would have taken too long.
    """

    match: str
    ladder: str
    games: tuple[GameSummary, ...]
    violations: tuple[Violation, ...]
    over_budget: int
    failures: tuple[StrategyFailure, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def verified(self) -> bool:
        return not self.violations and all(game.verified for game in self.games)

    def to_json(self) -> dict[str, Any]:
        """Return the match as a JSON object of `evilpegs bot --json`."""
        return {
            "match": self.match,
            "ladder": self.ladder,
            "verified": self.verified,
            "findings": [str(violation) for violation in self.violations],
            "not_checked": [str(remark) for remark in self.not_checked],
            "games": [game.to_json() for game in self.games],
        }


@dataclass(frozen=True, slots=True)
class BotSummary:
    """The results of a run, its matches in the order of play."""

    player: str
    matches: tuple[MatchSummary, ...]

    @property
    def games(self) -> tuple[GameSummary, ...]:
        return tuple(game for match in self.matches for game in match.games)

    @property
    def failures(self) -> tuple[StrategyFailure, ...]:
        """Failures of the strategy in all matches; after each one the game was resigned."""
        return tuple(failure for match in self.matches for failure in match.failures)

    @property
    def over_budget(self) -> int:
        return sum(match.over_budget for match in self.matches)

    @property
    def verified(self) -> bool:
        return all(match.verified for match in self.matches)
