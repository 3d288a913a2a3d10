"""Checked lines: lines of text that end in a checksum, so that a changed line of a file is found.

A checked line is a text, a space, and the first 16 hexadecimal digits of a SHA-256. This is the line of the text
``- 1123 2,2 10 10 -`` in the context ``4x7``::

    - 1123 2,2 10 10 - c8a104c8a9988d06

The SHA-256 covers the context, a line break and the text. The context says where the line belongs, such as the rules of
a proof, and is not part of the line. A line that was copied from another context therefore does not match its checksum.
The checksums do not reveal a missing line, nor lines in another order.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from evilpegs_game.errors import DamagedError

CHECKSUM_DIGITS: Final = 16
"""Hexadecimal digits per checksum."""


def format_line(text: str, context: str) -> bytes:
    """Return ``text``, a space, a checksum of ``text`` and ``context``, and a line break, as UTF-8.

    ``context`` says where the line belongs. The checksum covers ``context``, but the line does not contain it. Neither
    ``text`` nor ``context`` may contain a line break, which is not checked; ``context`` may be empty.
    """
    checksum = sha256(f"{context}\n{text}".encode()).hexdigest()[:CHECKSUM_DIGITS]
    return f"{text} {checksum}\n".encode()


def read_lines(lines: Iterable[bytes], context: str, first_number: int = 1) -> Iterator[str]:
    """Yield the text of each of ``lines``, which `format_line` made with the same ``context``.

    ``context`` says where the lines belong; their checksums cover it. Each of ``lines`` must end with its line break,
    so a last line that was cut off is damaged. ``first_number`` is the number of the first of ``lines`` in its file.

    Raises:
        DamagedError: a line was changed, or has another context; ``line`` of the error is the number of this line.
    """
    for number, line in enumerate(lines, first_number):
        text = line.rpartition(b" ")[0].decode(errors="replace")
        if format_line(text, context) != line:  # also true of every line with undecodable bytes
            message = f"line {number} does not match its checksum"
            raise DamagedError(message, line=number)
        yield text
