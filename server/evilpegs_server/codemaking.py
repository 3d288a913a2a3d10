"""The codemaker at work: replies, witnesses and hints, computed at once when cheap, else beside the event loop."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple, Protocol, TypeVar

from evilpegs_game.byte_cache import CacheState
from evilpegs_game.candidates import History, LiveSets, Position, Turn
from evilpegs_game.codemaker import Codemaker, Devil, Evil, Fixed, Method, witness
from evilpegs_game.codes import Code, code_at, format_code
from evilpegs_game.criteria import EXPECTED_SIZE
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black, feedback
from evilpegs_game.selection import best_guess
from evilpegs_protocol.commitment import secret_index, tie_index
from evilpegs_server.bounds import Bounds, is_enumerated
from evilpegs_server.devils import Devils
from evilpegs_server.fair_pool import Pool, PoolMetrics, Worked, carry_out
from evilpegs_server.ladders import Ladder

_T = TypeVar("_T")

HINT_BUDGET: Final = 1_000_000_000
"""Feedback evaluations a hint may cost; about a second."""
CHEAP_COST: Final = 2_000_000
"""In units of work, some 5 milliseconds: what costs no more goes to the pool's lanes for cheap jobs."""
_DEVIL_FIRST_COST: Final = 50_000_000
"""The first reply of a devil who knows nothing takes a tenth of a second; later ones seldom take a few milliseconds."""
_FEEDBACKS_A_UNIT: Final = 3
_UNITS_A_ROW: Final = 24


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
        """Which of the tied parts a seeded evil or devil takes."""
        return tie_index(self._nonce, self.match, self.game, turn, tied)


class Answer(NamedTuple):
    """A reply, and how a devil found it. Practice adds how many candidates are left and the sizes of all parts."""

    feedback: Feedback
    candidates: int | None = None
    parts: tuple[tuple[int, int, int], ...] | None = None
    method: Method | None = None


@dataclass(frozen=True, slots=True)
class HintAnswer:
    """A good guess, how many candidates there are, and why the guess is good."""

    code: str
    candidates: int
    why: str


class MeteredPool(Pool, Protocol):
    """Takes jobs, and says how it is doing."""

    def metrics(self) -> PoolMetrics:
        """The pool at this moment."""
        ...


@dataclass(frozen=True, slots=True)
class CodemakingMetrics:
    """How the work of the codemakers is doing: part sizes by the cache, live sets in it, solved positions, pools."""

    part_sizes: CacheState
    live_set_bytes: int
    solved: int
    replies: PoolMetrics
    hints: PoolMetrics


def cost(ladder: Ladder, turns: int) -> int:
    """The work of a reply after so many turns, as far as it is known before, in units of a few nanoseconds."""
    if ladder.codemaker == "devil":
        return CHEAP_COST if turns else _DEVIL_FIRST_COST
    return ladder.rules.size if is_enumerated(ladder.rules) else _count_cost(ladder.rules.pegs)


def _count_cost(pegs: int) -> int:
    """As measured: a millisecond with 6 pegs, 4 with 8, a hundred with 10, three seconds with 12."""
    return max(400_000, round(1_600_000 * 5.2 ** (pegs - 8)))


def codemaker_of(ladder: Ladder, draw: Draw, devils: Devils) -> Codemaker:
    """Whoever answers in that game."""
    if ladder.codemaker == "fixed":
        return Fixed(draw.secret(ladder))
    tie = draw.tie if ladder.tie == "largest/seeded" else None
    if ladder.codemaker == "evil":
        return Evil(tie)
    return Devil(devils.worst_case(ladder.rules), ladder.exact_up_to or 0, tie)


