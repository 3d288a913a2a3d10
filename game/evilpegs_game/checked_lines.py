"""Checked lines: lines of text that end in a checksum, so that a changed line of a file is found.

A line is a text, a space, and the first 16 hexadecimal digits of a SHA-256. This is the line of the text
``- 1123 2,2 10 10 -`` in the context ``4x7``::

    - 1123 2,2 10 10 - c8a104c8a9988d06

The SHA-256 covers the context, a line break and the text. The context says where the line belongs, for example the
rules of a proof, and is not part of the line: a line copied from another context does not match its checksum.
The checksums reveal neither a missing line nor a changed order of lines.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from evilpegs_game.errors import DamagedError

CHECKSUM_DIGITS: Final = 16


def format_line(text: str, context: str) -> bytes:
    """Return the line of ``text``, with its line break; neither argument may contain one, which is not checked."""
    checksum = sha256(f"{context}\n{text}".encode()).hexdigest()[:CHECKSUM_DIGITS]
    return f"{text} {checksum}\n".encode()


def read_lines(lines: Iterable[bytes], context: str, first_number: int = 1) -> Iterator[str]:
    """Yield the text of each line; raise DamagedError if one was changed or has another context.

    Each line must end with its line break, so that a last line cut off is damaged. ``first_number`` is the number of
    the first line in its file, for the error.
    """
    for number, line in enumerate(lines, first_number):
        text = line.rpartition(b" ")[0].decode(errors="replace")
        if format_line(text, context) != line:  # also true of every line with undecodable bytes
            message = f"line {number} does not match its checksum"
            raise DamagedError(message, line=number)
        yield text
