"""Names of players on the command line, which the protocol checks."""

import re
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_game.errors import quoted

# version 1 of the protocol allows these names (protocol/README.md); the second alternative is for guests
_NAME: Final = re.compile(r"(?!guest-)[a-z][a-z0-9_-]{1,19}|guest-[0-9a-f]{8}")


def check_claimable(name: str | None, option: str = "--name") -> None:
    if name is not None and not _NAME.fullmatch(name):
        raise CommandError(
            f"not a name: {quoted(name)}; a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter "
            f"and not with guest-; choose another with {option}"
        )


def check_player(name: str | None, token: str | None) -> None:
    """Raise CommandError unless ``name`` can be claimed, or there is a token that may prove it, given or stored."""
    # the operator may have renamed the player to one in letters of any script
    if name is not None and token is None and not TokenFile(default_token_file()).servers_with(name):
        check_claimable(name)
