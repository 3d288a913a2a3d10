"""Part sizes computed plainly and slowly in two ways, for comparison with the fast count.

Both ways extend all codes step by step and merge codes that are equal so far. They only drop codes that have more
blacks or whites than a feedback allows. One way adds color after color and is quick if pegs are few; the other way adds
peg after peg and is quick if colors are few.
"""

from collections import Counter
from itertools import chain, combinations

from evilpegs_game.feedback import Feedback, feedbacks


def plain_part_sizes(rules, history, guess):
    """Return the part sizes of ``guess`` in the order of `feedbacks`, computed in the quicker of the two ways."""
    parts = parts_by_pegs if rules.repeats and 2 * rules.colors <= rules.pegs else parts_by_colors
    counted = parts(rules, history, guess)
    return tuple(counted.get(feedback, 0) for feedback in feedbacks(rules.pegs))


def parts_by_colors(rules, history, guess):
    """Count the codes of each part color by color.

    A state consists of the free pegs and, for every guess, the blacks and the matches (black + white) so far.
    """
    guesses = [guess, *(code for code, _ in history)]
    expected = [None, *(feedback for _, feedback in history)]
    all_pegs = tuple(range(rules.pegs))
    states = Counter({(all_pegs, ((0, 0),) * len(guesses)): 1})
    for color in range(rules.colors):
        increments = {
            taken: [
                (sum(code[peg] == color for peg in taken), min(len(taken), code.count(color)))
                for code in guesses
            ]
            for size in range(rules.pegs + 1 if rules.repeats else 2)
            for taken in combinations(all_pegs, size)
        }  # fmt: skip
        following = Counter()
        for (free, got), ways in states.items():
            for taken in _subsets(free, most=rules.pegs if rules.repeats else 1):
                now = tuple(
                    (b + more_b, m + more_m) for (b, m), (more_b, more_m) in zip(got, increments[taken], strict=True)
                )
                if all(map(_is_possible_so_far, now, expected)):
                    following[tuple(peg for peg in free if peg not in taken), now] += ways
        states = following
    return _collect_parts({got: ways for (free, got), ways in states.items() if not free}, expected)


def parts_by_pegs(rules, history, guess):
    """Count the codes of each part peg by peg.

    A state consists of the number of pegs of each color and, for every guess, the blacks so far.
    """
    guesses = [guess, *(code for code, _ in history)]
    expected = [None, *(feedback for _, feedback in history)]
    states = Counter({((0,) * rules.colors, (0,) * len(guesses)): 1})
    for peg in range(rules.pegs):
        following = Counter()
        for (counts, blacks), ways in states.items():
            for color in range(rules.colors):
                if counts[color] and not rules.repeats:
                    continue
                more = (*counts[:color], counts[color] + 1, *counts[color + 1 :])
                now = tuple(black + (code[peg] == color) for code, black in zip(guesses, blacks, strict=True))
                if all(reply is None or black <= reply.black for black, reply in zip(now, expected, strict=True)):
                    following[more, now] += ways
        states = following
    ended = Counter()
    for (counts, blacks), ways in states.items():
        matches = (sum(min(counts[color], code.count(color)) for color in set(code)) for code in guesses)
        ended[tuple(zip(blacks, matches, strict=True))] += ways
    return _collect_parts(ended, expected)


def _subsets(pegs, most):
    return chain.from_iterable(combinations(pegs, size) for size in range(min(most, len(pegs)) + 1))


def _is_possible_so_far(got, feedback):
    black, match = got
    return feedback is None or (black <= feedback.black and match - black <= feedback.white)


def _collect_parts(ended, expected):
    parts = Counter()
    for got, ways in ended.items():
        asked, *others = (Feedback(black, match - black) for black, match in got)
        if others == expected[1:]:
            parts[asked] += ways
    return dict(parts)
