"""The results of a bot's run: its games, its matches and all of them together."""

from dataclasses import dataclass
from typing import Any

from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_clients.verification.violation import NotChecked, Violation
from evilpegs_game.history import History
from evilpegs_game.live.position import Position
from evilpegs_protocol.fields import Outcome


@dataclass(frozen=True, slots=True)
class GameSummary:
    """The result of one game: its outcome, its guesses, and the violations, statements of the server that do not hold.

    ``match`` is the id of the match, ``game`` the number of the game from 1, and ``guesses`` the number of guesses.
    ``history`` has the answered turns.
    """

    match: str
    game: int
    outcome: Outcome
    guesses: int
    violations: tuple[Violation, ...]
    history: History = ()

    @property
    def verified(self) -> bool:
        """True if verification found no violation in the game."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        """Return the game as a JSON object, without the id of its match."""
        return {
            "game": self.game,
            "outcome": self.outcome,
            "guesses": self.guesses,
            "verified": self.verified,
            "findings": [str(violation) for violation in self.violations],
        }


@dataclass(frozen=True, slots=True)
class StrategyFailure:
    """A failure of the strategy at ``position``, with the data needed to reproduce the failure.

    ``match`` is the id of the match and ``game`` the number of the game, from 1, which was resigned. Both are None if
    the strategy failed before anything was played. ``seed`` is the seed of the game. ``secret`` is a code that agrees
    with every reply: the secret of a fixed codemaker, or the code that evil or a devil showed at the end. It is None if
    the server showed no code.
    """

    match: str | None
    game: int | None
    position: Position
    seed: int
    secret: str | None
    error: StrategyError


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """The results of one match: its games in the order of play, and the violations and failures that were found.

    ``match`` and ``ladder`` are ids. ``violations`` are the statements of the server that do not hold and that concern
    the record of the match as a whole, not a single game. ``not_checked`` lists the statements that could not be
    checked, for example because the server had stopped. ``over_budget`` counts the turns at which the first candidate
    was played because the strategy would have taken too long. ``failures`` are those of the strategy in this match.
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
        """True if verification found no violation in the record or in any of its games."""
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
    """The results of a run: its matches in the order of play, and the name of the player."""

    player: str
    matches: tuple[MatchSummary, ...]

    @property
    def games(self) -> tuple[GameSummary, ...]:
        """The games of all matches, in the order of play."""
        return tuple(game for match in self.matches for game in match.games)

    @property
    def failures(self) -> tuple[StrategyFailure, ...]:
        """The failures of the strategy in all matches, in the order of play; after each one the game was resigned."""
        return tuple(failure for match in self.matches for failure in match.failures)

    @property
    def over_budget(self) -> int:
        """The number of turns, over all matches, at which the first candidate replaced the strategy's guess."""
        return sum(match.over_budget for match in self.matches)

    @property
    def verified(self) -> bool:
        """True if verification found no violation in any match."""
        return all(match.verified for match in self.matches)
