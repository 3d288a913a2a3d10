"""Text files that people write, with any editor on any system."""

from pathlib import Path


class NotTextError(ValueError):
    """A file that is not text in UTF-8; the message says where, and what to do."""


def read_text(path: Path) -> str:
    """Return the text of a file without the byte order mark of editors on Windows; raises NotTextError, OSError."""
    return decode_text(path.read_bytes()).removeprefix("\ufeff")


def decode_text(data: bytes) -> str:
    try:
        # UTF-16 has a zero in most characters
        wrong, text = data.find(0), data.decode()
    except UnicodeDecodeError as error:
        wrong, text = error.start, ""
    if wrong >= 0:
        raise NotTextError(f"line {data.count(10, 0, wrong) + 1} is not text in UTF-8; save it as UTF-8")
    return text
