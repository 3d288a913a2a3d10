"""Symmetries of a set of codes: permutations of pegs and of colors, which change no feedback.

An optimal codebreaker needs the same number of guesses for a set and for its image. Of several guesses that a symmetry
of the set itself maps to each other, only one needs to be tried. Not all symmetries have to be found: a missed symmetry
costs time and never changes a result. Source: D. E. Knuth (1976-77) for the use of symmetries; the weights are color
refinement, as used for graphs.
"""

from functools import cache, lru_cache
from hashlib import blake2b
from itertools import combinations, permutations
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.kernels import GOLDEN, kernel, mix_each
from evilpegs_game.partition import Indices
from evilpegs_game.rules import Rules

CodeSetKey = bytes

KEY_BYTES: Final = 16
_MAX_PEG_ORDERS: Final = 120
_KEY_WORK: Final = 300
_MAX_GRID: Final = 1 << 20
_MAX_GUESSES: Final = 1 << 13  # with more codes, trying all guesses against a small set takes less time

_MAX_ELEMENTS: Final = 1 << 15
_ENOUGH: Final = 256  # symmetries of one set of codes that are used

_Permutations = NDArray[np.int64]


def code_set_key(columns: Columns, rules: Rules) -> CodeSetKey:
    """Return the canonical key of the codes in ``columns``: a digest of one image of this set, of 16 bytes.

    Sets with equal keys are images of each other under permutations of pegs and colors. With up to 5 pegs, nearly all
    images of a set have the same key. With more pegs, this holds only for the images that permute no pegs. To choose
    the image, colors are numbered in the order of weights that no renaming of colors changes. This is done for every
    order of the pegs (with more than 5 pegs, only for the given order), and the image with the least hash is taken.
    """
    orders = _peg_orders(rules.pegs)
    images = columns[orders]
    ranks = _color_ranks(images, rules.colors)
    numbers = np.zeros((len(orders), columns.shape[1]), dtype=np.uint64)
    for peg in range(rules.pegs):
        numbers *= np.uint64(rules.colors)
        numbers += np.take_along_axis(ranks, images[:, peg].astype(np.intp), axis=1)
    least = int(_mix(numbers).sum(axis=1).argmin())
    chosen = np.sort(numbers[least]).astype("<u8")
    return blake2b(chosen.tobytes(), digest_size=KEY_BYTES, person=str(rules).encode()).digest()


def key_work(codes: int, rules: Rules) -> int:
    """Return the number of feedback evaluations that take as long as the key of ``codes`` codes."""
    return _KEY_WORK * codes * len(_peg_orders(rules.pegs))


def _color_ranks(images: NDArray[np.uint8], colors: int) -> NDArray[np.uint64]:
    orders, pegs, _ = images.shape
    factors = _mix(np.arange(1, pegs + 1, dtype=np.uint64))
    where = images.astype(np.intp)
    weights = np.ones((orders, colors), dtype=np.uint64)
    for _ in range(3):
        codes = np.zeros((orders, images.shape[2]), dtype=np.uint64)
        for peg in range(pegs):
            codes += factors[peg] * np.take_along_axis(weights, where[:, peg], axis=1)
        codes = _mix(codes)
        for color in range(colors):
            held = ((images == color) * factors[:, None]).sum(axis=1, dtype=np.uint64)
            weights[:, color] = _mix((held * codes).sum(axis=1, dtype=np.uint64) + weights[:, color])
    return np.argsort(np.argsort(weights, axis=1, kind="stable"), axis=1, kind="stable").astype(np.uint64)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):  # as plain Python, kernels warn when integers wrap around
        return mix_each(values + GOLDEN)


@cache
def _peg_orders(pegs: int) -> _Permutations:
    if factorial(pegs) > _MAX_PEG_ORDERS:
        return np.arange(pegs, dtype=np.int64)[None]
    return np.array(list(permutations(range(pegs))), dtype=np.int64)


