"""What a color adds to the guesses, and what they must have got before the colors that remain."""

import numpy as np

from evilpegs_game.counting.layout import Colors, Index, Layout, Words
from evilpegs_game.kernel import kernel


@kernel
def color_gains(layout: Layout, color: int) -> tuple[Words, Words]:
    """What each set of pegs adds to the guesses if it gets this color, and how often that counts.

    uint64 (fills, 2 x words), a pair of blacks and matches a word, and uint64 (fills,): 0 where a guess would get more
    than its feedback.
    """
    fills, colors, fields = layout.fills, layout.colors, layout.fields
    gains = np.zeros((fills.sizes.size, 2 * fields.targets.shape[0]), np.uint64)
    ways = np.zeros(fills.sizes.size, np.uint64)
    for fill in range(fills.sizes.size):
        possible = fills.sizes[fill] <= colors.most[color]
        for guess in range(fields.matches.size):
            if not possible:
                break
            black = 0
            for kind in range(fills.pegs.shape[1]):
                if colors.of_guess[guess, kind] == color:
                    black += fills.pegs[fill, kind]
            match = min(fills.sizes[fill], colors.times[guess, color])
            if fields.matches[guess] >= 0:
                whites = fields.matches[guess] - fields.blacks[guess]
                if black > fields.blacks[guess] or match > fields.matches[guess] or match - black > whites:
                    possible = False
            word, shift = fields.words[guess], np.uint64(fields.shifts[guess])
            gains[fill, 2 * word] += np.uint64(black) << shift
            gains[fill, 2 * word + 1] += np.uint64(match) << shift
        if possible:
            ways[fill] = colors.ways[color, fills.sizes[fill]]
    _begin(layout, color, ways)
    return gains, ways


@kernel
def _begin(layout: Layout, color: int, ways: Words) -> None:
    """No ways for sets of pegs that go against the settled colors of the first pegs."""
    beginning = layout.colors.beginning
    for peg in range(beginning.size):
        for fill in range(ways.size):
            if (layout.fills.pegs[fill, peg] == 1) != (beginning[peg] == color):
                ways[fill] = 0


@kernel
def fill_bounds(layout: Layout, remaining: Index) -> Words:
    """The least blacks, least matches and most matches due in each fill, once only these colors are to come.

    uint64 (fills, words, 3); ``remaining`` (colors,) is how many pegs each color can still take.
    """
    fields, pegs = layout.fields, layout.fills.pegs
    bounds = np.zeros((pegs.shape[0], fields.targets.shape[0], 3), np.uint64)
    bounds[:, 0, 2] = fields.asked
    for guess in range(fields.matches.size):
        if fields.matches[guess] >= 0:
            place, word = np.uint64(fields.shifts[guess]), fields.words[guess]
            most, foreign, least = _still_possible(layout.colors, guess, remaining, layout.kinds.sum())
            for fill in range(pegs.shape[0]):
                free = open_pegs = 0
                for kind in range(pegs.shape[1]):
                    left = layout.kinds[kind] - pegs[fill, kind]
                    free += left
                    if remaining[layout.colors.of_guess[guess, kind]]:
                        open_pegs += left
                least_black = max(0, fields.blacks[guess] - open_pegs)
                least_match = max(0, fields.matches[guess] - min(most, free))
                most_match = fields.matches[guess] - max(min(free, least), free - foreign)
                if most_match < 0:  # out of reach: no number is at least 1 and at most 0
                    least_match, most_match = 1, 0
                bounds[fill, word, 0] += np.uint64(least_black) << place
                bounds[fill, word, 1] += np.uint64(least_match) << place
                bounds[fill, word, 2] += np.uint64(most_match) << place
    return bounds


@kernel
def _still_possible(colors: Colors, guess: int, remaining: Index, pegs: int) -> tuple[int, int, int]:
    """The most matches the open colors can give, how many pegs can go without any, what one color gives at least."""
    most = foreign = 0
    least = pegs
    for color in range(remaining.size):
        if remaining[color]:
            times = colors.times[guess, color]
            most += times
            if times == 0:
                foreign += remaining[color]
            least = min(least, times)
    if colors.repeats:
        return most, pegs, least  # any number of pegs can have the color that gives least
    return most, foreign, 0
