"""A game on rules whose codes cannot be counted after its turns, because all pegs differ."""

from evilpegs_game.feedback import Feedback, Turn


def uncountable_turns():
    """Return two turns on 16x34."""
    first, second = tuple(range(16)), tuple((7 * peg + 3) % 34 for peg in range(16))
    return Turn(first, Feedback(1, 5)), Turn(second, Feedback(1, 4))
