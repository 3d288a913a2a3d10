"""IP addresses, and the networks that limits count them by."""

import ipaddress
import re
from typing import Final

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV6_PREFIX: Final = 64
"""The bits of an IPv6 address that limits look at, because one subscriber usually has all that share them."""
_WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")


def parse_address(text: str) -> IpAddress | None:
    """Return the IP address that a text names, with or without a port; None if it names none.

    An IPv4 address that is written as an IPv6 address becomes an IPv4 address again.
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
    """Return the text that limits count an address by: an IPv4 address itself, the /64 network of an IPv6 address."""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False))
