import ipaddress
import re
from typing import Final

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# one subscriber usually has all addresses with the same leading 64 bits
_IPV6_PREFIX: Final = 64
_WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")


def parse_address(text: str) -> IpAddress | None:
    """Parse an IP address, dropping a port and a zone; an IPv4-mapped IPv6 address becomes IPv4."""
    match = _WITH_PORT.fullmatch(text.strip())
    bare = (match[1] or match[2] or "") if match else text.strip()
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def counted_network(address: IpAddress) -> str:
    """Return the text under which limits count an address: IPv4 itself, IPv6 by its /64 network."""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False))
