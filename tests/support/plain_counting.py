"""Part sizes straight from the definition, twice: plain and slow, to hold the fast count against.

Both go through all codes at once, put together what is alike so far, and know no pruning but the plainest: what has
more of a feedback than was given. One takes color after color and is quick when pegs are few, the other peg after
peg and is quick when colors are few.
"""

from collections import Counter
from itertools import chain, combinations

from evilpegs_game.feedback import Feedback, feedbacks


def plain_part_sizes(rules, history, guess):
    """Sizes in the order of `feedbacks`, by whichever way is quicker."""
    parts = parts_by_pegs if rules.repeats and 2 * rules.colors <= rules.pegs else parts_by_colors
    counted = parts(rules, history, guess)
    return tuple(counted.get(given, 0) for given in feedbacks(rules.pegs))


def parts_by_colors(rules, history, guess):
    """State: the pegs still free; for every guess the blacks and the matches (black + white) so far."""
    guesses = [guess, *(code for code, _ in history)]
    answers = [None, *(given for _, given in history)]
    every_peg = tuple(range(rules.pegs))
    states = Counter({(every_peg, ((0, 0),) * len(guesses)): 1})
    for color in range(rules.colors):
        gains = {
            taken: [
                (sum(code[peg] == color for peg in taken), min(len(taken), code.count(color)))
                for code in guesses
            ]
            for size in range(rules.pegs + 1 if rules.repeats else 2)
            for taken in combinations(every_peg, size)
        }  # fmt: skip
        following = Counter()
        for (free, got), ways in states.items():
            for taken in _subsets(free, most=rules.pegs if rules.repeats else 1):
                now = tuple(
                    (b + more_b, m + more_m) for (b, m), (more_b, more_m) in zip(got, gains[taken], strict=True)
                )
                if all(map(_can_become, now, answers)):
                    following[tuple(peg for peg in free if peg not in taken), now] += ways
        states = following
    return _finished({got: ways for (free, got), ways in states.items() if not free}, answers)


def parts_by_pegs(rules, history, guess):
    """State: how many pegs have each color; for every guess the blacks so far."""
    guesses = [guess, *(code for code, _ in history)]
    answers = [None, *(given for _, given in history)]
    states = Counter({((0,) * rules.colors, (0,) * len(guesses)): 1})
    for peg in range(rules.pegs):
        following = Counter()
        for (counts, blacks), ways in states.items():
            for color in range(rules.colors):
                if counts[color] and not rules.repeats:
                    continue
                more = (*counts[:color], counts[color] + 1, *counts[color + 1 :])
                now = tuple(black + (code[peg] == color) for code, black in zip(guesses, blacks, strict=True))
                if all(given is None or black <= given.black for black, given in zip(now, answers, strict=True)):
                    following[more, now] += ways
        states = following
    ended = Counter()
    for (counts, blacks), ways in states.items():
        matches = (sum(min(counts[color], code.count(color)) for color in set(code)) for code in guesses)
        ended[tuple(zip(blacks, matches, strict=True))] += ways
    return _finished(ended, answers)


def _subsets(pegs, most):
    return chain.from_iterable(combinations(pegs, size) for size in range(min(most, len(pegs)) + 1))


def _can_become(got, given):
    black, match = got
    return given is None or (black <= given.black and match - black <= given.white)


def _finished(ended, answers):
    parts = Counter()
    for got, ways in ended.items():
        asked, *others = (Feedback(black, match - black) for black, match in got)
        if others == answers[1:]:
            parts[asked] += ways
    return dict(parts)
