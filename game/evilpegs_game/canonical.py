"""One form for all histories that differ only by the names of pegs and of colors and by the order of the turns.

All pegs are alike, and so are all colors. So the part sizes of a guess, and the live set in coordinates of its own,
need be computed once for all the images of a history: they are kept under its `canonical` key.

Rows (guesses) and colors get weights which no renaming changes: what stands where, hashed, round after round, until
no more of them are told apart. What is still alike is told apart by choice: each of those that tie is tried, and of
the images that come out the one with the least hash is taken. Colors that tie and meet in no column once the colors
told apart are set aside are independent, so each such *component* is settled alone. Two images that come out equal
show a symmetry of the history itself, and what it carries into each other need not be tried twice.
Source: B. D. McKay, A. Piperno, Practical graph isomorphism II (2014), for the search; components are our own.

A key holds the whole image, so whatever the hashes do, equal keys are images of each other. The search is bounded:
where it is cut short, images of a history may get different keys, which costs time, never truth.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, check_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.kernel import kernel
from evilpegs_game.rules import Rules

Key = bytes
"""Pegs, colors and whether they repeat; then black, white and the image of the guess, for each pair in turn."""

Bytes = NDArray[np.uint8]
Grid = NDArray[np.int64]
"""The vertex of the color of each peg of each row: int64, shape (rows, pegs). Vertices are rows, then colors."""

Index = NDArray[np.int64]
Weights = NDArray[np.uint64]
"""What is known of each vertex, hashed: uint64, shape (rows + colors,)."""

_ASKED: Final = (255, 255)
"""In the place of a feedback: this guess has none yet."""

_MOST_NODES: Final = 200
"""So many nodes of the search, all told, may be refined; then the first of those that tie will do."""

_FEW_ROWS: Final = 2
"""Of more rows that tie, one told apart says less than one color told apart does."""

# What was compared: how many nodes are left to the search, how many images came out.
_LEFT, _IMAGES = 0, 1
# Hashes of the first and of the least image.
_FIRST, _BEST = 0, 1
# What is known of a cell at some level: its size, the place of the next to try, whether the first image came by here.
_SIZE, _NEXT, _IS_FIRST, _MEMBERS = 0, 1, 2, 3

_STIR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HIGH = np.uint64(32)
_MIDDLE = np.uint64(29)
_NONE = np.uint64(0)


class Symmetry(NamedTuple):
    """A permutation of pegs and one of colors: peg ``i`` of an image shows what was at ``pegs[i]``, renamed."""

    pegs: tuple[int, ...]
    colors: tuple[int, ...]

    def image(self, code: Code) -> Code:
        """The image of a code."""
        colors = self.colors
        return tuple([colors[code[peg]] for peg in self.pegs])


def canonical(
    rules: Rules, history: Iterable[tuple[Code, Feedback]], asked: Code | None = None
) -> tuple[Key, Symmetry]:
    """The key of a history and, perhaps, of the guess asked next; and the symmetry that leads to the image it holds.

    Equal keys: images of each other. Images of each other nearly always have equal keys, up to two guesses always.

    Raises:
        IllegalCodeError: a guess is not a code of ``rules``.
    """
    pairs: list[tuple[Code, tuple[int, int]]] = [*history]
    if asked is not None:
        pairs.append((asked, _ASKED))
    pegs, colors = rules.pegs, rules.colors
    data = b"".join([bytes((*given, *guess)) for guess, given in pairs])
    if any(len(guess) != pegs for guess, _ in pairs):
        _refuse(rules, pairs)
    out = np.empty(len(data) + pegs + colors, np.uint8)
    with np.errstate(over="ignore"):
        size = _canonical(np.frombuffer(data, np.uint8), pegs, colors, out)
    if size < 0:
        _refuse(rules, pairs)
    image = out.tobytes()
    head = bytes((pegs, colors, rules.repeats))
    middle = size + pegs
    return head + image[:size], Symmetry(tuple(image[size:middle]), tuple(image[middle : middle + colors]))


def _refuse(rules: Rules, pairs: list[tuple[Code, tuple[int, int]]]) -> None:
    for guess, _ in pairs:
        check_code(guess, rules)


@kernel
def _canonical(data: Bytes, pegs: int, colors: int, out: Bytes) -> int:
    """Write the rows of the image, then the order of the pegs, then the new names of the colors, all uint8.

    ``data`` has black, white and the guess for each pair. Returns how much the rows take, or -1: there is an illegal
    color.
    """
    rows = _different(data, pegs)
    count = rows.size
    grid = np.empty((count, pegs), np.int64)
    for row in range(count):
        for peg in range(pegs):
            color = data[rows[row] + 2 + peg]
            if color >= colors:
                return -1
            grid[row, peg] = count + color
    weights = np.zeros(count + colors, np.uint64)
    for row in range(count):
        weights[row] = _mixed(np.uint64(data[rows[row]]) * np.uint64(256) + np.uint64(data[rows[row] + 1]) + _STIR)
    vertices = _vertices(grid, colors)
    if count:
        weights = _search_rows(weights, grid, vertices)
    return _write(data, rows, grid, vertices[count:], weights, pegs, colors, out)


@kernel
def _mixed(value: np.uint64) -> np.uint64:
    """Stir 64 bits. Source: S. Vigna, splitmix64, cut to what is needed here."""
    value = (value ^ (value >> _HIGH)) * _MIX
    value = (value ^ (value >> _MIDDLE)) * _STIR
    return value ^ (value >> _HIGH)


@kernel
def _different(data: Bytes, pegs: int) -> Index:
    """Where each pair starts that is in ``data`` for the first time: int64, shape (rows,)."""
    width = pegs + 2
    starts = np.empty(data.size // width, np.int64)
    count = 0
    for start in range(0, data.size, width):
        known = False
        for earlier in range(count):
            other = starts[earlier]
            same = 0
            while same < width and data[start + same] == data[other + same]:
                same += 1
            known = known or same == width
        if not known:
            starts[count] = start
            count += 1
    return starts[:count]


@kernel
def _vertices(grid: Grid, colors: int) -> Index:
    """The rows and the colors that occur, ascending."""
    rows = grid.shape[0]
    seen = np.zeros(rows + colors, np.bool_)
    for row in range(rows):
        seen[row] = True
        for peg in range(grid.shape[1]):
            seen[grid[row, peg]] = True
    return np.flatnonzero(seen)


@kernel
def _copy(source: Weights, target: Weights) -> None:
    """As ``target[:] = source``, which takes longer to compile than all the rest."""
    for vertex in range(source.size):
        target[vertex] = source[vertex]


@kernel
def _hash_pegs(weights: Weights, grid: Grid, pegs: Index, hashes: Weights) -> np.uint64:
    """Hash the columns at ``pegs`` by the weights of what stands in them; returns a hash of them all."""
    total = _NONE
    for place in range(pegs.size):
        peg = pegs[place]
        held = _NONE
        for row in range(grid.shape[0]):
            held += _mixed(weights[row] ^ weights[grid[row, peg]])
        hashes[peg] = held
        total += _mixed(held)
    return total


@kernel
def _classes(weights: Weights, vertices: Index) -> int:
    """How many different weights there are."""
    count = 0
    for place in range(vertices.size):
        fresh = 1
        for earlier in range(place):
            if weights[vertices[earlier]] == weights[vertices[place]]:
                fresh = 0
                break
        count += fresh
    return count


@kernel
def _refine(weights: Weights, grid: Grid, pegs: Index, vertices: Index) -> None:
    """Color refinement: add to the weight of each of ``vertices`` where it stands, until that tells no more apart."""
    hashes = np.empty(grid.shape[1], np.uint64)
    sums = np.empty(weights.size, np.uint64)
    known, before = _classes(weights, vertices), 0
    while before < known < vertices.size:
        _hash_pegs(weights, grid, pegs, hashes)
        for place in range(vertices.size):
            sums[vertices[place]] = _NONE
        for place in range(pegs.size):
            peg = pegs[place]
            for row in range(grid.shape[0]):
                color = grid[row, peg]
                sums[color] += _mixed(hashes[peg] + weights[row])
                sums[row] += _mixed(hashes[peg] - weights[color])
        for place in range(vertices.size):
            vertex = vertices[place]
            weights[vertex] = _mixed(weights[vertex] + sums[vertex])
        before, known = known, _classes(weights, vertices)


@kernel
def _tied(weights: Weights, vertices: Index) -> Index:
    """The fewest of ``vertices`` that share a weight, the least weight first; none if all differ."""
    tied = np.empty(vertices.size, np.int64)
    least, fewest, size = _NONE, vertices.size + 1, 0
    for place in range(vertices.size):
        weight = weights[vertices[place]]
        many = 0
        for other in range(vertices.size):
            many += weights[vertices[other]] == weight
        if many > 1 and (many < fewest or (many == fewest and weight < least)):
            least, fewest = weight, many
    for place in range(vertices.size):
        if fewest <= vertices.size and weights[vertices[place]] == least:
            tied[size] = vertices[place]
            size += 1
    return tied[:size]


@kernel
def _search_rows(start: Weights, grid: Grid, vertices: Index) -> Weights:
    """Tell the rows apart, then the colors, in every way that the weights leave open; returns the best weights."""
    rows, pegs = grid.shape
    every, hashes = np.arange(pegs), np.empty(pegs, np.uint64)
    first, best, forms = start.copy(), start.copy(), np.zeros(2, np.uint64)
    stack = np.empty((vertices.size, start.size), np.uint64)
    cells = np.empty((vertices.size, _MEMBERS + vertices.size), np.int64)
    tally, orbits = np.array([_MOST_NODES, 0]), np.arange(start.size)
    _copy(start, stack[0])
    level = 0
    while level >= 0:
        weights = stack[level]
        _refine(weights, grid, every, vertices)
        tied = _tied(weights, vertices[:rows])
        if tied.size > _FEW_ROWS:
            colors = _tied(weights, vertices[rows:])
            tied = colors if colors.size else tied
        if _open(cells[level], tied, tally):
            _settle_colors(weights, grid, vertices[rows:], tally)
            form = _hash_pegs(weights, grid, every, hashes)
            if _keep(weights, form, first, best, tally, forms):
                _join_orbits(first, weights, vertices, orbits)
                level = _first_path(cells, level)
        level = _descend(stack, cells, level, tally, orbits)
    return best


@kernel
def _open(cell: Index, tied: Index, tally: Index) -> bool:
    """Begin to try the members of a cell; returns whether there are none, so that an image is complete."""
    tally[_LEFT] -= 1
    cell[_SIZE], cell[_NEXT], cell[_IS_FIRST] = tied.size, 0, tally[_IMAGES] == 0
    for place in range(tied.size):
        cell[_MEMBERS + place] = tied[place]
    return tied.size == 0


@kernel
def _descend(stack: Weights, cells: Index, level: int, tally: Index, orbits: Index) -> int:
    """Mark the next member to try at the deepest level that has one; returns the level below, -1 if all is tried."""
    while level >= 0:
        cell = cells[level]
        place = cell[_NEXT]
        while place < cell[_SIZE] and cell[_IS_FIRST] and _is_covered(orbits, cell[_MEMBERS:], place):
            place += 1
        if place < cell[_SIZE] and (place == 0 or tally[_LEFT] > 0):
            chosen = cell[_MEMBERS + place]
            cell[_NEXT] = place + 1
            _copy(stack[level], stack[level + 1])
            stack[level + 1, chosen] = _mixed(stack[level, chosen] + _STIR)
            return level + 1
        level -= 1
    return level


@kernel
def _first_path(cells: Index, level: int) -> int:
    """The deepest level, at most ``level``, that led to the first image too."""
    while level >= 0 and not cells[level, _IS_FIRST]:
        level -= 1
    return level


@kernel
def _keep(weights: Weights, form: np.uint64, first: Weights, best: Weights, tally: Index, forms: Weights) -> bool:
    """Keep an image if it is the first, or the best so far; returns whether it is equal to the first but not it."""
    tally[_IMAGES] += 1
    if tally[_IMAGES] == 1:
        forms[_FIRST] = form
        _copy(weights, first)
    if tally[_IMAGES] == 1 or form < forms[_BEST]:
        forms[_BEST] = form
        _copy(weights, best)
    return bool(tally[_IMAGES] > 1 and form == forms[_FIRST])


@kernel
def _settle_colors(weights: Weights, grid: Grid, colors: Index, tally: Index) -> None:
    """Make the weights of all colors differ, those of the rows being different: component by component."""
    if _classes(weights, colors) == colors.size:
        return
    heads = _components(weights, grid, colors)
    settled = weights.copy()
    found = np.empty(colors.size, np.uint64)
    count = 0
    for place in range(colors.size):
        if heads[colors[place]] != colors[place]:
            continue
        members = np.flatnonzero(heads == colors[place])
        found[count] = _settle_component(weights, settled, grid, members, tally)
        rank = _NONE
        for earlier in range(count):
            rank += np.uint64(found[earlier] == found[count])
        for member in members:
            settled[member] = _mixed(settled[member] + _mixed(found[count] + rank))
        count += 1
    _copy(settled, weights)


@kernel
def _components(weights: Weights, grid: Grid, colors: Index) -> Index:
    """The least color of the component of each color that shares its weight; -1 for all other vertices."""
    heads = np.full(weights.size, -1)
    for one in colors:
        for other in colors:
            if one != other and weights[one] == weights[other]:
                heads[one] = one
    changed = True
    while changed:
        changed = False
        for peg in range(grid.shape[1]):
            least = weights.size
            for row in range(grid.shape[0]):
                head = heads[grid[row, peg]]
                if 0 <= head < least:
                    least = head
            for row in range(grid.shape[0]):
                if heads[grid[row, peg]] > least:
                    heads[grid[row, peg]] = least
                    changed = True
    return heads


@kernel
def _settle_component(weights: Weights, settled: Weights, grid: Grid, members: Index, tally: Index) -> np.uint64:
    """Put into ``settled`` different weights for the members of one component; returns a hash of its image."""
    inside = np.zeros(grid.shape[1], np.bool_)
    for peg in range(grid.shape[1]):
        for row in range(grid.shape[0]):
            for member in members:
                inside[peg] |= grid[row, peg] == member
    pegs = np.flatnonzero(inside)
    best = weights
    if members.size > 1:
        counts = np.array([tally[_LEFT], 0])
        best = _search_colors(weights, grid, pegs, members, counts)
        tally[_LEFT] = counts[_LEFT]
    for member in members:
        settled[member] = best[member]
    return _hash_pegs(best, grid, pegs, np.empty(grid.shape[1], np.uint64))


@kernel
def _search_colors(start: Weights, grid: Grid, pegs: Index, members: Index, tally: Index) -> Weights:
    """Tell the members of a component apart in every way that the weights leave open; returns the best weights."""
    hashes, forms = np.empty(grid.shape[1], np.uint64), np.zeros(2, np.uint64)
    first, best, orbits = start.copy(), start.copy(), np.arange(start.size)
    stack = np.empty((members.size, start.size), np.uint64)
    cells = np.empty((members.size, _MEMBERS + members.size), np.int64)
    _copy(start, stack[0])
    level = 0
    while level >= 0:
        weights = stack[level]
        _refine(weights, grid, pegs, members)
        if _open(cells[level], _tied(weights, members), tally):
            form = _hash_pegs(weights, grid, pegs, hashes)
            if _keep(weights, form, first, best, tally, forms):
                _join_orbits(first, weights, members, orbits)
                level = _first_path(cells, level)
        level = _descend(stack, cells, level, tally, orbits)
    return best


@kernel
def _is_covered(orbits: Index, tied: Index, place: int) -> bool:
    """Whether a symmetry is known that carries one before ``place`` into the one there."""
    covered = False
    for earlier in range(place):
        covered |= orbits[tied[earlier]] == orbits[tied[place]]
    return covered


@kernel
def _join_orbits(first: Weights, second: Weights, members: Index, orbits: Index) -> None:
    """Enter a symmetry: it carries each member into the one whose weight in the second image is its in the first.

    ``orbits``, int64, one a vertex, is equal for those that a known symmetry carries into each other.
    """
    for one in members:
        for other in members:
            if first[one] == second[other] and orbits[one] != orbits[other]:
                low, high = min(orbits[one], orbits[other]), max(orbits[one], orbits[other])
                for member in members:
                    if orbits[member] == high:
                        orbits[member] = low


@kernel
def _write(
    data: Bytes, rows: Index, grid: Grid, used: Index, weights: Weights, pegs: int, colors: int, out: Bytes
) -> int:
    """Write the image and the symmetry that the weights stand for; returns how much the rows of the image take."""
    count = rows.size
    names = np.full(count + colors, -1)
    for one in used:
        names[one] = 0
        for other in used:
            names[one] += weights[other] < weights[one] or (weights[other] == weights[one] and other < one)
    fresh = used.size
    for vertex in range(count, count + colors):
        if names[vertex] < 0:
            names[vertex] = fresh
            fresh += 1
    row_order = _row_order(data, rows, weights)
    peg_order = _peg_order(grid, row_order, names)
    place = 0
    for row in row_order:
        out[place] = data[rows[row]]
        out[place + 1] = data[rows[row] + 1]
        for peg in range(pegs):
            out[place + 2 + peg] = names[grid[row, peg_order[peg]]]
        place += pegs + 2
    for peg in range(pegs):
        out[place + peg] = peg_order[peg]
    for color in range(colors):
        out[place + pegs + color] = names[count + color]
    return place


@kernel
def _row_order(data: Bytes, rows: Index, weights: Weights) -> Index:
    """The rows by feedback, then by weight; the guess that is asked comes last."""
    order = np.arange(rows.size)
    for place in range(1, rows.size):
        row, to = order[place], place
        label = int(data[rows[row]]) * 256 + int(data[rows[row] + 1])
        while to > 0:
            other = order[to - 1]
            beyond = int(data[rows[other]]) * 256 + int(data[rows[other] + 1])
            if beyond < label or (beyond == label and weights[other] <= weights[row]):
                break
            order[to] = other
            to -= 1
        order[to] = row
    return order


@kernel
def _peg_order(grid: Grid, row_order: Index, names: Index) -> Index:
    """The pegs by what stands in their columns, row by row; equal columns as they were."""
    order = np.arange(grid.shape[1])
    for place in range(1, order.size):
        peg, to = order[place], place
        while to > 0:
            row = 0
            while row < row_order.size and grid[row_order[row], order[to - 1]] == grid[row_order[row], peg]:
                row += 1
            if row == row_order.size:
                break
            if names[grid[row_order[row], order[to - 1]]] < names[grid[row_order[row], peg]]:
                break
            order[to] = order[to - 1]
            to -= 1
        order[to] = peg
    return order
