"""The rows of a real board, as a person reads them off it."""

from dataclasses import dataclass, replace

from evilpegs.errors import CommandError
from evilpegs_game.candidates import History, Turn
from evilpegs_game.feedback import all_black
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class Board:
    """Guesses and their feedback, which may be wrong; rows are numbered from 1."""

    rules: Rules
    rows: History = ()

    @property
    def is_solved(self) -> bool:
        """Whether the last guess was the secret."""
        return bool(self.rows) and self.rows[-1].feedback == all_black(self.rules.pegs)

    def add(self, row: Turn) -> "Board":
        """The board with one more row."""
        return replace(self, rows=(*self.rows, row))

    def row(self, number: int) -> Turn:
        """One row; raises CommandError where there is none."""
        if not 1 <= number <= len(self.rows):
            numbers = f"1 to {len(self.rows)}" if len(self.rows) > 1 else "only row 1" if self.rows else "none yet"
            message = f"there is no row {number}; the rows: {numbers}"
            raise CommandError(message)
        return self.rows[number - 1]

    def change(self, number: int, row: Turn) -> "Board":
        """The board with another row in that place; raises CommandError as `row` does."""
        self.row(number)
        return replace(self, rows=(*self.rows[: number - 1], row, *self.rows[number:]))

    def undo(self) -> "Board":
        """The board without its last row; raises CommandError where there is none."""
        if not self.rows:
            message = "there is no row to take back"
            raise CommandError(message)
        return replace(self, rows=self.rows[:-1])
