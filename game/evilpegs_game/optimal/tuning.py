"""Limits of time and memory for the search of least totals."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Tuning:
    """Thresholds and bounds of a search. None of them changes a total, only the time and the memory it takes.

    ``rough_width``: guesses tried per set for a first upper bound.
    ``shared_codes``: sets of at least this size share their guesses among threads, and report each guess tried.
    ``kept_bytes``: frames are kept as long as all of them take at most this much.
    ``patience``: work on one guess, in feedbacks, before the guesses after it are grouped into families.
    ``family_codes``: sets of at least this size have their guesses grouped into families of equally good ones.
    ``tried_partitions``: partitions remembered per set, so that equal ones are skipped.
    ``stack_rows``: the most guesses that a search plays one after another.
    ``max_frame_bytes``: a frame that takes more, with the stack of a search in it, is refused.
    ``opening_codes``: `LeastTotal` looks at the first guesses of larger live sets one by one.
    ``entries``: entries of the table of totals of `solve`, a power of two; None lets the rules decide.
    """

    rough_width: int = 3
    shared_codes: int = 100
    kept_bytes: int = 1 << 28
    patience: int = 50_000_000
    family_codes: int = 40
    tried_partitions: int = 1024
    stack_rows: int = 128
    max_frame_bytes: int = 1 << 29
    opening_codes: int = 700
    entries: int | None = None


DEFAULT: Final = Tuning()
