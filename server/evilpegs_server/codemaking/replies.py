"""The codemaking of a server: replies, secrets, witnesses and hints for every match.

Begin with `Codemaking`. Cheap replies are computed at once, in the event loop. All other work becomes tasks of a pool.
Costs are in units of work; a unit is about 2 nanoseconds of processor time.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from evilpegs_game.codemakers.codemaker import Method, break_tie, largest_part_feedbacks
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback, all_black, feedback, feedbacks
from evilpegs_game.history import History
from evilpegs_game.live.cache import ByteCache, CacheState
from evilpegs_game.live.exact_key import exact_key
from evilpegs_game.live.live_sets import SIZES_BYTES
from evilpegs_game.rules import Rules
from evilpegs_server.codemaking.capacity import ReplyCapacity, is_enumerated
from evilpegs_server.codemaking.game_secrets import GameSecrets
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.work.hints import HINT_BUDGET, HintResult
from evilpegs_server.work.pool import Pool, PoolMetrics
from evilpegs_server.work.tasks import (
    AllowedReplies,
    CountParts,
    FindDevilReplies,
    FindHint,
    FindWitness,
    Task,
    WarmUp,
    catch,
)
from evilpegs_server.work.workspace import Workspace

CHEAP_COST: Final = 2_000_000
"""The largest cost, in units of work, of a task that may use the pool's slots for cheap jobs: about 5 milliseconds."""
_DEVIL_FIRST_COST: Final = 50_000_000
"""The cost of a devil's first reply in a game, 0.1 s without solved positions.

Later replies usually take less than a few milliseconds.
"""


class Reply(NamedTuple):
    """A codemaker's reply to a guess.

    On practice ladders, ``candidates`` is the number of codes still possible after the reply, and ``parts`` has, for
    each feedback that was possible, a tuple of its blacks, its whites and the number of codes that would give it; on
    rated ladders both are None. ``method`` is the method by which a devil, a codemaker that searches ahead, found the
    reply; it is None for other codemakers.
    """

    feedback: Feedback
    candidates: int | None = None
    parts: tuple[tuple[int, int, int], ...] | None = None
    method: Method | None = None


@dataclass(frozen=True, slots=True)
class CodemakingMetrics:
    """The state of the cache and of the task pools of a `Codemaking`, for the metrics.

    ``known`` is the cache of the numbers of codes per feedback that the worker process has counted. ``replies`` and
    ``hints`` are the pools.
    """

    known: CacheState
    replies: PoolMetrics
    hints: PoolMetrics


def reply_cost(ladder: Ladder, turns: int) -> int:
    """Return the estimated cost of a reply on ``ladder`` after ``turns`` turns, in units of work.

    A unit is about 2 nanoseconds.
    """
    if ladder.codemaker == "devil":
        return CHEAP_COST if turns else _DEVIL_FIRST_COST
    return ladder.rules.size if is_enumerated(ladder.rules) else _count_cost(ladder.rules.pegs)


def _count_cost(pegs: int) -> int:
    """Return the estimated cost, in units of about 2 nanoseconds, of one reply that counts codes without listing them.

    Measured times are 1 ms with 6 pegs, 4 ms with 8, 100 ms with 10, and 3 s with 12.
    """
    return max(400_000, round(1_600_000 * 5.2 ** (pegs - 8)))


