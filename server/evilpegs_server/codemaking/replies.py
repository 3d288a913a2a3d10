"""The codemaker at work: replies, witnesses and hints, computed at once when cheap, else beside the event loop."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from evilpegs_game.codemakers.codemaker import Method, break_tie, largest_part_feedbacks
from evilpegs_game.codes import Code, code_at, format_code
from evilpegs_game.feedback import Feedback, all_black, feedback, feedbacks
from evilpegs_game.history import History
from evilpegs_game.live.cache import ByteCache, CacheState
from evilpegs_game.live.live_sets import SIZES_BYTES, exact_key
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import secret_index, tie_index
from evilpegs_server.codemaking.capacity import Bounds, is_enumerated
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.work.pool import Pool, PoolMetrics
from evilpegs_server.work.tasks import (
    HINT_BUDGET,
    DevilsChoice,
    Hint,
    HintAnswer,
    PartSizes,
    Possible,
    Task,
    TryOut,
    Witness,
    Workspace,
    attempt,
)

CHEAP_COST: Final = 2_000_000
"""In units of work, some 5 milliseconds: what costs no more goes to the pool's slots for cheap jobs."""
_DEVIL_FIRST_COST: Final = 50_000_000
"""The first reply of a devil who knows nothing takes a tenth of a second; later ones seldom take a few milliseconds."""


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
class CodemakingMetrics:
    """How the work of the codemakers is doing: the replies that are known here, and the pools."""

    known: CacheState
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


class Codemaking:
    """Answers for every match of a server: at once with ``workspace`` what is cheap, the rest with tasks for ``pool``.

    ``hint_pool`` takes hints, if they are not to go the same way. Ladders whose replies may go over the ``bounds`` are
    not offered. Secrets and ties are drawn here: no task has anything of them in it.
    """

    def __init__(
        self,
        workspace: Workspace,
        pool: Pool,
        hint_pool: Pool | None = None,
        bounds: Bounds = Bounds(),  # noqa: B008 - a constant
    ) -> None:
        self._workspace = workspace
        self._pool = pool
        self._hint_pool = hint_pool or pool
        self._bounds = bounds
        self._known: ByteCache[tuple[int, ...]] = ByteCache(bounds.known_bytes)
        """Part sizes that tasks found, by the history and the guess as they are."""

    def answer(self, ladder: Ladder, draw: Draw, history: History, guess: Code) -> Answer:
        """The reply to a guess, computed here and now; a rated fixed secret needs no position."""
        if ladder.codemaker == "fixed" and ladder.rated:
            return Answer(feedback(guess, draw.secret(ladder)))
        if ladder.codemaker == "devil":
            return told(ladder, draw, history, guess, task_of(ladder, history, guess).do(self._workspace).value)
        return told(ladder, draw, history, guess, self._workspace.position(ladder.rules, history).part_sizes(guess))

    def reply(
        self,
        ladder: Ladder,
        player: int,
        draw: Draw,
        history: History,
        guess: Code,
        done: Callable[[Answer | Exception], None],
    ) -> None:
        """Find the reply and hand it over.

        That is done now if the ladder is cheap or somebody had just the same turns before, else when it is the
        player's turn.
        """
        if self.is_cheap(ladder):
            done(attempt(partial(self.answer, ladder, draw, history, guess)))
            return
        known = self._known.get(_key(ladder, history, guess))
        finish = partial(self._finish, ladder, draw, history, guess, done)
        if known is not None and ladder.codemaker != "devil":
            finish(known)
        else:
            self._pool.submit(player, cost(ladder, len(history)), task_of(ladder, history, guess), finish)

    def _finish(
        self,
        ladder: Ladder,
        draw: Draw,
        history: History,
        guess: Code,
        done: Callable[[Answer | Exception], None],
        found: tuple[int, ...] | Possible | Exception,
    ) -> None:
        if isinstance(found, Exception):
            done(found)
            return
        if not isinstance(found, Possible):
            self._known.put(_key(ladder, history, guess), found, SIZES_BYTES)
        done(attempt(partial(told, ladder, draw, history, guess, found)))

    def secret(self, ladder: Ladder, draw: Draw, history: History) -> str:
        """What `game_over` shows: the secret, or where there was none a code that every feedback allows."""
        if ladder.codemaker == "fixed":
            return format_code(draw.secret(ladder))
        if history and history[-1].feedback == all_black(ladder.rules.pegs):
            return format_code(history[-1].guess)
        return format_code(Witness(ladder.rules, history).do(self._workspace).value)

    def knows_secret(self, ladder: Ladder, history: History) -> bool:
        """Whether `secret` takes well under a millisecond."""
        is_solved = bool(history) and history[-1].feedback == all_black(ladder.rules.pegs)
        return ladder.codemaker == "fixed" or is_enumerated(ladder.rules) or is_solved or not history

    def find_witness(
        self, ladder: Ladder, player: int, draw: Draw, history: History, done: Callable[[str | Exception], None]
    ) -> None:
        """Find the `secret` and hand it over: now if that is cheap, else when it is the player's turn."""
        if self.knows_secret(ladder, history):
            done(attempt(partial(self.secret, ladder, draw, history)))
        else:

            def show(code: Code | Exception) -> None:
                done(code if isinstance(code, Exception) else format_code(code))

            self._pool.submit(player, CHEAP_COST, Witness(ladder.rules, history), show)

    def hint(
        self, ladder: Ladder, player: int, history: History, done: Callable[[HintAnswer | Exception], None]
    ) -> None:
        """Find a good guess, which is never cheap, and hand it over."""
        self._hint_pool.submit(player, HINT_BUDGET, Hint(ladder.rules, history), done)

    def warm_up(self, ladders: Iterable[Ladder]) -> list[Task[Any]]:
        """Compile the kernels and make the tables of what is done here; what to do elsewhere to the same end."""
        offered = [ladder for ladder in ladders if ladder.codemaker != "fixed" and self.misfit(ladder) is None]
        enumerated = sorted({ladder.rules for ladder in offered if is_enumerated(ladder.rules)}, key=_size)
        counted = sorted({ladder.rules for ladder in offered if not is_enumerated(ladder.rules)}, key=_size)
        devils = {(each.rules, each.exact_up_to) for each in offered if each.codemaker == "devil"}
        for rules in enumerated:
            TryOut(rules, 3).do(self._workspace)
        elsewhere: list[Task[Any]] = [TryOut(rules, 8) for rules in counted[:1]]
        elsewhere += [TryOut(rules, 3, exact_up_to) for rules, exact_up_to in sorted(devils, key=str)]
        return elsewhere + [Hint(rules, ()) for rules in enumerated[:1]]

    def misfit(self, ladder: Ladder) -> str | None:
        """Why this server does not offer a ladder; None if it does."""
        return self._bounds.misfit(ladder)

    def is_cheap(self, ladder: Ladder) -> bool:
        """Whether replies on this ladder take well under a millisecond."""
        if ladder.codemaker == "fixed" and ladder.rated:
            return True
        return ladder.codemaker != "devil" and is_enumerated(ladder.rules)

    def metrics(self) -> CodemakingMetrics:
        """How the work is doing at this moment."""
        return CodemakingMetrics(self._known.state, self._pool.metrics(), self._hint_pool.metrics())


