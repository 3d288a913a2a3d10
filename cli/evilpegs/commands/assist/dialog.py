"""The dialog at a real board: read a line, do what it says, show what follows from it."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext

from evilpegs.commands.assist.advice import Advice, Adviser, AssistHistory
from evilpegs.commands.assist.input import AssistCommand, AssistLine, RowChange, example, help_text, parse_line
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.errors import CommandError
from evilpegs.output import pluralize
from evilpegs_game.errors import GameError
from evilpegs_game.history import Turn
from evilpegs_game.rules import Rules

MOST_CODES = 500
"""So many codes are listed when they are asked for."""

ReadLine = Callable[[str], str | None]
"""Shows a prompt and gives the line that was typed; None at the end of the input."""


class AssistDialog:
    """Talks to a person. ``thinking`` surrounds whatever may take long."""

    def __init__(
        self,
        rules: Rules,
        screen: AssistScreen,
        read: ReadLine,
        thinking: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._screen = screen
        self._read = read
        self._thinking = thinking
        self._adviser = Adviser(rules)
        self._board = AssistHistory(rules)

    def run(self, board: AssistHistory) -> None:
        """Talk until the person leaves.

        Raises:
            TooLargeError: nothing can be said of these rules.
        """
        self._move_to(board, range(1, len(board.rows) + 1))
        self._screen.say(f"Type a guess and what it got, black and white: {example(board.rules)} 1,0; or help.", "dim")
        while (typed := self._read(f"{len(self._board.rows) + 1:>3}> ")) is not None:
            self._screen.typed(typed)
            try:
                line = parse_line(typed, self._board.rules)
                if line is AssistCommand.QUIT:
                    return
                self._do(line)
            except (GameError, CommandError) as error:
                self._screen.say(str(error), "red")
        self._screen.say("")

    def _do(self, line: AssistLine) -> None:
        if isinstance(line, AssistCommand):
            self._do_word(line)
        elif isinstance(line, Turn):
            board = self._board.add(line)
            self._move_to(board, [len(board.rows)])
        elif isinstance(line, RowChange):
            guess = line.guess or self._board.row(line.number).guess
            self._move_to(self._board.change(line.number, Turn(guess, line.feedback)), [line.number])
        else:
            with self._thinking():
                figures = self._adviser.weigh(self._board, line)
            self._screen.weighed(figures)

    def _do_word(self, word: AssistCommand) -> None:
        if word is AssistCommand.HELP:
            self._screen.say(help_text(self._board.rules))
        elif word is AssistCommand.ROWS:
            self._show_rows()
        elif word is AssistCommand.CODES:
            self._show_codes()
        elif word is AssistCommand.UNDO:
            board = self._board.undo()
            self._move_to(board, range(1, len(board.rows) + 1))
        elif word is AssistCommand.NEW:
            self._move_to(AssistHistory(self._board.rules))
        else:
            self._show()

    def _move_to(self, board: AssistHistory, shown: Iterable[int] = ()) -> None:
        """Go on with another board, of which those rows are shown."""
        self._board = board
        self._screen.rows(board, shown)
        self._show()

    def _show(self) -> None:
        with self._thinking():
            found = self._adviser.advise(self._board)
        if not isinstance(found, Advice):
            self._screen.contradiction(found)
        elif self._board.is_solved:
            self._screen.say(f"Solved with {pluralize(len(self._board.rows), 'guess', 'guesses')}.", "bold green")
            self._screen.say("Type new for another game, or quit.", "dim")
        else:
            self._screen.advice(found)

    def _show_rows(self) -> None:
        if not self._board.rows:
            self._screen.say("There are no rows yet.")
        self._screen.rows(self._board, range(1, len(self._board.rows) + 1))

    def _show_codes(self) -> None:
        with self._thinking():
            codes = self._adviser.codes(self._board, MOST_CODES)
        if codes is None:
            self._screen.say(f"These are too many to list: over {MOST_CODES}.")
        else:
            self._screen.codes(codes)
