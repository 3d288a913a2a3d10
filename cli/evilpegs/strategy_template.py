"""A strategy of your own.

Change `choose`, and try it:

    evilpegs evaluate FILE --rules 4x6          how many guesses it needs, for every secret
    evilpegs duel FILE --secret 1234            one game, turn by turn
    evilpegs bot FILE --ladder classic          a rated match on a server

docs/strategies.md describes everything that `position` offers, and how to test and profile a strategy.
"""

from random import Random

from evilpegs import Code, Position


def choose(position: Position, rng: Random) -> Code:
    """Return the next guess.

    ``position`` is the game so far: its ``rules``, its ``history`` (a tuple of turns, each with a guess and its
    feedback), and the *candidates*, which are the codes that agree with every feedback. ``rng`` is the only source of
    random numbers to use; with it, every game can be repeated.
    """
    # With one or two candidates left, guess one of them: nothing can be better.
    if position.count <= 2:
        return position.first_candidate

    # Draw a few candidates. This works on rules of any size, because they are not listed.
    guesses = set(position.sample(rng, 20))

    # `parts` says how many candidates each feedback would leave. The expected number that is left is the sum of the
    # squared sizes, divided by the number of candidates; a good guess makes it small.
    def expected_left(guess: Code) -> float:
        return sum(size * size for size in position.parts(guess).values()) / position.count

    return min(sorted(guesses), key=expected_left)
