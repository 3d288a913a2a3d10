"""The host names that requests may use, the origins of pages that may play, and the addresses of the site and the game.

With DNS rebinding, a malicious page makes a browser resolve the name of the page's own site to this machine. Its
requests then carry that name in the Host header, so only hosts of this server are answered. Any page may also open a
WebSocket to this machine; the browser sends the page's origin with it, so the origin is checked too.
"""

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from evilpegs_server.addresses import parse_address

METRICS: Final = "/metrics"
DEFAULT_PORTS: Final = MappingProxyType({"http": 80, "https": 443})
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::[0-9]{0,5})?")
# headers that a proxy adds: a request with one may come from anywhere
_FORWARDED: Final = re.compile(r"forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip")


def host_name(header: str) -> str | None:
    """Return the name in a Host header, in lower case and without the port; None if the header is malformed."""
    # the port may be missing or empty, as RFC 9110 allows
    match = _HOST.fullmatch(header.strip())
    return None if match is None else (match[1] or match[2]).lower().removesuffix(".")


class AllowedHosts:
    """The hosts that requests may name: all IP addresses, this machine, ``names`` and the host of ``site_url``."""

    def __init__(self, names: Iterable[str] = (), site_url: str | None = None) -> None:
        machine = socket.gethostname()
        short = machine.partition(".")[0]
        site = urlsplit(site_url or "").hostname or "localhost"
        allowed = ("localhost", machine, short, f"{short}.local", site, *names)
        self._names = frozenset(name.lower().removesuffix(".") for name in allowed)

    def find(self, headers: Sequence[str]) -> str | None:
        """Return the host that the Host headers name, in lower case, if they are exactly one and it is allowed."""
        name = host_name(headers[0]) if len(headers) == 1 else None
        return name if name is not None and (name in self._names or parse_address(name) is not None) else None

    def allow(self, headers: Sequence[str], path: str) -> bool:
        """Return True if a request for ``path`` may name its host like this; for `/metrics`, under any one name."""
        # a scraper in a network of containers uses names that the server cannot know; `is_local` looks at the name too
        return self.find(headers) is not None or (path == METRICS and len(headers) == 1)


def is_loopback(host: str) -> bool:
    address = parse_address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def is_local(peer: str, headers: Mapping[str, str]) -> bool:
    """Return True if a request comes from this machine, not through a proxy on it."""
    # a proxy that sets a loopback Host and adds no header of its own cannot be detected
    if any(_FORWARDED.fullmatch(name.lower()) for name in headers):
        return False
    return is_loopback(peer) and is_loopback(host_name(headers.get("Host", "")) or "")


def host_in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@dataclass(slots=True)
class PublicAddress:
    """The address of the game or the site. ``host`` is set unless it is the one at which a client reached the other."""

    scheme: str
    path: str
    port: int | None = None
    url: str | None = None
    host: str | None = None

    def url_for(self, host: str) -> str | None:
        """Return the URL for a client that reached this server at ``host``; None until the port is known."""
        if self.url is not None:
            return self.url
        if self.port is None:
            return None
        return f"{self.scheme}://{host_in_url(self.host or host)}:{self.port}{self.path}"


def is_allowed_origin(
    headers: Sequence[str], host_header: str, hosts: AllowedHosts, site: PublicAddress | None, site_url: str | None
) -> bool:
    """Return True for the origin of ``site_url``, and for the site's own on any allowed host."""
    # every browser sends an origin, so a request without one is no page's
    if not headers:
        return True
    origin = _origin(headers[0]) if len(headers) == 1 else None
    if origin is None:
        return False
    scheme, host, port = origin
    # Some libraries for programs, such as websocket-client, send the address that they connect to as the origin.
    # The game port serves no page, so no foreign page can have that origin.
    if origin in {_origin(site_url or ""), _origin(f"{scheme}://{host_header}")}:
        return True
    is_site = site is not None and (scheme, port) == (site.scheme, site.port)
    return is_site and hosts.find([host_in_url(host)]) is not None


def _origin(url: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname and port else None