class Codemaking:
    """The codemakers of all matches of a server.

    Cheap replies are computed at once, with the caches of ``workspace``; all other work becomes tasks of ``pool``.
    Hints go to ``hint_pool``, or to ``pool`` if it is None. A ladder is not offered if its replies may need more memory
    or work than ``capacity`` allows. The secrets of games, and the random choices among equally good replies, are
    derived in this class; no task contains any of them.
    """

    def __init__(
        self,
        workspace: Workspace,
        pool: Pool,
        hint_pool: Pool | None = None,
        capacity: ReplyCapacity = ReplyCapacity(),  # noqa: B008 - a constant
    ) -> None:
        self._workspace = workspace
        self._pool = pool
        self._hint_pool = hint_pool or pool
        self._capacity = capacity
        self._part_sizes: ByteCache[tuple[int, ...]] = ByteCache(capacity.reply_cache_bytes)
        """The results of `CountParts` tasks, by rules, history and guess: the numbers of codes per feedback."""

    def compute_reply(self, ladder: Ladder, secrets: GameSecrets, history: History, guess: Code) -> Reply:
        """Return the reply to ``guess`` after the turns ``history``, computed in this thread, which may take long.

        In a rated game with a fixed secret, it takes microseconds.
        """
        if ladder.codemaker == "fixed" and ladder.rated:
            return Reply(feedback(guess, secrets.secret(ladder)))
        result: tuple[int, ...] | AllowedReplies
        if ladder.codemaker == "devil":
            result = reply_task(ladder, history, guess).run(self._workspace).value
        else:
            result = self._workspace.position(ladder.rules, history).part_sizes(guess)
        return choose_reply(ladder, secrets, history, guess, result)

    def request_reply(
        self,
        ladder: Ladder,
        player: int,
        secrets: GameSecrets,
        history: History,
        guess: Code,
        done: Callable[[Reply | Exception], None],
    ) -> None:
        """Find the reply to ``guess``, then call ``done`` with the reply or with the exception that prevented it.

        ``history`` has the turns before the guess, and ``player`` is the id of the player, by which the pool shares its
        time. ``done`` is called within this call if replies on the ladder take well under a millisecond, or if the
        result of an equal task is cached; otherwise it is called later, on the event loop, when the pool has run a
        task.
        """
        if self.is_cheap(ladder):
            done(catch(partial(self.compute_reply, ladder, secrets, history, guess)))
            return
        part_sizes = self._part_sizes.get(_cache_key(ladder, history, guess))
        finish = partial(self._finish_reply, ladder, secrets, history, guess, done)
        if part_sizes is not None and ladder.codemaker != "devil":
            finish(part_sizes)
        else:
            self._pool.submit(player, reply_cost(ladder, len(history)), reply_task(ladder, history, guess), finish)

    def _finish_reply(
        self,
        ladder: Ladder,
        secrets: GameSecrets,
        history: History,
        guess: Code,
        done: Callable[[Reply | Exception], None],
        result: tuple[int, ...] | AllowedReplies | Exception,
    ) -> None:
        if isinstance(result, Exception):
            done(result)
            return
        if not isinstance(result, AllowedReplies):
            self._part_sizes.put(_cache_key(ladder, history, guess), result, SIZES_BYTES)
        done(catch(partial(choose_reply, ladder, secrets, history, guess, result)))

    def secret(self, ladder: Ladder, secrets: GameSecrets, history: History) -> str:
        """Return, as text, the code that players see at the end of a game with the turns ``history``.

        The code is the secret of a fixed codemaker, or else a witness: a code that fits all replies. The code is
        computed in this thread, which may take long unless `knows_secret` returns True.
        """
        if ladder.codemaker == "fixed":
            return format_code(secrets.secret(ladder))
        if history and history[-1].feedback == all_black(ladder.rules.pegs):
            return format_code(history[-1].guess)
        return format_code(FindWitness(ladder.rules, history).run(self._workspace).value)

    def knows_secret(self, ladder: Ladder, history: History) -> bool:
        """Return True if `secret` takes well under a millisecond for a game that ended with the turns ``history``."""
        is_solved = bool(history) and history[-1].feedback == all_black(ladder.rules.pegs)
        return ladder.codemaker == "fixed" or is_enumerated(ladder.rules) or is_solved or not history

    def request_witness(
        self,
        ladder: Ladder,
        player: int,
        secrets: GameSecrets,
        history: History,
        done: Callable[[str | Exception], None],
    ) -> None:
        """Find the code that players see at the end of a game, then call ``done`` with its text or with the exception.

        The code is the secret of a fixed codemaker, or else a witness: a code that fits all replies. ``history`` has
        the turns of the game, ``player`` is the id of the player, and ``secrets`` decides the secret. ``done`` is
        called within this call if the code is found in well under a millisecond; otherwise it is called later, on the
        event loop, when the pool has run a task.
        """
        if self.knows_secret(ladder, history):
            done(catch(partial(self.secret, ladder, secrets, history)))
        else:

            def finish(code: Code | Exception) -> None:
                done(code if isinstance(code, Exception) else format_code(code))

            self._pool.submit(player, CHEAP_COST, FindWitness(ladder.rules, history), finish)

    def request_hint(
        self, ladder: Ladder, player: int, history: History, done: Callable[[HintResult | Exception], None]
    ) -> None:
        """Compute a hint in the pool, then call ``done`` with the hint or with the exception that prevented it.

        The hint is for the next guess after the turns ``history``. ``player`` is the id of the player, by which the
        pool shares its time.
        """
        self._hint_pool.submit(player, HINT_BUDGET, FindHint(ladder.rules, history), done)

    def warm_up(self, ladders: Iterable[Ladder]) -> list[Task[Any]]:
        """Compile the functions and fill the caches that replies on ``ladders`` need in this process.

        Return the tasks that do the same in the worker process. The caller must run these tasks there.
        """
        offered = [each for each in ladders if each.codemaker != "fixed" and self.unavailable_reason(each) is None]
        enumerated = sorted({ladder.rules for ladder in offered if is_enumerated(ladder.rules)}, key=_size)
        counted = sorted({ladder.rules for ladder in offered if not is_enumerated(ladder.rules)}, key=_size)
        devils = {(each.rules, each.exact_up_to) for each in offered if each.codemaker == "devil"}
        for rules in enumerated:
            WarmUp(rules, 3).run(self._workspace)
        # What takes longest to compile comes last.
        worker_tasks: list[Task[Any]] = [
            WarmUp(rules, 3, exact_up_to) for rules, exact_up_to in sorted(devils, key=str)
        ]
        worker_tasks += [FindHint(rules, ()) for rules in enumerated[:1]]
        return worker_tasks + [WarmUp(rules, 8) for rules in counted[:1]]

    def unavailable_reason(self, ladder: Ladder) -> str | None:
        """Return the reason why this server does not offer a ladder, as one line; None if it offers the ladder."""
        return self._capacity.unavailable_reason(ladder)

    def is_cheap(self, ladder: Ladder) -> bool:
        """Return True if all replies on ``ladder`` take well under a millisecond."""
        if ladder.codemaker == "fixed" and ladder.rated:
            return True
        return ladder.codemaker != "devil" and is_enumerated(ladder.rules)

    def metrics(self) -> CodemakingMetrics:
        """Return the state of the cache of counts and of the pools at this moment."""
        return CodemakingMetrics(self._part_sizes.state, self._pool.metrics(), self._hint_pool.metrics())


