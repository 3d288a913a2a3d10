"""The codemaker at work: replies, witnesses and hints, computed at once when cheap, else beside the event loop."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from evilpegs_game.candidates import History, LiveSets, Position, Turn
from evilpegs_game.codemaker import Codemaker, Evil, Fixed, witness
from evilpegs_game.codes import Code, code_at, format_code
from evilpegs_game.criteria import EXPECTED_SIZE
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.feedback import Feedback
from evilpegs_game.selection import best_guess
from evilpegs_protocol.commitment import secret_index, tie_index
from evilpegs_server.fair_pool import Pool, Worked, carry_out
from evilpegs_server.ladders import Ladder

_T = TypeVar("_T")

INLINE_CODES: Final = 100_000
"""Over this many codes a reply can take a millisecond: it is computed in the pool."""
HINT_BUDGET: Final = 1_000_000_000
"""Feedback evaluations a hint may cost; about a second."""


class Draw:
    """What a game's secret and ties follow from. The secret is worked out once."""

    __slots__ = ("_nonce", "_secret", "client_nonce", "game", "match")

    def __init__(self, match: str, game: int, nonce: str, client_nonce: str | None) -> None:
        self.match = match
        self.game = game
        self.client_nonce = client_nonce
        self._nonce = nonce
        self._secret: Code | None = None

    def __repr__(self) -> str:
        return f"Draw(match={self.match!r}, game={self.game})"

    def secret(self, ladder: Ladder) -> Code:
        """The secret of a fixed codemaker."""
        if self._secret is None:
            rules = ladder.rules
            index = secret_index(self._nonce, self.client_nonce, self.match, self.game, rules.size)
            self._secret = code_at(index, rules)
        return self._secret

    def tie(self, turn: int, tied: int) -> int:
        """Which of the tied parts seeded evil takes."""
        return tie_index(self._nonce, self.match, self.game, turn, tied)


class Answer(NamedTuple):
    """A reply; practice adds how many candidates are left and the sizes of all parts."""

    feedback: Feedback
    candidates: int | None = None
    parts: tuple[tuple[int, int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class HintAnswer:
    """A good guess, how many candidates there are, and why the guess is good."""

    code: str
    candidates: int
    why: str


def cost(ladder: Ladder, turns: int) -> int:  # noqa: ARG001 - counted positions will cost by their turns
    """The work of a reply after so many turns, as far as it is known before: a unit is one code looked at."""
    return ladder.rules.size


def codemaker_of(ladder: Ladder, draw: Draw) -> Codemaker:
    """Whoever answers in that game."""
    if ladder.codemaker == "fixed":
        return Fixed(draw.secret(ladder))
    return Evil(draw.tie if ladder.tie == "largest/seeded" else None)


class Codemaking:
    """Answers for every match of a server; live sets are shared through one cache.

    ``pool`` takes what is too slow for the event loop, ``hint_pool`` hints if they are not to go the same way.
    """

    def __init__(self, live_sets: LiveSets, pool: Pool, hint_pool: Pool | None = None) -> None:
        self._live_sets = live_sets
        self._pool = pool
        self._hint_pool = hint_pool or pool

    def answer(self, ladder: Ladder, draw: Draw, history: History, guess: Code) -> Answer:
        """The reply to a guess, computed here and now."""
        position = Position(ladder.rules, history, self._live_sets)
        given = codemaker_of(ladder, draw).reply(position, guess)
        if ladder.rated:
            return Answer(given)
        parts = position.parts(guess)
        rows = tuple((part.black, part.white, size) for part, size in parts.items())
        return Answer(given, parts[given], rows)

    def secret(self, ladder: Ladder, draw: Draw, history: History) -> str:
        """What `game_over` shows: the secret, or against evil a code that every feedback allows."""
        if ladder.codemaker == "fixed":
            return format_code(draw.secret(ladder))
        return format_code(witness(Position(ladder.rules, history, self._live_sets)))

    def hint(self, ladder: Ladder, history: History) -> HintAnswer:
        """A good guess in this position."""
        position = Position(ladder.rules, history, self._live_sets, HINT_BUDGET)
        try:
            guess = best_guess(position, EXPECTED_SIZE)
        except OverBudgetError:
            guess = position.first_candidate
        parts = position.parts(guess)
        why = f"splits {position.count:,} candidates into {len(parts)} parts, the largest {max(parts.values()):,}"
        return HintAnswer(format_code(guess), position.count, why)

    def warm_up(self, ladders: Iterable[Ladder]) -> None:
        """Compile the kernels and make the shared tables, before anyone waits for them."""
        for ladder in ladders:
            if ladder.codemaker == "evil" and self.is_cheap(ladder):
                draw = Draw("0" * 16, 1, "0" * 64, None)
                guess = code_at(0, ladder.rules)
                given = self.answer(ladder, draw, (), guess).feedback
                self.hint(ladder, (Turn(guess, given),))

    def fits(self, ladder: Ladder) -> bool:
        """Whether the codes that replies are computed from fit the memory this server may use."""
        return (ladder.codemaker == "fixed" and ladder.rated) or self._live_sets.fits(ladder.rules)

    def is_cheap(self, ladder: Ladder) -> bool:
        """Whether replies on this ladder take well under a millisecond."""
        return ladder.rules.size <= INLINE_CODES or (ladder.codemaker == "fixed" and ladder.rated)

    def reply(
        self,
        ladder: Ladder,
        player: int,
        work: Callable[[], _T | Worked[_T]],
        done: Callable[[_T | Exception], None],
        turns: int = 0,
    ) -> None:
        """Do the ``work`` of a reply after so many turns, and hand over what came of it.

        It is done now if the ladder is cheap, else beside the event loop when it is the player's turn.
        """
        if self.is_cheap(ladder):
            done(carry_out(work)[0])
        else:
            self._pool.submit(player, cost(ladder, turns), work, done)

    def consider(
        self, player: int, work: Callable[[], _T | Worked[_T]], done: Callable[[_T | Exception], None]
    ) -> None:
        """Do the ``work`` of a hint, which is never cheap, beside the event loop."""
        self._hint_pool.submit(player, HINT_BUDGET, work, done)
