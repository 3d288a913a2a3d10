"""A screen that prints a match with the library rich, as text that also makes sense without colors."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.text import Text

from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.console import MARK_SYMBOLS
from evilpegs_clients.terminal.pegs import feedback_marks, peg_text
from evilpegs_clients.terminal.screen import Screen
from evilpegs_clients.verification.violation import Violation
from evilpegs_protocol.fields import Codemaker
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    HintGiven,
    MatchOver,
    MatchStarted,
)

HELP: Final = """\
  1122           a guess: one symbol a peg, spaces do not matter
  hint or ?      a good guess and why (practice ladders)
  Enter          the board, and the clock
  parts          what each reply to the last guess would leave (practice ladders)
  resign         give up this game; resign match: every game left
  quit or q      leave without resigning; you can come back"""

OUTCOMES: Final = {
    "solved": "Solved",
    "unsolved": "Not solved",
    "flagged": "Your time is up",
    "resigned": "Resigned",
    "forfeit": "Forfeited",
    "void": "The server failed; this game does not count",
}

VERIFIED: Final = "Verified: the commitment and every reply hold."
NOT_VERIFIED: Final = "NOT verified:"

OPPONENTS: Final = {
    "fixed": "a fixed secret",
    "evil": "an evil codemaker, who has no secret yet",
    "devil": "a devil, who has no secret yet and thinks to the end",
}

FEW: Final = 3
INDENT: Final = "     "


class MatchScreen(Screen):
    """A screen that prints one match; an argument ``match`` is its first event."""

    def match(self, started: MatchStarted) -> None:
        repeats = "may repeat" if started.repeats else "occur once each"
        opponent, time_control = OPPONENTS[started.codemaker], time_control_text(started)
        self.say(f"{started.ladder}: {started.pegs} pegs against {opponent}. {time_control}.", "bold")
        self.say(Text.assemble("Colors ", peg_text(started.symbols), f", which {repeats}."))
        games = f", {started.games} games" if started.games > 1 else ""
        full, hollow, _ = MARK_SYMBOLS[self.console.options.ascii_only]
        self.say(f"{full} a right color in the right place, {hollow} a right color in a wrong place.")
        self.say(f"{started.guess_limit} guesses per game{games}. Type a code, or help.")

    def game(self, started: GameStarted, games: int) -> None:
        if games > 1:
            self.say(f"\nGame {started.game} of {games}", "bold")

    def turn(self, match: MatchStarted, event: FeedbackGiven) -> None:
        ascii_only = self.console.options.ascii_only
        marks = feedback_marks(event.black, event.white, match.pegs, ascii_only)
        row = Text.assemble(f"{event.turn:>3}  ", peg_text(event.code), "  ", marks)
        row.append(f"  {event.black} black, {event.white} white")
        if event.candidates is not None:
            row.append(f"  {event.candidates:,} {'code' if event.candidates == 1 else 'codes'} left")
        self.say(row)

    def choice(self, match: MatchStarted, event: FeedbackGiven) -> None:
        self.say(largest_parts_text(event, match.codemaker, self.console.width))

    def parts(self, match: MatchStarted, event: FeedbackGiven) -> None:
        self.say(all_parts_text(event, match.codemaker, self.console.width))

    def outcome(self, match: MatchStarted, game: GameOver) -> None:
        solved = game.outcome == "solved"
        self.say(f"{OUTCOMES[game.outcome]} after {_guesses(game.guesses)}.", "bold green" if solved else "bold")
        if game.secret is not None and not solved:
            what = "The secret was " if match.codemaker == "fixed" else "A code that fits every reply: "
            self.say(Text.assemble(what, peg_text(game.secret)))

    def over(self, match: MatchStarted, game: GameOver, violations: Sequence[Violation]) -> None:
        self.outcome(match, game)
        if violations:
            self.say(NOT_VERIFIED, "bold red")
            for violation in violations:
                self.say(f"  {violation}", "red")
        else:
            self.say(VERIFIED, "dim")

    def match_over(self, over: MatchOver, violations: Sequence[Violation]) -> None:
        solved = over.outcomes.count("solved")
        if len(over.outcomes) > 1:
            self.say(f"\n{solved} of {len(over.outcomes)} games solved, {_guesses(sum(over.guesses))}.", "bold")
        for violation in violations:
            self.say(f"{NOT_VERIFIED} {violation}", "bold red")

    def hint(self, hint: HintGiven) -> None:
        self.say(Text.assemble("Try ", peg_text(hint.code), f" - it {printable(hint.why)}."))


def time_control_text(match: MatchStarted) -> str:
    if match.clock is None:
        return "No clock"
    base, increment = match.clock.base_ms // 1000, match.clock.increment_ms // 1000
    return f"{base} seconds per game" + (f" and {increment} more after each guess" if increment else "")


def clock_text(left_ms: int) -> str:
    """Return the time as minutes and seconds like 1:05, rounded up; 0:00 if it is negative."""
    return "{}:{:02}".format(*divmod(-(-max(0, left_ms) // 1000), 60))


def _guesses(number: int) -> str:
    return f"{number} {'guess' if number == 1 else 'guesses'}"


def largest_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return the `FEW` largest parts under a heading; the reply of a devil that searched ahead comes first."""
    parts = _parts(event, reply_first=event.method == "exact")
    more = len(parts) - FEW
    tail = [Text(f"and {more} more: type parts", "dim")] if more > 0 else []
    return _wrap([_heading_text(event, codemaker), *parts[:FEW], *tail], width)


def all_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    return _wrap([_heading_text(event, codemaker), *_parts(event)], width)


def _heading_text(event: FeedbackGiven, codemaker: Codemaker) -> Text:
    headings = {
        "fixed": f"the parts of {event.code}:",
        "evil": "evil kept the largest part:",
        "devil": f"the devil kept the {'hardest' if event.method == 'exact' else 'largest'} part:",
    }
    return Text(headings[codemaker], "dim")


def _parts(event: FeedbackGiven, reply_first: bool = False) -> list[Text]:
    reply = (event.black, event.white)
    rows = sorted(event.parts or (), key=lambda row: (reply_first and row[:2] != reply, -row[2], row[:2] != reply))
    texts = [((black, white) == reply, f"{black},{white}: {size:,}") for black, white, size in rows]
    return [Text(f"[{text}]", "bold") if is_reply else Text(text, "dim") for is_reply, text in texts]


def _wrap(pieces: Iterable[Text], width: int) -> Text:
    lines = [Text(INDENT)]
    for piece in pieces:
        gap = "  " if len(lines[-1]) > len(INDENT) else ""
        if gap and len(lines[-1]) + len(gap) + len(piece) > width:
            lines.append(Text(INDENT))
            gap = ""
        lines[-1].append(gap).append_text(piece)
    return Text("\n").join(lines)
