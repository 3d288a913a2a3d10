"""What the independent check found, and what it could not check."""

from dataclasses import dataclass

from evilpegs_clients.finding import Finding, NotChecked


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """One game, with all that is to be said about it; nothing: all is well."""

    game: int
    outcome: str | None
    guesses: int
    witness: str | None
    said: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What does not hold."""
        return tuple(finding for finding in self.said if not isinstance(finding, NotChecked))

    @property
    def not_checked(self) -> tuple[NotChecked, ...]:
        """What could not be checked, which says neither that it holds nor that it does not."""
        return tuple(finding for finding in self.said if isinstance(finding, NotChecked))


@dataclass(frozen=True, slots=True)
class Report:
    """All games of a record; ``unreadable`` says why there are none where the record cannot be read."""

    games: tuple[CheckedGame, ...]
    unreadable: str | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that does not hold."""
        whole = () if self.unreadable is None else (Finding(self.unreadable),)
        return (*whole, *(finding for game in self.games for finding in game.findings))

    @property
    def not_checked(self) -> tuple[NotChecked, ...]:
        """Everything that could not be checked."""
        return tuple(finding for game in self.games for finding in game.not_checked)
