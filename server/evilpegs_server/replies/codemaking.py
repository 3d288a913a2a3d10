"""The codemaking of a server: replies, secrets, witnesses and hints for every match.

Cheap replies are computed at once, in the event loop. All other work becomes tasks of a pool.
"""

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from evilpegs_game.codemakers.codemaker import break_tie, largest_part_feedbacks
from evilpegs_game.codemakers.devil import Method
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback, History, all_black, feedbacks, plain_feedback
from evilpegs_game.live.cache import ByteCache
from evilpegs_game.live.live_sets import SIZES_BYTES, exact_key
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.replies.capacity import CHEAP_COST, ReplyCapacity, is_enumerated, reply_cost
from evilpegs_server.replies.game_secrets import GameSecrets
from evilpegs_server.sealing import runs_apart
from evilpegs_server.work import tasks
from evilpegs_server.work.hints import HINT_BUDGET, HintResult
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import AllowedReplies, Task, outcome_of, run_task
from evilpegs_server.work.workspace import Workspace


class Reply(NamedTuple):
    """A reply; ``candidates`` and ``parts`` (black, white, size) are for practice ladders, ``method`` is a devil's."""

    feedback: Feedback
    candidates: int | None = None
    parts: tuple[tuple[int, int, int], ...] | None = None
    method: Method | None = None


class Codemaking:
    """The codemakers of all matches. Secrets and ties are derived in this class; no task contains any of them."""

    def __init__(
        self,
        workspace: Workspace,
        pool: TaskPool,
        hint_pool: TaskPool | None = None,
        capacity: ReplyCapacity = ReplyCapacity(),  # noqa: B008 - a constant
    ) -> None:
        self._workspace = workspace
        self._pool = pool
        self._hint_pool = hint_pool or pool
        self._capacity = capacity
        self.part_sizes: ByteCache[tuple[int, ...]] = ByteCache(capacity.reply_cache_bytes)

    def compute_reply(self, ladder: Ladder, secrets: GameSecrets, history: History, guess: Code) -> Reply:
        """Return the reply, computed in this thread; that may take long unless `is_cheap` returns True."""
        if ladder.codemaker == "fixed" and ladder.rated:  # takes microseconds
            return Reply(plain_feedback(guess, secrets.secret(ladder)))
        result = _kept_apart(ladder, reply_task(ladder, history, guess)).run(self._workspace)
        return choose_reply(ladder, secrets, history, guess, result.value)

    def request_reply(
        self,
        ladder: Ladder,
        player: int,
        secrets: GameSecrets,
        history: History,
        guess: Code,
        done: Callable[[Reply | Exception], None],
    ) -> None:
        """Find the reply, then call ``done``: in this call if it is cheap or cached, else later on the event loop."""
        if self.is_cheap(ladder):
            done(outcome_of(partial(self.compute_reply, ladder, secrets, history, guess)))
            return
        # turns that repeat an earlier one rule out no more codes, so the reply is the same
        key = exact_key(ladder.rules, tuple(dict.fromkeys(history)), guess)

        def finish(result: tuple[int, ...] | AllowedReplies | Exception) -> None:
            if isinstance(result, Exception):
                done(result)
                return
            if not isinstance(result, AllowedReplies) and not runs_apart(ladder):
                self.part_sizes.put(key, result, SIZES_BYTES)
            done(outcome_of(partial(choose_reply, ladder, secrets, history, guess, result)))

        part_sizes = self.part_sizes.get(key)
        if part_sizes is not None and ladder.codemaker != "devil":
            finish(part_sizes)
        else:
            task: Task[Any] = reply_task(ladder, history, guess)
            self._submit(ladder, player, reply_cost(ladder, len(history)), task, finish)

    def request_witness(
        self,
        ladder: Ladder,
        player: int,
        secrets: GameSecrets,
        history: History,
        done: Callable[[str | Exception], None],
    ) -> None:
        """Find the secret or witness of a game, then call ``done`` as `request_reply` does."""

        def finish(code: Code | Exception) -> None:
            done(code if isinstance(code, Exception) else format_code(code))

        task = tasks.FindWitness(ladder.rules, history)
        if ladder.codemaker == "fixed":
            finish(outcome_of(partial(secrets.secret, ladder)))
        elif history and history[-1].feedback == all_black(ladder.rules.pegs):
            finish(history[-1].guess)
        elif is_enumerated(ladder.rules) or not history:  # takes well under a millisecond
            finish(run_task(_kept_apart(ladder, task), self._workspace)[0])
        else:
            self._submit(ladder, player, CHEAP_COST, task, finish)

    def _submit(self, ladder: Ladder, player: int, cost: int, task: Task[Any], finish: Callable[[Any], None]) -> None:
        self._pool.submit(player, cost, _kept_apart(ladder, task), finish)

    def request_hint(
        self, ladder: Ladder, player: int, history: History, done: Callable[[HintResult | Exception], None]
    ) -> None:
        """Compute a hint in the pool, then call ``done`` with it or with the exception that prevented it."""
        task = tasks.FindHint(ladder.rules, history)
        if ladder.codemaker == "evil":  # a seed that is not opened yet must not show in a hint
            task = task._replace(ties="first" if ladder.tie == "largest" else "worst")
        self._hint_pool.submit(player, HINT_BUDGET, task, done)

    def warm_up(self, ladders: Iterable[Ladder]) -> list[Task[Any]]:
        """Compile and cache here what ``ladders`` need; return the tasks that must do so in the worker process."""
        offered = [each for each in ladders if each.codemaker != "fixed" and self.unavailable_reason(each) is None]
        by_size = sorted({ladder.rules for ladder in offered}, key=attrgetter("size"))
        enumerated = [rules for rules in by_size if is_enumerated(rules)]
        counted = [rules for rules in by_size if not is_enumerated(rules)]
        devils = {(each.rules, each.exact_up_to) for each in offered if each.codemaker == "devil"}
        for rules in enumerated:
            tasks.WarmUp(rules, 3).run(self._workspace)
        # What takes longest to compile comes last.
        worker_tasks: list[Task[Any]] = [
            tasks.WarmUp(rules, 3, exact_up_to) for rules, exact_up_to in sorted(devils, key=str)
        ]
        worker_tasks += [tasks.FindHint(rules, ()) for rules in enumerated[:1]]
        return worker_tasks + [tasks.WarmUp(rules, 8) for rules in counted[:1]]

    def unavailable_reason(self, ladder: Ladder) -> str | None:
        return self._capacity.unavailable_reason(ladder)

    def is_cheap(self, ladder: Ladder) -> bool:
        """Return True if all replies on ``ladder`` take well under a millisecond."""
        if ladder.codemaker == "fixed" and ladder.rated:
            return True
        return ladder.codemaker != "devil" and is_enumerated(ladder.rules)


