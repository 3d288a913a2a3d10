"""The options --ladder and --name, checked before the server is asked."""

from pydantic import ValidationError

from evilpegs.errors import CommandError
from evilpegs_protocol.client_messages import ClientInfo, Hello, Play


def check_play_options(ladder: str, name: str | None) -> None:
    """Raise CommandError unless the protocol can carry this ladder and this name."""
    try:
        Play(ladder=ladder)
    except ValidationError:
        message = f"there is no ladder {ladder[:40]!r}; see: evilpegs ladders"
        raise CommandError(message) from None
    try:
        Hello(client=ClientInfo(name="evilpegs", version="0"), name=name, kind=None if name is None else "bot")
    except ValidationError:
        message = "a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter; choose another with --name"
        raise CommandError(message) from None