def task_of(ladder: Ladder, history: History, guess: Code) -> Task[tuple[int, ...]] | Task[Possible]:
    """What is to be found out before a reply can be given."""
    if ladder.codemaker == "devil":
        return DevilsChoice(ladder.rules, ladder.exact_up_to or 0, history, guess)
    return PartSizes(ladder.rules, history, guess)


def told(ladder: Ladder, draw: Draw, history: History, guess: Code, found: tuple[int, ...] | Possible) -> Answer:
    """The reply that follows from what the task of `task_of` found."""
    if ladder.codemaker == "fixed":
        given = feedback(guess, draw.secret(ladder))
    else:
        allowed = found.allowed if isinstance(found, Possible) else largest_part_feedbacks(found, ladder.rules.pegs)
        given = break_tie(allowed, len(history) + 1, draw.tie if ladder.tie == "largest/seeded" else None)
    method, sizes = (found.method, found.part_sizes) if isinstance(found, Possible) else (None, found)
    if ladder.rated:
        return Answer(given, method=method)
    parts = {each: size for each, size in zip(feedbacks(ladder.rules.pegs), sizes, strict=True) if size}
    rows = tuple((part.black, part.white, size) for part, size in parts.items())
    return Answer(given, parts[given], rows, method)


def _key(ladder: Ladder, history: History, guess: Code) -> bytes:
    """A turn that says nothing new makes no other position."""
    return exact_key(ladder.rules, tuple(dict.fromkeys(history)), guess)


def _size(rules: Rules) -> int:
    return rules.size