def reply_task(ladder: Ladder, history: History, guess: Code) -> Task[tuple[int, ...]] | Task[AllowedReplies]:
    """Return the task whose result `choose_reply` needs: a devil's allowed replies, or part sizes."""
    if ladder.codemaker == "devil":
        return tasks.FindDevilReplies(ladder.rules, ladder.exact_up_to or 0, history, guess)
    return tasks.CountParts(ladder.rules, history, guess)


def _kept_apart(ladder: Ladder, task: Task[Any]) -> Task[Any]:
    return tasks.Apart(task) if runs_apart(ladder) else task


def choose_reply(
    ladder: Ladder, secrets: GameSecrets, history: History, guess: Code, result: tuple[int, ...] | AllowedReplies
) -> Reply:
    """Return the reply that the codemaker gives, chosen with ``result``, the result of `reply_task`."""
    pegs = ladder.rules.pegs
    if ladder.codemaker == "fixed":
        chosen = plain_feedback(guess, secrets.secret(ladder))
    else:
        allowed = result.allowed if isinstance(result, AllowedReplies) else largest_part_feedbacks(result, pegs)
        chosen = break_tie(allowed, len(history) + 1, secrets.tie_index if ladder.tie == "largest/seeded" else None)
    method, sizes = (result.method, result.part_sizes) if isinstance(result, AllowedReplies) else (None, result)
    if ladder.rated:
        return Reply(chosen, method=method)
    parts = {each: size for each, size in zip(feedbacks(pegs), sizes, strict=True) if size}
    rows = tuple((part.black, part.white, size) for part, size in parts.items())
    return Reply(chosen, parts[chosen], rows, method)
