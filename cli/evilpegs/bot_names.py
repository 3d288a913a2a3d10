"""The name of a bot that was given none: its strategy's and its user's."""

import getpass
import re
from typing import Final

from evilpegs_clients.tokens import TokenFile

LONGEST: Final = 18
"""A name has at most 20 characters; two are kept for a number."""
LONGEST_USER: Final = 8
NAMESAKES: Final = 9


def default_names(strategy: str, candidates_only: bool, server: str, tokens: TokenFile) -> list[str]:
    """The names to try in turn, since others may have taken the first: those whose token is kept come first."""
    player = _plain(strategy.removesuffix(".py")) or "bot"
    base = _base(player + ("-c" if candidates_only else ""), _plain(_user())[:LONGEST_USER])
    names = [base, *(f"{base}-{number}" for number in range(2, NAMESAKES + 1))]
    return sorted(names, key=lambda name: not tokens.kept(server, name))


def _base(player: str, owner: str) -> str:
    if not owner:
        return (player if len(player) > 1 else f"bot-{player}")[:LONGEST]
    return f"{player[: LONGEST - 1 - len(owner)]}-{owner}"


def _plain(text: str) -> str:
    """What is left of a text in a name: from the first letter on, lower case, nothing but letters, digits, - and _."""
    kept = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")
    return re.sub(r"^[^a-z]+", "", kept)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name
        return ""
