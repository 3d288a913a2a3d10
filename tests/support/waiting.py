"""How tests wait: for a condition, never for a time. Lint refuses `sleep` everywhere else in the tests."""

import asyncio
import inspect
import time

import pytest

from support.patience import PATIENCE

READY_TURNS = 10
"""Turns of the event loop that need no time, before a condition is asked at intervals."""
LOOK_SECONDS = 0.005


async def until(condition):
    """Return the first true value of ``condition()``, which is awaited if it can be; fail after `PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    turns = 0
    while True:
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        if time.monotonic() > deadline:
            pytest.fail(f"waited in vain for: {_text(condition)}")
        await asyncio.sleep(0 if turns < READY_TURNS else LOOK_SECONDS)
        turns += 1


def wait_until(condition):
    """Return the first true value of ``condition()``; fail after `PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > deadline:
            pytest.fail(f"waited in vain for: {_text(condition)}")
        time.sleep(LOOK_SECONDS)
    return value


async def loop_turns(number=1):
    """Let the event loop run what is ready, so many times."""
    for _ in range(number):
        await asyncio.sleep(0)


async def think(seconds):
    """Let time pass as a player or an attacker does between two messages. No test waits for anything in this way."""
    await asyncio.sleep(seconds)


def _text(condition):
    try:
        return inspect.getsource(condition).strip()
    except (OSError, TypeError):
        return repr(condition)
