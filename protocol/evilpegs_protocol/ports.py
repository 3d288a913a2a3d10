import re
from typing import Final

MAX_PORT: Final = 65535
_PORT: Final = re.compile(r"[a-z]+://[^/?#@]*:([0-9]{1,20})(?:[/?#].*)?")


def port_fault(address: str) -> str | None:
    """Return an error message if the port of ``SCHEME://HOST:PORT`` is not 1 to 65535; None for other texts.

    >>> port_fault("ws://127.0.0.1:99999/v1")
    'port 99999 is not 1 to 65535'
    """
    match = _PORT.fullmatch(address.strip())
    if match is None or 1 <= int(match[1]) <= MAX_PORT:
        return None
    return f"port {match[1]} is not 1 to {MAX_PORT}"
