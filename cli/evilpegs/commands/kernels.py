"""`evilpegs kernels`: compile all kernels now, or remove them."""

import os
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from typing import Annotated, Any, Final, cast

import numpy as np
from cyclopts import Parameter

import evilpegs
from evilpegs.errors import CommandError
from evilpegs.output import console, pluralize
from evilpegs_clients.evaluation.workers import INLINE, open_workers
from evilpegs_game.codemakers.many_games import ManyGames
from evilpegs_game.codes import all_codes
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.guessing.criteria import ENTROPY
from evilpegs_game.guessing.plain import allow_plain_work
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.kernels import announce, clear_kernels, compile_seconds, kernel_folder
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.partition import part_size_table
from evilpegs_game.rules import Rules

_SILENT_SECONDS: Final = 2.0


def kernels(*, clear: Annotated[bool, Parameter(help="Remove the compiled kernels of every version.")] = False) -> None:
    """Compile all kernels now, for an image or the computers of a class, so that no later command waits for them.

    A command compiles what it needs when it first needs it, once per installation. The kernels are kept in the
    directory that NUMBA_CACHE_DIR names, else in the user's cache directory. Users who cannot write to the named
    directory take a copy of it.
    """
    if clear:
        folders = clear_kernels()
        console().print("\n".join([f"removed {pluralize(len(folders), 'folder')}", *map(str, folders)]), soft_wrap=True)
        return
    folder = kernel_folder()
    if folder is None:
        raise CommandError("compiled kernels cannot be kept; set NUMBA_CACHE_DIR to a directory that you can write")
    seconds = compile_kernels()
    console().print(f"compiled in {seconds:.1f} s, kept in {folder}", soft_wrap=True)


def compile_kernels() -> float:
    """Call everything that has kernels, on rules as small as they allow, and return the seconds of compiling.

    Those that count take nearly half of the time, in a process of their own if Linux gives this one two processors.
    """
    counting: Future[float] | None = None
    with ExitStack() as stack:
        if hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1:
            with suppress(OSError, NotImplementedError, RuntimeError):  # no semaphores, or no process more
                counting = stack.enter_context(open_workers(2, cluster=None)).executor.submit(_count)
        if counting is None:
            counting = INLINE.executor.submit(_count)
        _call_others()
        if wait([counting], _SILENT_SECONDS).not_done:
            announce()
        try:
            return max(compile_seconds(), counting.result())
        except BrokenExecutor as error:
            raise CommandError("a process was lost, perhaps for want of memory; start again") from error


def _count() -> float:
    position = evilpegs.Position(Rules(10, 12))
    for _ in range(2):
        guess = position.first_candidate
        position = position.after(guess, evilpegs.Evil().reply(position, guess))
    evilpegs.duel("sampled", rules="8x10")
    return compile_seconds()


def _call_others() -> None:
    allow_plain_work(False)
    small = Rules(3, 4)
    evilpegs.certify(evilpegs.solve(small).tree)
    evilpegs.certify("evilpegs adversary 1\nrules 1x5\nguesses 4\n")
    expected_guesses(small)
    ShortestLineSearch(small).run()
    best_guess(evilpegs.Position(small, budget=10**6), ENTROPY, candidates_only=True)
    for threads in (1, 2):  # live sets of more codes have kernels of their own
        evaluate_heuristic(Rules(4, 7), ENTROPY, threads=threads)
    part_size_table(all_codes(small), all_codes(small)[:, :1].copy())
    ManyGames(small, 1).reply(*np.zeros((2, 1), np.int64))
    for strategy in evilpegs.strategies:
        evilpegs.evaluate(strategy, small)
        evilpegs.evaluate(strategy, small, games=10)
        evilpegs.duel(strategy, "devil", small)
    evilpegs.analyze(small, [("112", "1,0")], thorough=True)
    if find_spec("sqlalchemy"):
        from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415 - needs the extra `server`
        from evilpegs_server.replies.codemaking import Codemaking  # noqa: PLC0415
        from evilpegs_server.work.workspace import Workspace  # noqa: PLC0415

        workspace = Workspace(LiveSets())
        for task in Codemaking(workspace, cast("Any", None)).warm_up(load_ladders().values()):
            task.run(workspace)
