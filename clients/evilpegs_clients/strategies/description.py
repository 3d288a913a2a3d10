"""Descriptions of exceptions and values from a strategy, even of those that cannot be written as text.

A strategy file may raise an exception whose ``__str__`` fails, or return a number that is too long to be written.
"""

import reprlib


def describe_exception(error: BaseException) -> str:
    """Return the class and the text of an exception in one line; if ``__str__`` fails, a remark replaces the text."""
    name = type(error).__name__
    try:
        return " ".join(f"{name}: {error}".split()).rstrip(": ")
    except Exception:  # noqa: BLE001 - whatever the file of a strategy does
        return f"{name}, whose text cannot be shown"


def quote_value(value: object) -> str:
    """Return a value in Python notation, shortened if it is long; a remark replaces one that cannot be written."""
    try:
        return reprlib.repr(value)
    except Exception:  # noqa: BLE001 - likewise
        return f"a {type(value).__name__} that cannot be shown"
