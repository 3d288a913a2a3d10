"""The address of a client, directly or behind trusted proxies, in the form in which limits count it.

A proxy adds the address that has called it at the right end of a header. Entries further left were sent by the caller,
who can write anything. The client is therefore the rightmost entry that is not itself a trusted proxy, and headers that
come from any other address are ignored.

Most proxies write one of the two headers `Forwarded` and `X-Forwarded-For`, and pass on the other as the client sent
it. If both are present and name different clients, neither can be believed, and the connection counts as one of the
proxy itself.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Final

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# one subscriber usually has all addresses with the same leading 64 bits
_IPV6_PREFIX: Final = 64
# but some have a whole /48, which may therefore have four times as much, and not 65,536 times
_WIDE_PREFIX: Final = 48
WIDE_SHARE: Final = 4
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


def limited_networks(counted: str | None) -> dict[str, int]:
    """Return the networks in which a `counted_network` is limited, with the multiple of a limit that each may have."""
    if counted is None:
        return {}
    if "/" not in counted:
        return {counted: 1}
    wide = ipaddress.ip_network(counted).supernet(new_prefix=_WIDE_PREFIX)
    return {counted: 1, str(wide): WIDE_SHARE}


MAX_HEADER: Final = 4096  # characters; a longer header names no client
_PART: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^",;]+|[",;]')  # quoted text, other text, or a separator


class TrustedProxies:
    def __init__(self, networks: Iterable[IpNetwork] = ()) -> None:
        self._networks = tuple(networks)

    def trusts(self, peer: str) -> bool:
        address = parse_address(peer)
        return address is not None and self._contains(address)

    def counted_peer(self, peer: str | None) -> str | None:
        """Return the network under which limits count ``peer``; None if it is not counted."""
        address = parse_address(peer or "")
        # without a proxy, only programs of this machine itself connect over loopback
        if address is None or (address.is_loopback and not self._networks):
            return None
        return counted_network(address)

    def counted_client(self, peer: str, forwarded: Sequence[str], forwarded_for: Sequence[str]) -> str | None:
        """Return the network under which limits count the client of a request; None if it is not counted."""
        own = parse_address(peer)
        if own is None or not self._contains(own):
            return self.counted_peer(peer)
        structured, plain = ",".join(forwarded), ",".join(forwarded_for)
        if len(structured) > MAX_HEADER or len(plain) > MAX_HEADER:
            return counted_network(own)
        clients = set()
        if structured:
            clients.add(self._rightmost_untrusted(own, _forwarded_entries(structured)))
        if forwarded_for:
            clients.add(self._rightmost_untrusted(own, [parse_address(entry) for entry in plain.split(",")]))
        return counted_network(clients.pop() if len(clients) == 1 else own)

    def _rightmost_untrusted(self, proxy: IpAddress, entries: list[IpAddress | None]) -> IpAddress:
        hop = proxy
        for entry in reversed(entries):
            # behind a stranger anything may stand, and behind what is no address nothing is known
            if entry is None or not self._contains(hop):
                break
            hop = entry
        return hop

    def _contains(self, address: IpAddress) -> bool:
        return any(address in network for network in self._networks)


def _forwarded_entries(header: str) -> list[IpAddress | None]:
    elements = [[""]]
    for match in _PART.finditer(header):
        part = match[0]
        # an unpaired mark: a client could otherwise begin a quoted text that includes the element of the proxy
        if part == '"':
            return [None]
        if part == ",":
            elements.append([""])
        elif part == ";":
            elements[-1].append("")
        else:
            elements[-1][-1] += part
    return [_client_of_element(pairs) for pairs in elements]


def _client_of_element(pairs: list[str]) -> IpAddress | None:
    named = [value for name, _, value in (pair.strip().partition("=") for pair in pairs) if name.lower() == "for"]
    return parse_address(named[0].removeprefix('"').removesuffix('"')) if len(named) == 1 else None
