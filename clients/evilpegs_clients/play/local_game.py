"""Games at a terminal without a server: each turn is printed as if one had sent its feedback event."""

import shlex
from collections.abc import Callable
from datetime import date
from typing import Any, Final

from evilpegs_clients.challenge import Challenge
from evilpegs_clients.daily import (
    DailyTerms,
    after_reply,
    daily_codemaker,
    daily_position,
    daily_terms,
    is_solved,
    share_text,
)
from evilpegs_clients.play.match_dialog import COMMANDS, PlayCommand, parse_command
from evilpegs_clients.play.match_screen import MatchScreen
from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.console import PipedConsole
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_clients.terminal.screen import Dialog, LeaveError, open_prompt
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import format_code, rules_fields
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import History
from evilpegs_game.live.position import Position
from evilpegs_protocol.fields import Outcome, Program
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, MatchStarted

LOCAL_HELP: Final = """\
  1122           a guess: one symbol per peg, spaces do not matter
  Enter          the board
  parts          what each reply to the last guess would have left
  resign         give up, and see the secret, or a code that fits
  quit or q      leave; the game stays the same"""
# from the turns, and whether marks are letters, to the text to share
Result = Callable[[History, bool], str]
# of each event, because no server numbers or sends it
_UNSENT: Final[dict[str, Any]] = {"match": "0" * 16, "seq": 0, "at": 0}


async def run_daily(day: date, *, prompt: Prompt | None = None) -> None:
    again = f"evilpegs play --daily --date {day}"
    game = f"daily-{day}", daily_terms(day), daily_position(day)
    await _run(*game, again, lambda *played: f"{share_text(day, *played)}\n{again}", prompt)


async def run_challenge(challenge: Challenge, link: str, *, prompt: Prompt | None = None) -> None:
    is_own = challenge.commitment is not None
    last = "Send this to whoever set the code: their page checks it at #/set." if is_own else printable(link)
    again = f"evilpegs play --challenge {shlex.quote(printable(link))}"
    game = "challenge", challenge.terms, Position(challenge.terms.rules)
    await _run(*game, again, lambda *played: f"{challenge.result(*played)}\n{last}", prompt)


async def _run(
    name: str, terms: DailyTerms, start: Position, again: str, result: Result, prompt: Prompt | None
) -> None:
    screen = MatchScreen(prompt or open_prompt(PipedConsole(), COMMANDS))
    dialog = Dialog(screen)
    game = LocalGame(name, terms, start, dialog, screen)
    try:
        await game.play()
        screen.say(f"\n{result(game.position.history, screen.console.options.ascii_only)}")
    except LeaveError:
        screen.say(f"Goodbye. To begin the game again: {again}")
    finally:
        dialog.close()


class LocalGame:
    """A game from ``position``, which is then the one after the latest reply."""

    def __init__(self, name: str, terms: DailyTerms, position: Position, dialog: Dialog, screen: MatchScreen) -> None:
        self.position = position
        self._terms = terms
        self._codemaker = daily_codemaker(terms)
        self._dialog = dialog
        self._screen = screen
        self._started = _describe(name, terms)
        self._events = [_feedback_event(Position(terms.rules), position)] if self._turns else []

    async def play(self) -> None:
        """Play to the end of the game; raises LeaveError if the person wants to leave."""
        self._screen.match(self._started)
        if self._events:
            self._screen.say("The date has made the first guess; it counts.")
            self._show_reply()
        while (outcome := await self._move()) is None:
            pass
        self._screen.outcome(self._started, self._end(outcome))

    @property
    def _turns(self) -> int:
        return len(self.position.history)

    def _end(self, outcome: Outcome) -> GameOver:
        return GameOver(
            **_UNSENT,
            game=1,
            outcome=outcome,
            guesses=self._turns,
            elapsed_ms=0,
            secret=format_code(
                self._codemaker.secret if isinstance(self._codemaker, Fixed) else self.position.first_candidate
            ),
            nonce=None,
        )

    async def _move(self) -> Outcome | None:
        line = await self._dialog.ask(f"Guess {self._turns + 1} of {self._terms.limit} >")
        try:
            command = parse_command(line, self._terms.rules)
        except GameError as error:
            self._screen.say(str(error))
            return None
        if isinstance(command, PlayCommand):
            return self._execute(command)
        before, self.position = self.position, after_reply(self.position, command, self._codemaker)
        self._events.append(_feedback_event(before, self.position))
        self._show_reply()
        if is_solved(self.position.history):
            return "solved"
        return "unsolved" if self._turns == self._terms.limit else None

    def _execute(self, command: PlayCommand) -> Outcome | None:
        match command:
            case PlayCommand.SHOW:
                for event in self._events:
                    self._screen.turn(self._started, event)
            case PlayCommand.HELP:
                self._screen.say(LOCAL_HELP)
            case PlayCommand.HINT:
                self._screen.say("This game gives no hints.")
            case PlayCommand.PARTS if not self._events:
                self._screen.say("Parts are shown of the last guess; make one first.")
            case PlayCommand.PARTS:
                self._screen.parts(self._started, self._events[-1])
            case PlayCommand.RESIGN | PlayCommand.RESIGN_MATCH:
                return "resigned"
            case PlayCommand.QUIT:
                raise LeaveError
        return None

    def _show_reply(self) -> None:
        self._screen.turn(self._started, self._events[-1])
        if self._started.codemaker != "fixed":
            self._screen.choice(self._started, self._events[-1])


def _describe(name: str, terms: DailyTerms) -> MatchStarted:
    rules, codemaker, limit, seed, _ = terms
    return MatchStarted(
        **_UNSENT,
        player="player",
        client=Program(name="evilpegs play", version="local"),
        ladder=name,
        **rules_fields(rules),
        guess_limit=limit,
        codemaker=codemaker,
        tie=None if codemaker == "fixed" else "largest/seeded" if seed else "largest",
        clock=None,
        games=1,
        rated=False,
    )


def _feedback_event(before: Position, after: Position) -> FeedbackGiven:
    guess, feedback = after.history[-1]
    return FeedbackGiven(
        **_UNSENT,
        game=1,
        turn=len(after.history),
        code=format_code(guess),
        **feedback._asdict(),
        took_ms=0,
        left_ms=None,
        candidates=after.count,
        parts=tuple((part.black, part.white, size) for part, size in before.parts(guess).items()),
    )
