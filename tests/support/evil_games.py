"""Guesses of several kinds, and evil games that are played with counted parts only."""

from itertools import combinations

from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.feedback import Feedback, all_black, feedbacks

SORTS = ("random", "one color", "two colors", "paired", "distinct")


def guess_of(sort, rules, rng):
    """Return a random guess of one of the `SORTS`, or one that is as similar to it as the rules allow."""
    pegs, colors = rules.pegs, rules.colors
    if not rules.repeats:
        return tuple(rng.sample(range(colors), pegs))
    if sort == "random":
        return tuple(rng.choices(range(colors), k=pegs))
    few = {"one color": 1, "two colors": 2, "paired": (pegs + 1) // 2, "distinct": pegs}[sort]
    chosen = rng.sample(range(colors), min(few, colors))
    if sort == "two colors":
        return tuple(rng.choices(chosen, k=pegs))
    code = (chosen * pegs)[:pegs]
    rng.shuffle(code)
    return tuple(code)


def transpositions(code, rng):
    """Return every code that differs from ``code`` by an exchange of two pegs, in random order."""
    changed = set()
    for one, other in combinations(range(len(code)), 2):
        swapped = list(code)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        changed.add(tuple(swapped))
    return rng.sample(sorted(changed), len(changed))


def evil_reply(rules, sizes) -> tuple[Feedback, int]:
    """Return the first of the largest parts, and its size; all-black is returned only if there is no other part.

    ``sizes`` has the sizes of all parts in feedback order.
    """
    parts = dict(zip(feedbacks(rules.pegs), sizes, strict=True))
    ending = parts.pop(all_black(rules.pegs))
    if not any(parts.values()):
        return all_black(rules.pegs), ending
    given = max(parts, key=lambda given: (parts[given], -given.black, -given.white))
    return given, parts[given]


def evil_game(rules, guesses, least=1, count=count_parts):
    """Play ``guesses`` against evil, and yield a tuple per turn while at least ``least`` candidates are left.

    A tuple has the history, the guess, the result of counting its parts, and the size of the part that evil keeps.
    """
    history = ()
    for guess in guesses:
        counted = count(rules, history, guess)
        given, left = evil_reply(rules, counted.sizes)
        yield history, guess, counted, left
        if left < least or given == all_black(rules.pegs):
            return
        history = (*history, (guess, given))
