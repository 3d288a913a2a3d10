"""Text from a peer, made safe to print: neither a server nor a record may send commands to the reader's terminal."""


def printable(text: str) -> str:
    """Replace each unprintable character; use it wherever text of a peer is printed or put into a message."""
    # also False for line breaks, escape characters and those that change the writing direction
    return "".join(character if character.isprintable() else "?" for character in text)
