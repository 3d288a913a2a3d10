"""What a verification found wrong, and where."""

from dataclasses import dataclass
from enum import StrEnum


class Subject(StrEnum):
    """The part of a record that a finding is about."""

    RECORD = "record"
    """The events: each can be read, none is missing, and they are in order."""
    HEAD = "head"
    """The hash over the whole record."""
    SUMMARY = "summary"
    """The sums in the last event."""
    RULES = "rules"
    CODEMAKER = "codemaker"
    """The codemaker with its tie rule and its bound."""
    COMMITMENT = "commitment"
    NONCE = "nonce"
    """The server's nonce, where it is not opened."""
    CLIENT_NONCE = "client_nonce"
    TURN = "turn"
    """The number, the code and the feedback of a turn, each by itself."""
    GUESSES = "guesses"
    """The number of guesses."""
    OUTCOME = "outcome"
    CLOCK = "clock"
    """The times of the turns and of the game."""
    FLAG = "flag"
    """The moment when the time is up."""
    DRAW = "draw"
    """The secret of a fixed codemaker, drawn from the nonces."""
    REPLY = "reply"
    """The feedback that the codemaker chose."""
    TIE = "tie"
    """The choice among equal parts."""
    METHOD = "method"
    """The method that a devil names for its reply."""
    WITNESS = "witness"
    """The code that evil or devil shows at the end."""
    HELP = "help"
    """The candidates and parts shown on practice ladders."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that does not hold. ``game`` and ``turn`` are 0 where it concerns the whole match or game."""

    what: str
    game: int = 0
    turn: int = 0
    subject: Subject = Subject.RECORD

    def __str__(self) -> str:
        places = [f"{name} {number}" for name, number in (("game", self.game), ("turn", self.turn)) if number]
        return f"{', '.join(places) or 'match'}: {self.what}"


@dataclass(frozen=True, slots=True)
class NotChecked(Violation):
    """One thing that could not be checked: it may hold or not."""
