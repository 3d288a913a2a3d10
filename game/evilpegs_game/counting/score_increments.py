"""What a color adds to the guesses, and what they must have got before the colors that remain."""

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Fields, Index, Layout, Words


@kernel
def color_gains(layout: Layout, color: int) -> tuple[Words, Words]:
    """What each set of pegs adds to the guesses if it gets this color, and how often that counts.

    uint64 (fills, 2 x words), a pair of blacks and matches a word, and uint64 (fills,): 0 where a guess would get more
    than its feedback.
    """
    # Here and below, what a loop reads is taken out of its tuple before: inside, each access would count references.
    pegs, sizes = layout.fills.pegs, layout.fills.sizes
    of_guess, times, ways_of = layout.colors.of_guess, layout.colors.times, layout.colors.ways
    most = layout.colors.most[color]
    blacks, matches, words, shifts = _places(layout.fields)
    gains = np.zeros((sizes.size, 2 * layout.fields.targets.shape[0]), np.uint64)
    ways = np.zeros(sizes.size, np.uint64)
    for fill in range(sizes.size):
        possible = sizes[fill] <= most
        for guess in range(matches.size):
            if not possible:
                break
            black = 0
            for kind in range(pegs.shape[1]):
                if of_guess[guess, kind] == color:
                    black += pegs[fill, kind]
            match = min(sizes[fill], times[guess, color])
            if matches[guess] >= 0:
                whites = matches[guess] - blacks[guess]
                if black > blacks[guess] or match > matches[guess] or match - black > whites:
                    possible = False
            word, shift = words[guess], np.uint64(shifts[guess])
            gains[fill, 2 * word] += np.uint64(black) << shift
            gains[fill, 2 * word + 1] += np.uint64(match) << shift
        if possible:
            ways[fill] = ways_of[color, sizes[fill]]
    _begin(layout, color, ways)
    return gains, ways


@kernel
def _begin(layout: Layout, color: int, ways: Words) -> None:
    """No ways for sets of pegs that go against the settled colors of the first pegs."""
    beginning, pegs = layout.colors.beginning, layout.fills.pegs
    for peg in range(beginning.size):
        for fill in range(ways.size):
            if (pegs[fill, peg] == 1) != (beginning[peg] == color):
                ways[fill] = 0


@kernel
def fill_bounds(layout: Layout, remaining: Index) -> Words:
    """The least blacks, least matches and most matches due in each fill, once only these colors are to come.

    uint64 (fills, words, 3); ``remaining`` (colors,) is how many pegs each color can still take.
    """
    kinds, pegs, of_guess, times = layout.kinds, layout.fills.pegs, layout.colors.of_guess, layout.colors.times
    blacks, matches, words, shifts = _places(layout.fields)
    bounds = np.zeros((pegs.shape[0], layout.fields.targets.shape[0], 3), np.uint64)
    bounds[:, 0, 2] = layout.fields.asked
    for guess in range(matches.size):
        if matches[guess] >= 0:
            place, word = np.uint64(shifts[guess]), words[guess]
            most, foreign, least = _still_possible(times[guess], remaining, layout.colors.repeats, kinds.sum())
            for fill in range(pegs.shape[0]):
                free = open_pegs = 0
                for kind in range(pegs.shape[1]):
                    left = kinds[kind] - pegs[fill, kind]
                    free += left
                    if remaining[of_guess[guess, kind]]:
                        open_pegs += left
                least_black = max(0, blacks[guess] - open_pegs)
                least_match = max(0, matches[guess] - min(most, free))
                most_match = matches[guess] - max(min(free, least), free - foreign)
                if most_match < 0:  # out of reach: no number is at least 1 and at most 0
                    least_match, most_match = 1, 0
                bounds[fill, word, 0] += np.uint64(least_black) << place
                bounds[fill, word, 1] += np.uint64(least_match) << place
                bounds[fill, word, 2] += np.uint64(most_match) << place
    return bounds


@kernel
def _places(fields: Fields) -> tuple[Index, Index, Index, Index]:
    return fields.blacks, fields.matches, fields.words, fields.shifts


@kernel
def _still_possible(times: Index, remaining: Index, repeats: bool, pegs: int) -> tuple[int, int, int]:
    """The most matches the open colors can give, how many pegs can go without any, what one color gives at least.

    ``times`` (colors,) is how often the guess has each.
    """
    most = foreign = 0
    least = pegs
    for color in range(remaining.size):
        if remaining[color]:
            most += times[color]
            if times[color] == 0:
                foreign += remaining[color]
            least = min(least, times[color])
    if repeats:
        return most, pegs, least  # any number of pegs can have the color that gives least
    return most, foreign, 0
