"""A signal that comes while a kernel runs raises what its handler raises, when the kernel has ended."""

import ast
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

import evilpegs_game
from evilpegs_game.kernels import kernel
from support.patience import PATIENCE
from support.waiting import wait_until

COUNT = """
import os, random, signal, threading
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.feedback import feedback
from evilpegs_game.rules import Rules

rng = random.Random(5)
secret, *guesses = (tuple(rng.randrange(14) for _ in range(12)) for _ in range(8))
history = [(guess, feedback(guess, secret)) for guess in guesses[:-1]]
count_parts(Rules(12, 14), history[:2], guesses[-1])
for seconds in (0.1, 0.2, 0.3):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        while True:
            count_parts(Rules(12, 14), history, guesses[-1])
    except KeyboardInterrupt:
        print("interrupted")
"""
IN_THREADS = {"prepare", "search_range"}
"""Functions of `best_code_in_chunks` that only threads without signals execute."""


class RaisedInHandlerError(Exception):
    pass


@kernel
def work_until(stop, done):
    while not stop[done[0] & 1]:
        done[0] += 1
    return done.copy(), 7


@pytest.fixture
def handler():
    def fail(*_):
        raise RaisedInHandlerError

    before = signal.signal(signal.SIGUSR1, fail)
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python handles signals at once")
def test_error_of_handler_is_raised_after_kernel(handler):
    stop, done = np.ones(2, np.int64), np.zeros(1, np.int64)
    assert work_until(stop, done)[1] == 7  # compiles it
    stop[:] = done[:] = 0

    def interrupt():
        wait_until(lambda: done[0])  # so the kernel runs
        os.kill(os.getpid(), signal.SIGUSR1)
        stop[:] = 1

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(RaisedInHandlerError):
        work_until(stop, done)
    thread.join()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
def test_interrupted_count_does_not_crash():
    done = subprocess.run(
        [sys.executable, "-c", COUNT], capture_output=True, text=True, timeout=PATIENCE, env=os.environ, check=False
    )
    assert (done.returncode, done.stdout.split()) == (0, ["interrupted"] * 3), done.stderr


def is_kernel(function):
    return any(getattr(each, "id", None) in {"kernel", "short_kernel"} for each in function.decorator_list)


def test_python_takes_no_named_tuple_from_a_kernel():
    """To make one, numba calls its class without a check that it has it, which it has not after an error."""
    trees = [ast.parse(path.read_text()) for path in Path(evilpegs_game.__file__).parent.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    named = {each.name for each in classes if "NamedTuple" in map(ast.unparse, each.bases)}
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    unsafe = {
        each.name
        for each in functions
        if is_kernel(each) and named & {getattr(node, "id", None) for node in ast.walk(each.returns)}
    }
    assert "make_cursor" in unsafe
    callers = {
        each.name
        for each in functions
        if not is_kernel(each)
        for node in ast.walk(each)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in unsafe
    }
    assert callers <= IN_THREADS | {"best_code_in_chunks"}