def reply_task(ladder: Ladder, history: History, guess: Code) -> Task[tuple[int, ...]] | Task[AllowedReplies]:
    """Return the task whose result `choose_reply` needs for a reply to ``guess`` after the turns ``history``.

    For a devil, a codemaker that searches ahead, the result has the replies that it may give. For all other codemakers,
    it has the number of codes still possible that would give each feedback to ``guess``, in feedback order.
    """
    if ladder.codemaker == "devil":
        return FindDevilReplies(ladder.rules, ladder.exact_up_to or 0, history, guess)
    return CountParts(ladder.rules, history, guess)


def choose_reply(
    ladder: Ladder, secrets: GameSecrets, history: History, guess: Code, result: tuple[int, ...] | AllowedReplies
) -> Reply:
    """Return the reply that the codemaker gives to ``guess``, chosen with ``result``, the result of `reply_task`.

    ``result`` has the replies that a devil may give, or for other codemakers, the number of codes still possible that
    would give each feedback, in feedback order. ``secrets`` decides the secret of a fixed codemaker, and on some
    ladders the choice among equally good replies.
    """
    pegs = ladder.rules.pegs
    if ladder.codemaker == "fixed":
        chosen = feedback(guess, secrets.secret(ladder))
    else:
        allowed = result.allowed if isinstance(result, AllowedReplies) else largest_part_feedbacks(result, pegs)
        chosen = break_tie(allowed, len(history) + 1, secrets.tie_index if ladder.tie == "largest/seeded" else None)
    method, sizes = (result.method, result.part_sizes) if isinstance(result, AllowedReplies) else (None, result)
    if ladder.rated:
        return Reply(chosen, method=method)
    parts = {each: size for each, size in zip(feedbacks(pegs), sizes, strict=True) if size}
    rows = tuple((part.black, part.white, size) for part, size in parts.items())
    return Reply(chosen, parts[chosen], rows, method)


def _cache_key(ladder: Ladder, history: History, guess: Code) -> bytes:
    """Return the key of a reply in the cache. Turns that repeat an earlier one do not change the key.

    They rule out no more codes, so the reply is the same.
    """
    return exact_key(ladder.rules, tuple(dict.fromkeys(history)), guess)


def _size(rules: Rules) -> int:
    return rules.size
