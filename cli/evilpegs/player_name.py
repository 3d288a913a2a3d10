"""A check of a player's name, which is made before the name is sent to a server."""

import re
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_game.errors import quoted

_NAME: Final = re.compile(r"(?!guest-)[a-z][a-z0-9_-]{1,19}|guest-[0-9a-f]{8}")
"""A pattern of the names that version 1 of the protocol allows; protocol/README.md describes them.

The names of guests are the second alternative.
"""


def check_name(name: str | None, option: str = "--name") -> None:
    """Raise CommandError if no server can accept ``name``; None, no name, is accepted.

    ``option`` is the option that gave the name, for the message.
    """
    if name is not None and not _NAME.fullmatch(name):
        message = (
            f"not a name: {quoted(name)}; a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter "
            f"and not with guest-; choose another with {option}"
        )
        raise CommandError(message)
