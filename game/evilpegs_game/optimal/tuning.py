from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Tuning:
    """Limits of time and memory for the search of least totals; none of them changes a total.

    ``rough_width``: the guesses tried per set to find a first upper bound.
    ``shared_codes``: sets of at least this many codes share their guesses among threads, and report each guess tried.
    ``kept_bytes``: guess matrices are kept for later use while all of them together take at most this many bytes.
    ``patience``: the feedback evaluations spent on one guess before the guesses after it are grouped into orbits.
    ``orbit_codes``: sets of at least this many codes have their guesses grouped into orbits.
    ``tried_partitions``: the number of partitions remembered per set, so that equal ones are skipped.
    ``stack_rows``: the most guesses that a search plays one after another.
    ``max_matrix_bytes``: a guess matrix that takes more bytes, with the stack of one search, is refused.
    ``first_guess_codes``: `LeastTotal` examines the first guesses of live sets with more codes one by one.
    ``table_entries``: entries of the `totals_table` of `solve`, a power of two; None lets the rules decide.
    """

    rough_width: int = 3
    shared_codes: int = 100
    kept_bytes: int = 1 << 28
    patience: int = 50_000_000
    orbit_codes: int = 40
    tried_partitions: int = 1024
    stack_rows: int = 128
    max_matrix_bytes: int = 1 << 29
    first_guess_codes: int = 700
    table_entries: int | None = None


DEFAULT: Final = Tuning()
