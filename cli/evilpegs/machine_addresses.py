"""The addresses at which other machines reach a server on this one.

The standard library has no list of a machine's addresses, and looking up its own name gives 127.0.1.1 on Debian. The
kernel has the list: IPv4 by the SIOCGIFCONF request (netdevice(7)), IPv6 in /proc/net/if_inet6. The address on the
route to the outside comes first, because other machines are usually there. If the list cannot be read, only that
address is known; without a route, only the name of this machine.
"""

import array
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Final

# addresses that mean all interfaces: family, and an address on no machine, because it is reserved for documentation
_OUTSIDE: Final[Mapping[str, tuple[socket.AddressFamily, str]]] = MappingProxyType(
    {
        "0.0.0.0": (socket.AF_INET, "192.0.2.1"),  # noqa: S104 - recognized, not bound
        "::": (socket.AF_INET6, "2001:db8::1"),
    }
)
_SIOCGIFCONF: Final = 0x8912
# an entry of SIOCGIFCONF on a 64-bit machine: the interface's name, then its address (family, port, 4 bytes)
_INTERFACE: Final = struct.Struct("16s4x4s16x")
_MOST_INTERFACES: Final = 256
_IPV6_ADDRESSES: Final = Path("/proc/net/if_inet6")


def reachable_hosts(bound: str) -> list[str]:
    """Return the hosts at which other machines reach a server, the most likely first; never empty."""
    if bound not in _OUTSIDE:
        return [bound]
    family, outside = _OUTSIDE[bound]
    addresses = [*address_on_route(family, outside), *interface_addresses(family)]
    return list(dict.fromkeys(_useful(addresses))) or [socket.gethostname()]


def _useful(addresses: Iterable[str]) -> Iterator[str]:
    for address in addresses:
        parsed = ip_address(address)
        if not (parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified):
            yield address


def address_on_route(family: socket.AddressFamily, outside: str) -> Iterator[str]:
    """Yield this machine's address on the route to ``outside``, or nothing without a route."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # connecting a datagram socket sends nothing
            probe.connect((outside, 9))
            yield str(probe.getsockname()[0])
    except OSError:
        return


def interface_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the addresses of all interfaces in the kernel's order; empty if they cannot be read."""
    try:
        return _ipv4_addresses() if family == socket.AF_INET else _ipv6_addresses()
    except (ImportError, OSError, ValueError):
        return []


def _ipv4_addresses() -> list[str]:
    import fcntl  # noqa: PLC0415 - not on every system

    entries = array.array("B", bytes(_MOST_INTERFACES * _INTERFACE.size))
    where, _ = entries.buffer_info()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        answer = fcntl.ioctl(probe, _SIOCGIFCONF, struct.pack("iL", len(entries), where))
    (length,) = struct.unpack_from("i", answer)
    return [socket.inet_ntoa(packed) for _, packed in _INTERFACE.iter_unpack(entries[:length].tobytes())]


def _ipv6_addresses() -> list[str]:
    lines = _IPV6_ADDRESSES.read_text().splitlines()
    return [socket.inet_ntop(socket.AF_INET6, bytes.fromhex(line.split()[0])) for line in lines]
