"""Parts by going through every code, a block at a time: for many codes, in memory for one block.

Each block goes through all turns of the game: it is counted, only the codes that the turn allows stay in it, and so
on. So the codes are made once a game, however many they are.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_clients.verification.independent.definitions import Code, Counted, Feedback, Parts, Space, Turn

BLOCK: Final = 1 << 18
"""The most codes in a block."""

Block = NDArray[np.uint8]
"""Codes in code order, a row a peg: shape (pegs, codes)."""


def count_parts(space: Space, turns: Sequence[Turn], block_size: int = BLOCK) -> Counted:
    """The parts of each turn, and the first code left."""
    numbers = (space.pegs + 1) ** 2
    sizes = np.zeros((len(turns), numbers), dtype=np.int64)
    first: Code | None = None
    for block in code_blocks(space, block_size):
        live = block
        for turn, (guess, given) in enumerate(turns):
            answers = answer_numbers(live, guess)
            sizes[turn] += np.bincount(answers, minlength=numbers)
            live = _only(live, answers == answer_number(given, space.pegs))
            if not live.shape[1]:
                break
        if first is None and live.shape[1]:
            first = tuple(live[:, 0].tolist())
    return Counted(tuple(_parts(row, space.pegs) for row in sizes), first)


def live_codes(space: Space, turns: Sequence[Turn], block_size: int = BLOCK) -> Block:
    """The codes that the turns allow, in code order; the caller knows that they are few."""
    kept = []
    for block in code_blocks(space, block_size):
        live = block
        for guess, given in turns:
            live = _only(live, answer_numbers(live, guess) == answer_number(given, space.pegs))
        kept.append(live.copy())
    return np.concatenate(kept, axis=1)


def code_blocks(space: Space, block_size: int = BLOCK) -> Iterator[Block]:
    """Every code, in code order: in each block the first pegs are the same, the last take all that they can."""
    head = _head(space, block_size)
    tail, free = space.pegs - head, space.colors - (0 if space.repeats else head)
    flat = np.fromiter(chain.from_iterable(space.arranged(range(free), tail)), dtype=np.uint8)
    places = flat.reshape(-1, tail).T if tail else np.zeros((0, 1), dtype=np.uint8)
    for start in space.arranged(range(space.colors), head):
        left = [color for color in range(space.colors) if space.repeats or color not in start]
        block = np.empty((space.pegs, places.shape[1]), dtype=np.uint8)
        block[:head] = np.array(start, dtype=np.uint8)[:, None]
        block[head:] = np.array(left, dtype=np.uint8)[places]
        yield block


def answer_numbers(block: Block, guess: Code) -> NDArray[Any]:
    """For each code of a block the number of the feedback that the guess would get."""
    black = np.zeros(block.shape[1], dtype=np.uint8)
    for row, color in zip(block, guess, strict=True):
        black += row == color
    both = np.zeros_like(black)
    for color in sorted(set(guess)):
        count = np.zeros_like(black)
        for row in block:
            count += row == color
        both += np.minimum(count, guess.count(color))
    return black.astype(np.uint16) * (len(guess) + 1) + (both - black)


def answer_number(given: Feedback, pegs: int) -> int:
    """The number of a feedback; numbers are ordered as feedbacks are."""
    return given.black * (pegs + 1) + given.white


def _only(block: Block, wanted: NDArray[np.bool_]) -> Block:
    return block.take(np.flatnonzero(wanted), axis=1)


def _parts(sizes: NDArray[np.int64], pegs: int) -> Parts:
    return {Feedback(*divmod(int(number), pegs + 1)): int(sizes[number]) for number in np.flatnonzero(sizes)}


def _head(space: Space, block_size: int) -> int:
    """How many pegs to fix so that a block has at most so many codes."""
    head, size = 0, space.size
    while size > block_size and head < space.pegs:
        size //= space.colors - (0 if space.repeats else head)
        head += 1
    return head