class GuessSymmetries:
    """A finder of guesses that are equally good against a set of codes, as a symmetry of the set links them."""

    def __init__(self, rules: Rules, codes: Columns, max_guesses: int = _MAX_GUESSES) -> None:
        """``codes`` are all codes of the rules in code order; with over ``max_guesses``, no symmetry is found."""
        self._codes = codes
        self._powers = rules.colors ** np.arange(rules.pegs)[::-1]
        self._cells_of_all = self._powers @ codes
        self._grid = rules.colors**rules.pegs
        self._known = (
            _elements(rules) if self._grid <= _MAX_GRID and rules.size <= max(max_guesses, _MAX_GUESSES) else None
        )
        self._index_of = np.full(self._grid if self._known else 0, -1, dtype=np.int32)
        if self._known:
            self._index_of[self._cells_of_all] = np.arange(codes.shape[1])

    def indices(self, columns: Columns) -> Indices:
        """Return the indices of ``columns`` among all codes."""
        return np.searchsorted(self._cells_of_all, self._powers @ columns).astype(np.int32)

    def orbits(self, columns: Columns) -> Indices:
        """Return, for each code as a guess, the index of the first guess known to be equally good.

        If the rules are too large, each guess has its own index.
        """
        count = self._codes.shape[1]
        if self._known is None:
            return np.arange(count, dtype=np.int32)
        member = np.zeros(self._grid, dtype=np.bool_)
        member[self._powers @ columns] = True
        return _orbits(self._codes, self._index_of, columns, member, *self._known, self._powers)


# one result takes 19 MB at most, on 2x34
@lru_cache(4)
def _elements(rules: Rules) -> tuple[_Permutations, _Permutations]:
    # one symmetry per row: peg p of the image has the color colors[i, code[pegs[i, p]]]
    recolorings = _exchanges(rules.colors)[:_MAX_ELEMENTS]
    orders = _peg_orders(rules.pegs)
    pairs = [(0, c) for c in range(len(recolorings))] + [(p, 0) for p in range(1, len(orders))]
    pairs += [(p, c) for c in range(1, len(recolorings)) for p in range(1, len(orders))][:_MAX_ELEMENTS]
    chosen = np.array(pairs)
    return orders[chosen[:, 0]], np.array(recolorings, dtype=np.int64)[chosen[:, 1]]


def _exchanges(colors: int) -> list[list[int]]:
    exchanged = [list(range(colors))]
    pairs = list(combinations(range(colors), 2))
    doubles = [(first, second) for first, second in combinations(pairs, 2) if not set(first) & set(second)]
    for swaps in [(pair,) for pair in pairs] + doubles:
        recoloring = list(range(colors))
        for one, other in swaps:
            recoloring[one], recoloring[other] = other, one
        exchanged.append(recoloring)
    return exchanged


@kernel
def _cell(
    columns: Columns, code: int, order: NDArray[np.int64], recoloring: NDArray[np.int64], powers: NDArray[np.int64]
) -> int:
    cell = 0
    for peg in range(order.size):
        cell += recoloring[columns[order[peg], code]] * powers[peg]
    return cell


@kernel
def _orbits(
    codes: Columns,
    index_of: Indices,
    columns: Columns,
    member: NDArray[np.bool_],
    orders: _Permutations,
    recolorings: _Permutations,
    powers: NDArray[np.int64],
) -> Indices:
    first = np.arange(codes.shape[1]).astype(np.int32)
    used = 0
    for element in range(orders.shape[0]):
        order, recoloring = orders[element], recolorings[element]
        keeps = True
        for code in range(columns.shape[1]):
            if not member[_cell(columns, code, order, recoloring, powers)]:
                keeps = False
                break
        if not keeps:
            continue
        for guess in range(codes.shape[1]):
            _join(first, guess, index_of[_cell(codes, guess, order, recoloring, powers)])
        used += 1
        if used == _ENOUGH:
            break
    for guess in range(first.size):
        first[guess] = first[first[guess]]
    return first


@kernel
def _join(first: Indices, one: int, other: int) -> None:
    while first[one] != one:
        one = first[one]
    while first[other] != other:
        other = first[other]
    if one < other:
        first[other] = one
    else:
        first[one] = other
