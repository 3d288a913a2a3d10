import re
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_game.errors import quoted

# version 1 of the protocol allows these names (protocol/README.md); the second alternative is for guests
_NAME: Final = re.compile(r"(?!guest-)[a-z][a-z0-9_-]{1,19}|guest-[0-9a-f]{8}")


def check_name(name: str | None, option: str = "--name") -> None:
    """Raise CommandError, which names ``option``, if no server can accept ``name``."""
    if name is not None and not _NAME.fullmatch(name):
        raise CommandError(
            f"not a name: {quoted(name)}; a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter "
            f"and not with guest-; choose another with {option}"
        )
