"""Text of a peer as it may be printed: a server, or a record from elsewhere, must not command the reader's terminal."""

UNPRINTABLE = "?"
"""The character that replaces each one that is not printable."""


def printable(text: str) -> str:
    """Return a peer's text without control characters, escape sequences, line breaks and changes of direction.

    Use it wherever text that a peer sent is printed or put into a message that is printed.
    """
    return "".join(character if character.isprintable() else UNPRINTABLE for character in text)
