"""Numbers in sentences."""


def counted(number: int, thing: str, things: str | None = None) -> str:
    """So many of a thing: 1 turn, 2 turns; 1 match, 2 matches."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
