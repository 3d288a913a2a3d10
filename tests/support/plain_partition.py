"""The plain definition of part sizes."""

from evilpegs_game.feedback import feedback


def partition_counts(guess, codes):
    """Return the part sizes in feedback order, without those of empty parts."""
    counts = {}
    for answer in sorted(feedback(guess, code) for code in codes):
        counts[answer] = counts.get(answer, 0) + 1
    return counts
