"""The result of a verification: the statements of a server that do not hold or could not be checked."""

from dataclasses import dataclass
from enum import StrEnum

from evilpegs_clients.printable import printable


class Subject(StrEnum):
    """The part of a record that a violation concerns."""

    RECORD = "record"  # each event is readable, none is missing, and they are in order
    END = "end"  # if it is missing, the match is still open, or somebody has cut the record off
    HEAD = "head"  # the hash in the last event, which covers all earlier events
    SUMMARY = "summary"  # the numbers in the last event that sum up the match
    RULES = "rules"
    CODEMAKER = "codemaker"  # with its tie rule, and the number of candidates up to which a devil replies exactly
    COMMITMENT = "commitment"
    NONCE = "nonce"  # the server's nonce, if it is not revealed
    CLIENT_NONCE = "client_nonce"
    TURN = "turn"  # the number, the code and the feedback of a turn, each taken alone
    GUESSES = "guesses"
    OUTCOME = "outcome"
    CLOCK = "clock"  # the times of the turns and of the game
    FLAG = "flag"  # the moment at which the time on the clock was up
    DRAW = "draw"  # the secret of a fixed codemaker, drawn from the nonces
    REPLY = "reply"  # the feedback that the codemaker chose
    TIE = "tie"  # the choice among parts of equal size
    METHOD = "method"  # the method that a devil names for its reply
    WITNESS = "witness"
    HELP = "help"  # the candidates and parts shown on practice ladders
    SIGNATURE = "signature"
    PLAYED = "played"  # the events that a player received while the match was played


@dataclass(frozen=True, slots=True)
class Violation:
    """A statement of the server that does not hold; ``turn`` 0 is the whole game, and ``game`` 0 the whole match."""

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
