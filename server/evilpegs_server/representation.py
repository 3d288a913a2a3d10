"""A body in the forms that clients accept, which are made once for all who ask."""

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

# smaller bodies fit into one packet without compression
MIN_GZIP_BYTES: Final = 1_000
GZIP_LEVEL: Final = 5
# takes two milliseconds
LONG_BYTES: Final = 128 << 10


@dataclass(frozen=True)
class Representation:
    body: bytes
    is_current: Callable[[], bool] = lambda: False
    """Whether the same would be answered to who asks again."""

    @cached_property
    def digest(self) -> str:
        """Equal bodies have equal digests, even after a restart."""
        return hashlib.sha256(self.body).hexdigest()[:32]

    @cached_property
    def packed(self) -> bytes | None:
        """The body in gzip; None if that is not worth its bytes."""
        if len(self.body) < MIN_GZIP_BYTES:
            return None
        packed = gzip.compress(self.body, GZIP_LEVEL, mtime=0)
        return packed if len(packed) < len(self.body) else None

    @property
    def is_slow(self) -> bool:
        """True if to make the others here would make an event loop late; `prepare` does it on any thread."""
        return len(self.body) >= LONG_BYTES and "packed" not in vars(self)

    def prepare(self) -> None:
        _ = self.digest, self.packed
