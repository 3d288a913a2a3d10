"""Scores while a code is built color by color: what a color adds, and which can still be completed."""

import numpy as np

from evilpegs_game.counting.layout import (
    COLORINGS,
    MAX_MATCH,
    MIN_BLACK,
    MIN_MATCH,
    SCORE,
    Index,
    Layout,
    Rows,
    ScoreLanes,
    Words,
)
from evilpegs_game.kernels import kernel


@kernel
def score_increments(layout: Layout, color: int) -> Rows:
    """Return how much the scores grow if a peg subset gets ``color``: a row per subset, with the columns of tables.

    `COLORINGS` is the number of ways in which the pegs can get the color. It is 0 if a guess would score more than its
    feedback, the color cannot be at that number of pegs, or the fixed colors of the first pegs forbid it.
    """
    # Here and below, loops read arrays that were taken out of their tuples first: an access inside counts references.
    pegs, sizes = layout.subsets.pegs, layout.subsets.sizes
    guess_colors, color_counts, ways = layout.colors.guess_colors, layout.colors.color_counts, layout.colors.ways
    max_pegs = layout.colors.max_pegs[color]
    blacks, matches, words, shifts = _lane_arrays(layout.lanes)
    black_shifts = layout.lanes.black_shifts
    increments = np.zeros((sizes.size, SCORE + layout.lanes.targets.shape[0]), np.uint64)
    for subset in range(sizes.size):
        possible = sizes[subset] <= max_pegs
        for guess in range(matches.size):
            if not possible:
                break
            black = 0
            for peg_class in range(pegs.shape[1]):
                if guess_colors[guess, peg_class] == color:
                    black += pegs[subset, peg_class]
            match = min(sizes[subset], color_counts[guess, color])
            if matches[guess] >= 0:
                whites = matches[guess] - blacks[guess]
                if black > blacks[guess] or match > matches[guess] or match - black > whites:
                    possible = False
            score = np.uint64(match) << np.uint64(shifts[guess])
            increments[subset, SCORE + words[guess]] += score + (np.uint64(black) << np.uint64(black_shifts[guess]))
        if possible:
            increments[subset, COLORINGS] = ways[color, sizes[subset]]
    _enforce_prefix(layout, color, increments)
    return increments


@kernel
def _enforce_prefix(layout: Layout, color: int, increments: Rows) -> None:
    prefix, pegs = layout.colors.prefix, layout.subsets.pegs
    for peg in range(prefix.size):
        for subset in range(increments.shape[0]):
            if (pegs[subset, peg] == 1) != (prefix[peg] == color):
                increments[subset, COLORINGS] = 0


@kernel
def score_bounds(layout: Layout, remaining: Index) -> Words:
    """Return bounds on the scores of partial codes from which every guess can still reach its feedback.

    The result is uint64 (subsets, words, 3): for each peg subset that has colors so far, the fewest blacks, the fewest
    matches and the most matches, each where the matches are in tables. ``remaining`` (colors,) is the number of pegs
    that can have each color to come, 0 for all others.
    """
    class_sizes, pegs = layout.class_sizes, layout.subsets.pegs
    guess_colors, color_counts = layout.colors.guess_colors, layout.colors.color_counts
    blacks, matches, words, shifts = _lane_arrays(layout.lanes)
    bounds = np.zeros((pegs.shape[0], layout.lanes.targets.shape[0], 3), np.uint64)
    total = class_sizes.sum()
    for guess in range(matches.size):
        if matches[guess] >= 0:
            shift, word = np.uint64(shifts[guess]), words[guess]
            most, foreign, least = _match_limits(color_counts[guess], remaining, layout.colors.repeats, total)
            had = _match_limits(color_counts[guess], layout.colors.max_pegs - remaining, layout.colors.repeats, total)
            for subset in range(pegs.shape[0]):
                free = open_pegs = had_pegs = 0
                for peg_class in range(pegs.shape[1]):
                    left = class_sizes[peg_class] - pegs[subset, peg_class]
                    free += left
                    if remaining[guess_colors[guess, peg_class]]:
                        open_pegs += left
                    else:
                        had_pegs += pegs[subset, peg_class]
                min_black = max(0, blacks[guess] - open_pegs)
                min_match = max(0, matches[guess] - min(most, free))
                max_match = matches[guess] - max(min(free, least), free - foreign)
                # what the colored pegs can have brought at most, and at least
                over = min_black > had_pegs or min_match > min(had[0], total - free)
                if over or max_match < max(min(total - free, had[2]), total - free - had[1]):
                    min_match, max_match = 1, 0  # out of reach: no number is at least 1 and at most 0
                bounds[subset, word, MIN_BLACK] += np.uint64(min_black) << shift
                bounds[subset, word, MIN_MATCH] += np.uint64(min_match) << shift
                bounds[subset, word, MAX_MATCH] += np.uint64(max_match) << shift
    return bounds


@kernel
def _lane_arrays(lanes: ScoreLanes) -> tuple[Index, Index, Index, Index]:
    return lanes.blacks, lanes.matches, lanes.words, lanes.shifts


@kernel
def _match_limits(color_counts: Index, remaining: Index, repeats: bool, pegs: int) -> tuple[int, int, int]:
    most = foreign = 0
    least = pegs
    for color in range(remaining.size):
        if remaining[color]:
            most += color_counts[color]
            if color_counts[color] == 0:
                foreign += remaining[color]
            least = min(least, color_counts[color])
    if repeats:
        return most, pegs, least  # any number of pegs can have the color that brings the fewest
    return most, foreign, 0
