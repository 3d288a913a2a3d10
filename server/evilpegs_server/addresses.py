"""Functions that parse IP addresses and find the key under which connection limits count an address."""

import ipaddress
import re
from typing import Final

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV6_PREFIX: Final = 64
"""The number of leading bits of an IPv6 address under which limits count the address.

One subscriber usually has all addresses with the same leading bits.
"""
_WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")


def parse_address(text: str) -> IpAddress | None:
    """Return the IP address in ``text``, which may have a port and a zone; None if ``text`` is not an address.

    The port and the zone are left out. An IPv4 address that is written as an IPv6 address, such as ``::ffff:10.0.0.1``,
    is returned as an IPv4 address.
    """
    match = _WITH_PORT.fullmatch(text.strip())
    bare = (match[1] or match[2] or "") if match else text.strip()
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def counted_network(address: IpAddress) -> str:
    """Return the text under which limits count ``address``.

    It is an IPv4 address itself, or the /64 network of an IPv6 address.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False))
