"""What a person sees of a match, printed with rich: text that also makes sense without colors."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from evilpegs_clients.terminal.pegs import MARKS, all_parts, few_parts, marks, peg_text
from evilpegs_clients.verification.violation import Violation
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


class MatchScreen:
    """Prints to ``console``. A line begun with a prompt is ended before anything else is printed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._prompted = False

    def say(self, text: str | Text, style: str = "") -> None:
        """A line of its own."""
        if self._prompted:
            self._console.print()
            self._prompted = False
        self._console.print(text, style=style, markup=False, highlight=False)

    def ask(self, text: str | Text) -> None:
        """A prompt; what is typed follows on the same line."""
        self._console.print(text, end=" ", markup=False, highlight=False)
        self._prompted = True

    def answered(self, line: str) -> None:
        """The person has ended the line of the prompt; what is no terminal did not show it by itself."""
        if not self._console.is_terminal:
            self._console.print(line, markup=False, highlight=False)
        self._prompted = False

    def match(self, started: MatchStarted) -> None:
        """What is played, against whom and how fast."""
        repeats = "may repeat" if started.repeats else "occur once each"
        self.say(
            f"{started.ladder}: {started.pegs} pegs against {OPPONENTS[started.codemaker]}. {clock_words(started)}.",
            "bold",
        )
        self.say(Text.assemble("Colors ", peg_text(started.symbols), f", which {repeats}."))
        games = f", {started.games} games" if started.games > 1 else ""
        full, hollow, _ = MARKS[self._console.options.ascii_only]
        self.say(f"{full} a right color in the right place, {hollow} a right color in a wrong place.")
        self.say(f"{started.guess_limit} guesses a game{games}. Type a code, or help.")

    def game(self, started: GameStarted, games: int) -> None:
        """A game begins."""
        if games > 1:
            self.say(f"\nGame {started.game} of {games}", "bold")

    def turn(self, match: MatchStarted, answered: FeedbackGiven) -> None:
        """One row of the board."""
        ascii_only = self._console.options.ascii_only
        given = marks(answered.black, answered.white, match.pegs, ascii_only)
        row = Text.assemble(f"{answered.turn:>3}  ", peg_text(answered.code), "  ", given)
        row.append(f"  {answered.black} black, {answered.white} white")
        if answered.candidates is not None:
            row.append(f"  {answered.candidates:,} {'code' if answered.candidates == 1 else 'codes'} left")
        self.say(row)

    def choice(self, match: MatchStarted, answered: FeedbackGiven) -> None:
        """What evil or devil chose from, where practice tells it: some parts."""
        self.say(few_parts(answered, match.codemaker, self._console.width))

    def parts(self, match: MatchStarted, answered: FeedbackGiven) -> None:
        """Every part of a guess."""
        self.say(all_parts(answered, match.codemaker, self._console.width))

    def over(self, match: MatchStarted, game: GameOver, violations: Sequence[Violation]) -> None:
        """How a game ended, what the secret was, and whether the server was honest."""
        solved = game.outcome == "solved"
        self.say(f"{OUTCOMES[game.outcome]} after {_guesses(game.guesses)}.", "bold green" if solved else "bold")
        if game.secret is not None and not solved:
            what = "The secret was " if match.codemaker == "fixed" else "A code that fits every reply: "
            self.say(Text.assemble(what, peg_text(game.secret)))
        if violations:
            self.say(NOT_VERIFIED, "bold red")
            for violation in violations:
                self.say(f"  {violation}", "red")
        else:
            self.say(VERIFIED, "dim")

    def match_over(self, over: MatchOver, violations: Sequence[Violation]) -> None:
        """The match as a whole, where it had several games; and whether its record is unchanged."""
        solved = over.outcomes.count("solved")
        if len(over.outcomes) > 1:
            self.say(f"\n{solved} of {len(over.outcomes)} games solved, {_guesses(sum(over.guesses))}.", "bold")
        for violation in violations:
            self.say(f"{NOT_VERIFIED} {violation}", "bold red")

    def hint(self, hint: HintGiven) -> None:
        """A good guess and why."""
        self.say(Text.assemble("Try ", peg_text(hint.code), f" - it {hint.why}."))


def clock_words(match: MatchStarted) -> str:
    """How fast a game is, for people."""
    if match.clock is None:
        return "No clock"
    base, increment = match.clock.base_ms // 1000, match.clock.increment_ms // 1000
    return f"{base} seconds a game" + (f" and {increment} more after each guess" if increment else "")


def minutes(left_ms: int) -> str:
    """A time as 1:05; a begun second counts."""
    return "{}:{:02}".format(*divmod(-(-max(0, left_ms) // 1000), 60))


def _guesses(number: int) -> str:
    return f"{number} {'guess' if number == 1 else 'guesses'}"
