"""Text files that people write, with any editor on any system."""

from pathlib import Path


class NotTextError(ValueError):
    """A file that is not text in UTF-8; the message says where, and what to do."""


def read_text(path: Path) -> str:
    """Return the text of a file without the byte order mark of editors on Windows; raises NotTextError, OSError."""
    return decode_text(path.read_bytes()).removeprefix("\ufeff")


def decode_text(data: bytes, first_line: int = 1) -> str:
    try:
        wrong, text = data.find(0), data.decode()
    except UnicodeDecodeError as error:
        wrong, text = error.start, ""
    if wrong >= 0:  # UTF-16 has a mark, or zeros as every other byte
        is_utf16 = data[:2] in {b"\xff\xfe", b"\xfe\xff"} or (0 in data and any(data[:20:2]) != any(data[1:20:2]))
        fault = "has a NUL character; remove it and" if text else "is not text in UTF-8;"
        where = "it is UTF-16;" if is_utf16 else f"line {first_line + data.count(10, 0, wrong)} {fault}"
        raise NotTextError(f"{where} save it as UTF-8")
    return text if "\n" in text else text.replace("\r", "\n")  # the line ends of old Macs, which Excel offers
