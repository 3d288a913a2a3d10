"""The hosts at which other machines reach a server of this one.

The standard library has no list of a machine's addresses, and looking up its own name gives 127.0.1.1 on Debian. The
kernel has the list: IPv4 among the routes in /proc/net/fib_trie, IPv6 in /proc/net/if_inet6. The address on the
route to the outside comes first, because other machines are usually there. If the list cannot be read, only that
address is known; without a route, only the name of this machine.
"""

import re
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Final

# addresses that mean all interfaces: family, and an address on no machine, because it is reserved for documentation
_OUTSIDE: Final = {
    "0.0.0.0": (socket.AF_INET, "192.0.2.1"),  # noqa: S104 - recognized, not bound
    "::": (socket.AF_INET6, "2001:db8::1"),
}
_IPV4_ROUTES: Final = Path("/proc/net/fib_trie")
_IPV4_ADDRESS: Final = re.compile(r"-- (\S+)\s+/32 host LOCAL")
_IPV6_ADDRESSES: Final = Path("/proc/net/if_inet6")


def reachable_hosts(bound: str) -> list[str]:
    """Return the hosts at which other machines reach a server, the most likely first; never empty."""
    if bound not in _OUTSIDE:
        return [bound]
    family, outside = _OUTSIDE[bound]
    addresses = dict.fromkeys([*address_on_route(family, outside), *interface_addresses(family)])
    useful = [
        str(address)
        for address in map(ip_address, addresses)
        if not (address.is_loopback or address.is_link_local or address.is_unspecified)
    ]
    return useful or [socket.gethostname()]


def address_on_route(family: socket.AddressFamily, outside: str) -> Iterator[str]:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # connecting a datagram socket sends nothing
            probe.connect((outside, 9))
            yield str(probe.getsockname()[0])
    except OSError:
        return


def interface_addresses(family: socket.AddressFamily) -> list[str]:
    try:
        if family == socket.AF_INET:
            return _IPV4_ADDRESS.findall(_IPV4_ROUTES.read_text())
        lines = _IPV6_ADDRESSES.read_text().splitlines()
        return [socket.inet_ntop(family, bytes.fromhex(line.split()[0])) for line in lines]
    except (OSError, ValueError):
        return []
