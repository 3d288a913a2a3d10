"""The options --ladder and --name, checked before the server is asked."""

import re
from typing import Final

from pydantic import ValidationError

from evilpegs.errors import CommandError
from evilpegs_protocol.client_messages import Play

_NAME: Final = re.compile(r"(?!guest-)[a-z][a-z0-9_-]{1,19}")
"""The names that version 1 of the protocol allows; protocol/README.md describes them."""


def check_play_options(ladder: str, name: str | None, option: str = "--name") -> None:
    """Raise CommandError if no server of the protocol can have this ladder or give this name of ``option``."""
    try:
        Play(ladder=ladder)
    except ValidationError:
        message = f"there is no ladder {ladder[:40]!r}; see: evilpegs ladders"
        raise CommandError(message) from None
    if name is not None and not _NAME.fullmatch(name):
        message = (
            f"not a name: {name[:40]!r}; a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter "
            f"and not with guest-; choose another with {option}"
        )
        raise CommandError(message)
