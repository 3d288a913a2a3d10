"""The addresses at which other machines reach a server on this one.

The standard library has no list of a machine's addresses: looking up the machine's own name gives 127.0.1.1 on Debian.
The kernel has this list. IPv4 addresses come from the SIOCGIFCONF request (netdevice(7)), IPv6 addresses from
/proc/net/if_inet6. The address on the route to the outside comes first, because other machines are usually there. If
the list cannot be read, only that address is known. If there is no route either, only the name of this machine is
known.
"""

import array
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Final

_OUTSIDE: Final[Mapping[str, tuple[socket.AddressFamily, str]]] = MappingProxyType(
    {
        "0.0.0.0": (socket.AF_INET, "192.0.2.1"),  # noqa: S104 - recognized, not bound
        "::": (socket.AF_INET6, "2001:db8::1"),
    }
)
"""For each address that means all interfaces: its family, and an address that is certainly on another machine.

The latter addresses are reserved for documentation, so no machine has them.
"""
_SIOCGIFCONF: Final = 0x8912
_INTERFACE: Final = struct.Struct("16s4x4s16x")
"""An entry of SIOCGIFCONF on a 64-bit machine: the interface's name, then its address (family, port, 4 bytes)."""
_MOST_INTERFACES: Final = 256
_IPV6_ADDRESSES: Final = Path("/proc/net/if_inet6")


def reachable_hosts(bound: str) -> list[str]:
    """Return the hosts at which other machines reach a server, the most likely host first.

    ``bound`` is the host that the server listens on. Unless this host means all interfaces, it is the only result.
    Addresses that work only on this machine or on one cable are left out. The list is never empty: if no address is
    left, it has the name of this machine.
    """
    if bound not in _OUTSIDE:
        return [bound]
    family, outside = _OUTSIDE[bound]
    addresses = [*address_on_route(family, outside), *interface_addresses(family)]
    return list(dict.fromkeys(_useful(addresses))) or [socket.gethostname()]


def _useful(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the ``addresses`` except those that are loopback, link-local or unspecified (0.0.0.0 or ::)."""
    for address in addresses:
        parsed = ip_address(address)
        if not (parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified):
            yield address


def address_on_route(family: socket.AddressFamily, outside: str) -> Iterator[str]:
    """Yield this machine's address on the route to ``outside``, an address of ``family``, or nothing without a route.

    The route is found by connecting a datagram socket, which sends nothing.
    """
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((outside, 9))
            yield str(probe.getsockname()[0])
    except OSError:
        return


def interface_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the IPv4 or IPv6 addresses of all interfaces, in the kernel's order; [] if they cannot be read."""
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
