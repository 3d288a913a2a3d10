"""The proxies that the environment names, such as HTTPS_PROXY: one rule for the game port and for the site.

The rules of the libraries differ, and they fail on what other programs read: [::1] or a network in NO_PROXY, a proxy
without a scheme. Windows and macOS keep proxies in their settings too, which `getproxies` and `proxy_bypass` read.
"""

import re
import socket
import ssl
from contextlib import suppress
from ipaddress import ip_address, ip_network
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from websockets.exceptions import InvalidProxy, InvalidProxyStatus, ProxyError

from evilpegs_clients.errors import ServerUnreachableError, UnreachableReason
from evilpegs_clients.printable import printable

# in the order of websockets, which takes no ALL_PROXY, and of httpx
_VARIABLES: Final = MappingProxyType(
    {
        "ws": ("ws", "socks", "https", "http"),
        "wss": ("wss", "socks", "https"),
        "http": ("http", "all"),
        "https": ("https", "all"),
    }
)


def is_loopback_url(url: str) -> bool:
    host = (urlsplit(url).hostname or "").rstrip(".")
    with suppress(OSError):
        host = socket.inet_ntoa(socket.inet_aton(host))  # also 127.1 and 0x7f.1
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def proxy_for(url: str) -> str | None:
    """Return the URL of the proxy through which ``url`` is reached, or None; loopback is always direct."""
    parts, proxies = urlsplit(url), getproxies()
    if is_loopback_url(url) or _is_excepted(parts.hostname or "", parts.port or 0, proxies.get("no", "")):
        return None
    for scheme in _VARIABLES[parts.scheme]:
        if proxy := proxies.get(scheme):
            is_socks = scheme == "socks"  # settings of the system name it http://
            proxy = proxy.removeprefix("http://") if is_socks else proxy
            return proxy if "://" in proxy else f"{'socks5h' if is_socks else 'http'}://{proxy}"
    return None


def _is_excepted(host: str, port: int, exceptions: str) -> bool:
    with suppress(ValueError):
        address = ip_address(host)
        for each in exceptions.split(","):
            with suppress(ValueError):
                if address in ip_network(each.strip().strip("[]"), strict=False):
                    return True
    return bool(proxy_bypass(f"{host}:{port}"))


def proxy_failure(proxy: str, url: str, what: str) -> ServerUnreachableError:
    """Return the error that names ``proxy`` without its password, what it did, and how to do without it."""
    host = urlsplit(url).hostname
    remedy = f"set NO_PROXY={host} if it can be reached without, or check HTTP_PROXY and HTTPS_PROXY"
    return ServerUnreachableError(f"the proxy {_shown(proxy)} to {url} {what}; {remedy}", UnreachableReason.NETWORK)


def through_proxy(proxy: str, error: ServerUnreachableError) -> ServerUnreachableError:
    """Name ``proxy`` in an error that may be its fault or the server's."""
    return ServerUnreachableError(f"{error}; the way there is the proxy {_shown(proxy)}", error.reason)


def _shown(proxy: str) -> str:
    return printable(re.sub("//.*@", "//", proxy))[:100]


def proxy_fault(proxy: str, error: Exception) -> str | None:
    """Say what a proxy did if ``error`` is its fault."""
    match error:
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER") if proxy.startswith("https:"):
            return "does not speak TLS; write http:// in place of https://"
        case InvalidProxyStatus():
            return f"answers HTTP {error.response.status_code} {printable(error.response.reason_phrase)[:80]}".rstrip()
        case ProxyError():
            return "does not answer as a proxy"
        case ImportError():
            return "is for SOCKS, which needs the packages python-socks and socksio"
        case InvalidProxy() | ValueError():
            return "is not the URL of a proxy"
        case TimeoutError():
            return "leads to no answer"
        case ConnectionError(errno=None):
            return "cuts the connection"
        case OSError() if not isinstance(error, ssl.SSLError):
            return f"cannot be reached: {printable(error.strerror or str(error))}"
    return None
