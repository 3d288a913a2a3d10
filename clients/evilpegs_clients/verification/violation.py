"""The result of a verification: the statements of a server that do not hold or could not be checked."""

from dataclasses import dataclass
from enum import StrEnum

from evilpegs_clients.printable import printable


class Subject(StrEnum):
    """The part of a record that a violation concerns."""

    RECORD = "record"
    """The events: each is readable, none is missing, and they are in order."""
    END = "end"
    """The end of the record. If it is missing, the match is still open, or somebody has cut the record off."""
    HEAD = "head"
    """The hash in the last event, which covers all earlier events."""
    SUMMARY = "summary"
    """The numbers in the last event that sum up the match."""
    RULES = "rules"
    CODEMAKER = "codemaker"
    """The codemaker with its tie rule, and the number of candidates up to which a devil replies exactly."""
    COMMITMENT = "commitment"
    NONCE = "nonce"
    """The server's nonce, if it is not revealed."""
    CLIENT_NONCE = "client_nonce"
    TURN = "turn"
    """The number, the code and the feedback of a turn, each taken alone."""
    GUESSES = "guesses"
    """The number of guesses."""
    OUTCOME = "outcome"
    CLOCK = "clock"
    """The times of the turns and of the game."""
    FLAG = "flag"
    """The moment at which the time on the clock was up."""
    DRAW = "draw"
    """The secret of a fixed codemaker, drawn from the nonces."""
    REPLY = "reply"
    """The feedback that the codemaker chose."""
    TIE = "tie"
    """The choice among parts of equal size."""
    METHOD = "method"
    """The method that a devil names for its reply."""
    WITNESS = "witness"
    """The code that evil or devil reveals at the end."""
    HELP = "help"
    """The candidates and parts shown on practice ladders."""
    SIGNATURE = "signature"
    """The signature of the server over the whole record."""
    PLAYED = "played"
    """The events that a player received while the match was played."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One statement of the server that does not hold; ``what`` is the explanation for people.

    ``game`` and ``turn`` are the numbers, from 1, of the game and the turn that the statement concerns. ``game`` is 0
    if it concerns the whole match, and ``turn`` is 0 if it concerns the whole match or game.
    """

    what: str
    game: int = 0
    turn: int = 0
    subject: Subject = Subject.RECORD

    def __str__(self) -> str:
        position = [f"{name} {number}" for name, number in (("game", self.game), ("turn", self.turn)) if number]
        return f"{', '.join(position) or 'match'}: {printable(self.what)}"


@dataclass(frozen=True, slots=True)
class NotChecked(Violation):
    """A statement of the server that could not be checked, and so may be true or false."""


@dataclass(frozen=True, slots=True)
class Doubt(Violation):
    """A statement of the server that is unlikely to be true, but possible, so that the record is not refuted."""
