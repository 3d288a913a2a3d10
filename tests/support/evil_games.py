"""Guesses of every sort, and evil games that are played with counted parts only."""

from itertools import combinations

from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.feedback import Feedback, all_black, feedbacks

SORTS = ("random", "one color", "two colors", "paired", "distinct")


def guess_of(sort, rules, rng):
    """Return a guess of one of the `SORTS`, or the nearest that the rules allow."""
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
    """Return every code made by exchanging two pegs of this one, in random order."""
    changed = set()
    for one, other in combinations(range(len(code)), 2):
        swapped = list(code)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        changed.add(tuple(swapped))
    return rng.sample(sorted(changed), len(changed))


def evil_reply(rules, sizes) -> tuple[Feedback, int]:
    """Return the first of the largest parts and its size; all-black only when there is no other part."""
    parts = dict(zip(feedbacks(rules.pegs), sizes, strict=True))
    ending = parts.pop(all_black(rules.pegs))
    if not any(parts.values()):
        return all_black(rules.pegs), ending
    given = max(parts, key=lambda given: (parts[given], -given.black, -given.white))
    return given, parts[given]


def evil_game(rules, guesses, least=1, count=count_parts):
    """Yield history, guess, count and size of the part given, turn by turn, while ``least`` candidates are left."""
    history = ()
    for guess in guesses:
        counted = count(rules, history, guess)
        given, left = evil_reply(rules, counted.sizes)
        yield history, guess, counted, left
        if left < least or given == all_black(rules.pegs):
            return
        history = (*history, (guess, given))
