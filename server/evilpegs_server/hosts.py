"""The host names that requests may use, the origins of pages that may play, and the addresses of the site and the game.

A malicious page can make a browser resolve the name of the page's own site to this machine (DNS rebinding). The
requests of the page then have that name in the Host header, so a request is answered only if its Host header names a
host that belongs to this server. Even without DNS rebinding, any page may open a WebSocket to this machine. The browser
then sends the origin of the page, so the origin is checked too.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = MappingProxyType({"http": 80, "https": 443})
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::[0-9]{0,5})?")


def host_name(header: str) -> str | None:
    """Return the host name or address in the Host header ``header``; None if the header is malformed.

    The result is in lower case and without the port. The port may be missing or empty, as RFC 9110 allows.
    """
    match = _HOST.fullmatch(header.strip())
    return None if match is None else (match[1] or match[2]).lower().removesuffix(".")


def machine_names() -> tuple[str, ...]:
    """Return the names of this machine: its host name, that name without its domain, and its name with ``.local``."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return name, short, f"{short}.local"


class AllowedHosts:
    """The hosts that requests may name: all IP addresses, localhost, and ``names``."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset({"localhost", *(name.lower().removesuffix(".") for name in names)})

    def find(self, headers: Sequence[str]) -> str | None:
        """Return the allowed host that a request names, given the values of its Host headers; None if there is none.

        The host is in lower case and without the port. The result is also None if the request has not exactly one Host
        header.
        """
        name = host_name(headers[0]) if len(headers) == 1 else None
        return name if name is not None and (name in self._names or _is_address(name)) else None


def is_loopback(host: str) -> bool:
    """Return True if ``host`` is ``localhost`` or a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def host_in_url(host: str) -> str:
    """Return ``host`` in the form for a URL: an IPv6 address gets brackets."""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """The address of the HTTP site, from which `url_for` builds the URL for a client.

    ``url`` is the configured public URL, which all clients use, or None if no URL is configured. ``port`` is the port
    on which the site listens. ``host`` is the host of the site if the site listens on another address than the game; if
    it is None, clients use the host at which they reached the game. ``scheme`` is ``http`` or ``https``.
    """

    port: int
    url: str | None = None
    host: str | None = None
    scheme: str = "http"

    def url_for(self, host: str) -> str:
        """Return the URL of the site, which ends with a slash, for a client that reached the game at ``host``."""
        if self.url is not None:
            return self.url.rstrip("/") + "/"
        return f"{self.scheme}://{host_in_url(self.host or host)}:{self.port}/"

    @property
    def base_path(self) -> str:
        """The path of the configured public URL, without the slash at its end; empty if no URL is configured."""
        return urlsplit(self.url or "").path.rstrip("/")


@dataclass(slots=True)
class GameAddress:
    """The address of the game port, from which `url_for` builds the URL for a page.

    ``url`` is the public URL, which all pages use, or None if no public URL is known. ``host`` is the host of the game
    if the game listens on another address than the site, or if the site has a public name; if it is None, pages use the
    host at which they reached the site. ``port`` is None until the game listens. ``path`` is the path in the URL, and
    ``scheme`` is ``ws`` or ``wss``.
    """

    path: str
    url: str | None = None
    host: str | None = None
    scheme: str = "ws"
    port: int | None = None

    def url_for(self, host: str) -> str | None:
        """Return the URL of the game for a page that reached the site at ``host``.

        Return None while neither a public URL nor the port of the game is known.
        """
        if self.url is not None:
            return self.url
        if self.port is None:
            return None
        return f"{self.scheme}://{host_in_url(self.host or host)}:{self.port}{self.path}"


def game_url_beside(site_url: str, site_port: int, path: str) -> str | None:
    """Return the URL of the game behind the proxy that serves the site at ``site_url``; None if there is no proxy.

    There is no proxy if the port in ``site_url`` is ``site_port``, the port on which the site itself listens. A proxy
    is expected to serve the game under the host name of the site, at ``path`` appended to the path of ``site_url``.
    """
    parts = urlsplit(site_url)
    if (parts.port or _DEFAULT_PORTS[parts.scheme]) == site_port:
        return None
    scheme = "wss" if parts.scheme == "https" else "ws"
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}{path}"


class AllowedOrigins:
    """The origins (scheme, host and port) of the pages that may open a WebSocket.

    They are the origin of the public URL ``site_url``, if there is one, and the scheme and port of ``site`` with any
    host in ``hosts``. ``site`` is None if the server has no site.
    """

    def __init__(self, hosts: AllowedHosts, site: SiteAddress | None, site_url: str | None = None) -> None:
        self._hosts = hosts
        self._site = site
        self._own = _origin(site_url) if site_url is not None else None

    def allow(self, headers: Sequence[str], host_header: str) -> bool:
        """Return True if a request may open a WebSocket, given the values of its Origin headers and its Host header.

        A request without an origin is allowed, because every browser sends one. A request with several is not.
        """
        if not headers:
            return True
        origin = _origin(headers[0]) if len(headers) == 1 else None
        if origin is None:
            return False
        # Some libraries for programs, such as websocket-client, send the address that they connect to as the origin.
        # The game port serves no page, so no foreign page can have that origin.
        is_own_address = origin == _origin(f"{origin[0]}://{host_header}")
        return is_own_address or origin == self._own or self._is_site(*origin)

    def _is_site(self, scheme: str, host: str, port: int) -> bool:
        if self._site is None or (scheme, port) != (self._site.scheme, self._site.port):
            return False
        return self._hosts.find([host_in_url(host)]) is not None


def _origin(url: str) -> tuple[str, str, int] | None:
    """Return a tuple of the scheme, the host in lower case, and the port of a URL; None if it lacks one of them."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname and port else None


def allowed_hosts(names: Iterable[str], site_url: str | None) -> AllowedHosts:
    """Return the hosts that requests may name: all names of this machine, ``names``, and the host of ``site_url``."""
    own = urlsplit(site_url).hostname if site_url is not None else None
    return AllowedHosts([*machine_names(), *names, *([own] if own else [])])
