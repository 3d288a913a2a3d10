"""Known bounds on the guesses that sets of codes need, and the byte format of these bounds.

The format begins with a line that names it and its version, and the number of entries (8 bytes, little-endian). The
entries follow in the order of their keys: each has a canonical key (16 bytes) and the bounds ``at_least`` and
``at_most`` (one byte each). The SHA-256 of everything before it comes last.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple, Self

from evilpegs_game.errors import DamagedError, ForeignError, MalformedError
from evilpegs_game.symmetry.code_sets import KEY_BYTES, CodeSetKey

VERSION: Final = 1
TITLE: Final = b"evilpegs solved positions "
"""The first bytes in every version."""

_HEADER: Final = TITLE + f"{VERSION}\n".encode()
_ENTRY_BYTES: Final = KEY_BYTES + 2
_DIGEST_BYTES: Final = 32
UNBOUNDED: Final = 255
"""An unknown ``at_most``."""

DEFAULT_ENTRIES: Final = 1 << 18


class GuessBounds(NamedTuple):
    """Bounds on the guesses that an optimal codebreaker needs at worst, winning guess included."""

    at_least: int = 1
    at_most: int = UNBOUNDED


class SolvedPositions:
    """A cache of `GuessBounds` by the keys of `code_set_key`.

    Sets of different rules never share a key. With up to 5 pegs, images under permutations of pegs and colors share one
    with few exceptions; with more pegs, sets that differ by a permutation of pegs mostly do not. An entry takes some
    150 bytes. A full cache is emptied; this costs time and changes no result. Threads may share a cache: it may then
    lose entries but is never wrong.
    """

    def __init__(self, max_entries: int = DEFAULT_ENTRIES) -> None:
        self._entries: dict[CodeSetKey, GuessBounds] = {}
        self._max_entries = max_entries
        self.changed = False
        """True if a bound was added since this was made or read; whoever saves it sets it to False."""

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[tuple[CodeSetKey, GuessBounds]]:
        return iter(sorted(self._entries.items()))

    def bounds(self, key: CodeSetKey) -> GuessBounds:
        return self._entries.get(key, _UNKNOWN)

    def tighten(self, key: CodeSetKey, at_least: int = 1, at_most: int = UNBOUNDED) -> None:
        """Record bounds; a known bound that is tighter remains."""
        known = self.bounds(key)
        if len(self._entries) >= self._max_entries and key not in self._entries:
            self._entries.clear()
        self._entries[key] = GuessBounds(max(known.at_least, at_least), min(known.at_most, at_most))
        self.changed = True

    def copy(self) -> Self:
        copied = type(self)(self._max_entries)
        copied._entries = self._entries.copy()
        return copied

    def to_bytes(self) -> bytes:
        """Return the bounds in the format above; equal contents give equal bytes."""
        entries = b"".join(key + bytes(bounds) for key, bounds in self)
        body = _HEADER + (len(entries) // _ENTRY_BYTES).to_bytes(8, "little") + entries
        return body + sha256(body).digest()

    @classmethod
    def from_bytes(cls, data: bytes, max_entries: int = DEFAULT_ENTRIES) -> Self:
        """Raises ForeignError (another format or version), DamagedError, or MalformedError (over ``max_entries``)."""
        if not data.startswith(_HEADER):
            raise ForeignError("not solved positions of this version")
        body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
        entries = body[len(_HEADER) + 8 :]
        count = int.from_bytes(body[len(_HEADER) : len(_HEADER) + 8], "little")
        if sha256(body).digest() != digest or len(entries) != count * _ENTRY_BYTES:
            raise DamagedError("the solved positions are damaged")
        solved = cls(max_entries)
        if count > max_entries:
            raise MalformedError(f"{count:,} solved positions are over the limit of {max_entries:,}")
        for start in range(0, len(entries), _ENTRY_BYTES):
            key, bounds = entries[start : start + KEY_BYTES], entries[start + KEY_BYTES : start + _ENTRY_BYTES]
            solved._entries[key] = GuessBounds(*bounds)
        return solved


_UNKNOWN: Final = GuessBounds()
