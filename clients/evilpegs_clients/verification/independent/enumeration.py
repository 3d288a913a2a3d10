"""Counting the parts of guesses: code by code, exactly as defined, or block by block, for rules with many codes.

A block is an array of codes. Each is taken through all turns of the game before the next is generated: at each turn,
its codes are counted by the marks that they would give to the guess, and only those that agree with the turn are kept.
So each code is generated once per game, not once per turn, and only one block is in memory at a time.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_clients.verification.independent.definitions import (
    Code,
    MarkedGuess,
    Marks,
    PartCounts,
    Parts,
    Space,
    marks_of,
)

BLOCK: Final = 1 << 18  # in codes

Block = NDArray[np.uint8]  # codes in code order, one row per peg: shape (pegs, codes), dtype uint8


def count_parts_plainly(space: Space, turns: Sequence[MarkedGuess]) -> PartCounts:
    live = list(space.codes())
    parts = []
    for guess, marks in turns:
        answers = [marks_of(guess, code) for code in live]
        parts.append(dict(Counter(answers)))
        live = [code for code, answer in zip(live, answers, strict=True) if answer == marks]
    return PartCounts(tuple(parts), live[0] if live else None)


def count_parts(space: Space, turns: Sequence[MarkedGuess], block_size: int = BLOCK) -> PartCounts:
    numbers = (space.pegs + 1) ** 2
    sizes = np.zeros((len(turns), numbers), dtype=np.int64)
    first: Code | None = None
    for block in code_blocks(space, block_size):
        live = block
        for turn, (guess, marks) in enumerate(turns):
            answers = marks_numbers(live, guess)
            sizes[turn] += np.bincount(answers, minlength=numbers)
            live = _only(live, answers == marks_number(marks, space.pegs))
            if not live.shape[1]:
                break
        if first is None and live.shape[1]:
            first = tuple(live[:, 0].tolist())
    return PartCounts(tuple(_parts(row, space.pegs) for row in sizes), first)


def live_codes(space: Space, turns: Sequence[MarkedGuess], block_size: int = BLOCK) -> Block:
    """Return the codes that agree with all turns, in code order; the caller ensures that they fit into memory."""
    allowed = []
    for block in code_blocks(space, block_size):
        live = block
        for guess, marks in turns:
            live = _only(live, marks_numbers(live, guess) == marks_number(marks, space.pegs))
        allowed.append(live.copy())
    return np.concatenate(allowed, axis=1)


def code_blocks(space: Space, block_size: int = BLOCK) -> Iterator[Block]:
    """Yield every code, in code order; the codes of a block have the same colors on their first pegs."""
    head = _head(space, block_size)
    tail, free = space.pegs - head, space.colors - (0 if space.repeats else head)
    flat = np.fromiter(chain.from_iterable(space.arrangements(range(free), tail)), dtype=np.uint8)
    indices = flat.reshape(-1, tail).T if tail else np.zeros((0, 1), dtype=np.uint8)
    for start in space.arrangements(range(space.colors), head):
        left = [color for color in range(space.colors) if space.repeats or color not in start]
        block = np.empty((space.pegs, indices.shape[1]), dtype=np.uint8)
        block[:head] = np.array(start, dtype=np.uint8)[:, None]
        block[head:] = np.array(left, dtype=np.uint8)[indices]
        yield block


def marks_numbers(block: Block, guess: Code) -> NDArray[Any]:
    """Return the `marks_number` of each code of ``block`` for ``guess``: shape (codes,), dtype uint16."""
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


def marks_number(marks: Marks, pegs: int) -> int:
    return marks.black * (pegs + 1) + marks.white


def _only(block: Block, wanted: NDArray[np.bool_]) -> Block:
    return block.take(np.flatnonzero(wanted), axis=1)


def _parts(sizes: NDArray[np.int64], pegs: int) -> Parts:
    return {Marks(*divmod(int(number), pegs + 1)): int(sizes[number]) for number in np.flatnonzero(sizes)}


def _head(space: Space, block_size: int) -> int:
    head, size = 0, space.size
    while size > block_size and head < space.pegs:
        size //= space.colors - (0 if space.repeats else head)
        head += 1
    return head