class Codemaking:
    """Answers for every match of a server; live sets are shared through one cache, solved positions by all devils.

    ``pool`` takes what is too slow for the event loop, ``hint_pool`` hints if they are not to go the same way.
    Ladders whose replies may go over the ``bounds`` are not offered.
    """

    def __init__(
        self,
        live_sets: LiveSets,
        pool: MeteredPool,
        hint_pool: MeteredPool | None = None,
        devils: Devils | None = None,
        bounds: Bounds = Bounds(),  # noqa: B008 - a constant
    ) -> None:
        self._live_sets = live_sets
        self._pool = pool
        self._hint_pool = hint_pool or pool
        self._devils = devils or Devils()
        self._bounds = bounds

    def answer(self, ladder: Ladder, draw: Draw, history: History, guess: Code) -> Answer:
        """The reply to a guess, computed here and now; a rated fixed secret needs no position."""
        if ladder.codemaker == "fixed" and ladder.rated:
            return Answer(feedback(guess, draw.secret(ladder)))
        position = Position(ladder.rules, history, self._live_sets)
        return self._told(ladder, position, guess, codemaker_of(ladder, draw, self._devils).reply(position, guess))

    def answering(
        self, ladder: Ladder, draw: Draw, history: History, guess: Code
    ) -> Callable[[], Answer | Worked[Answer]]:
        """The same as work to be done, which says what it cost where that is not known before."""
        if ladder.codemaker == "devil":
            return partial(self._devils_answer, ladder, draw, history, guess)
        if self.is_cheap(ladder):
            return partial(self.answer, ladder, draw, history, guess)
        return partial(self._counted_answer, ladder, draw, history, guess)

    def is_known(self, ladder: Ladder, history: History, guess: Code) -> bool:
        """Whether a reply takes well under a millisecond because somebody had the like of it before."""
        return ladder.codemaker == "evil" and self._live_sets.knows(ladder.rules, history, guess)

    def _counted_answer(self, ladder: Ladder, draw: Draw, history: History, guess: Code) -> Worked[Answer]:
        self._live_sets.take_work()
        answer = self.answer(ladder, draw, history, guess)
        return Worked(answer, self._live_sets.take_work() * _UNITS_A_ROW)

    def _devils_answer(self, ladder: Ladder, draw: Draw, history: History, guess: Code) -> Worked[Answer]:
        devil = codemaker_of(ladder, draw, self._devils)
        assert isinstance(devil, Devil)  # noqa: S101 - the ladder's codemaker
        position = Position(ladder.rules, history, self._live_sets)
        given, method, work = devil.decide(position, guess)
        return Worked(self._told(ladder, position, guess, given, method), work // _FEEDBACKS_A_UNIT)

    def _told(
        self, ladder: Ladder, position: Position, guess: Code, given: Feedback, method: Method | None = None
    ) -> Answer:
        if ladder.rated:
            return Answer(given, method=method)
        parts = position.parts(guess)
        rows = tuple((part.black, part.white, size) for part, size in parts.items())
        return Answer(given, parts[given], rows, method)

    def secret(self, ladder: Ladder, draw: Draw, history: History) -> str:
        """What `game_over` shows: the secret, or where there was none a code that every feedback allows."""
        if ladder.codemaker == "fixed":
            return format_code(draw.secret(ladder))
        if history and history[-1].feedback == all_black(ladder.rules.pegs):
            return format_code(history[-1].guess)
        return format_code(witness(Position(ladder.rules, history, self._live_sets)))

    def knows_secret(self, ladder: Ladder, history: History) -> bool:
        """Whether `secret` takes well under a millisecond."""
        is_solved = bool(history) and history[-1].feedback == all_black(ladder.rules.pegs)
        return ladder.codemaker == "fixed" or is_enumerated(ladder.rules) or is_solved or not history

    def hint(self, ladder: Ladder, history: History) -> HintAnswer:
        """A good guess: the best of all codes where they are few enough, else of the candidates, else the first."""
        position = Position(ladder.rules, history, self._live_sets, HINT_BUDGET)
        guess, weighed = self._good_guess(position)
        if position.count == 1:
            return HintAnswer(format_code(guess), 1, "is the only candidate")
        parts = position.parts(guess)
        why = f"splits {position.count:,} candidates into {len(parts)} parts, the largest {max(parts.values()):,}"
        return HintAnswer(format_code(guess), position.count, why + weighed)

    def _good_guess(self, position: Position) -> tuple[Code, str]:
        """A guess, and how far it was looked for."""
        with suppress(OverBudgetError, TooLargeError):
            return best_guess(position, EXPECTED_SIZE), ""
        with suppress(TooLargeError):
            if position.count**2 <= HINT_BUDGET:
                return best_guess(position, EXPECTED_SIZE, candidates_only=True), "; only candidates were weighed"
        return witness(position), "; it is the first of too many to be weighed"

    def warm_up(self, ladders: Iterable[Ladder]) -> None:
        """Compile the kernels and make the shared tables, before anyone waits for them."""
        offered = [ladder for ladder in ladders if ladder.codemaker != "fixed" and self.misfit(ladder) is None]
        least = min((ladder.rules.size for ladder in offered if not is_enumerated(ladder.rules)), default=0)
        kinds = {(ladder.rules, ladder.codemaker): ladder for ladder in offered}
        for ladder in kinds.values():
            if is_enumerated(ladder.rules):
                self.hint(ladder, self._try_out(ladder, 3)[:1])
            elif ladder.rules.size == least:
                self._try_out(ladder, 8)

    def _try_out(self, ladder: Ladder, turns: int) -> History:
        """Play some turns, all but the last against evil: a devil who knows nothing yet thinks longest at first."""
        draw, rules = Draw("0" * 16, 1, "0" * 64, None), ladder.rules
        evil = replace(ladder, codemaker="evil", exact_up_to=None)
        history: History = ()
        for turn in range(1, turns + 1):
            guess = code_at(turn * rules.size // (turns + 2), rules)
            given = self.answer(ladder if turn == turns else evil, draw, history, guess).feedback
            history = (*history, Turn(guess, given))
            self.secret(evil, draw, history)
        return history

    def misfit(self, ladder: Ladder) -> str | None:
        """Why this server does not offer a ladder; None if it does."""
        return self._bounds.misfit(ladder)

    def is_cheap(self, ladder: Ladder) -> bool:
        """Whether replies on this ladder take well under a millisecond."""
        if ladder.codemaker == "fixed" and ladder.rated:
            return True
        return ladder.codemaker != "devil" and is_enumerated(ladder.rules)

    def reply(
        self,
        ladder: Ladder,
        player: int,
        work: Callable[[], _T | Worked[_T]],
        done: Callable[[_T | Exception], None],
        turns: int = 0,
        is_known: bool = False,
    ) -> None:
        """Do the ``work`` of a reply after so many turns, and hand over what came of it.

        It is done now if the ladder is cheap or the reply known, else beside the event loop when it is the player's
        turn.
        """
        if is_known or self.is_cheap(ladder):
            done(carry_out(work)[0])
        else:
            self._pool.submit(player, cost(ladder, turns), work, done)

    def disclose(
        self, ladder: Ladder, player: int, draw: Draw, history: History, done: Callable[[str | Exception], None]
    ) -> None:
        """Find the `secret` and hand it over: now if that is cheap, else beside the event loop."""
        work = partial(self.secret, ladder, draw, history)
        if self.knows_secret(ladder, history):
            done(carry_out(work)[0])
        else:
            self._pool.submit(player, CHEAP_COST, work, done)

    def consider(
        self, player: int, work: Callable[[], _T | Worked[_T]], done: Callable[[_T | Exception], None]
    ) -> None:
        """Do the ``work`` of a hint, which is never cheap, beside the event loop."""
        self._hint_pool.submit(player, HINT_BUDGET, work, done)

    def metrics(self) -> CodemakingMetrics:
        """How the work is doing at this moment."""
        return CodemakingMetrics(
            part_sizes=self._live_sets.state,
            live_set_bytes=self._live_sets.bytes_used,
            solved=len(self._devils.solved),
            replies=self._pool.metrics(),
            hints=self._hint_pool.metrics(),
        )
