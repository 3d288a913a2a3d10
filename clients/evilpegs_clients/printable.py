"""Text from a peer, made safe to print: neither a server nor a record may send commands to the reader's terminal."""

UNPRINTABLE = "?"
"""The character that replaces each character that is not printable."""


def printable(text: str) -> str:
    """Return ``text`` with ``?`` in place of control characters and other characters that are not printable.

    These include line breaks, and the characters that begin escape sequences or change the writing direction. Use this
    function wherever text that a peer sent (a server, or the author of a record) is printed or put into a message.
    """
    return "".join(character if character.isprintable() else UNPRINTABLE for character in text)
