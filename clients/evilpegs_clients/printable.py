"""Text from a peer, made safe to print: neither a server nor a record may send commands to the reader's terminal."""

UNPRINTABLE = "?"
"""The character that replaces each character that is not printable."""


def printable(text: str) -> str:
    """Return a peer's text with ``?`` in place of control characters and other characters that are not printable.

    These include escape sequences, line breaks and changes of direction. Use this function wherever text that a peer
    sent is printed or put into a message that is printed.
    """
    return "".join(character if character.isprintable() else UNPRINTABLE for character in text)
