"""The address of a client, directly or behind trusted proxies, in the form in which limits count it.

A proxy adds the address that has called it at the right end of a header. Entries further left were sent by the caller,
who can write anything. The client is therefore the rightmost entry that is not itself a trusted proxy, and headers that
come from any other address are ignored.

Most proxies write one of the two headers `Forwarded` and `X-Forwarded-For`, and pass on the other as the client sent
it. If both are present and name different clients, neither can be believed, and the connection counts as one of the
proxy itself.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evilpegs_server.addresses import IpAddress, IpNetwork, counted_network, parse_address

MAX_HEADER: Final = 4096
"""The largest number of characters of a forwarding header that is read. A longer header names no client."""
_PART: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^",;]+|[",;]')
"""A pattern for a part of the header `Forwarded`: text in quotation marks, other text, or a separator."""


class TrustedProxies:
    """The networks of the proxies whose forwarding headers name the client."""

    def __init__(self, networks: Iterable[IpNetwork] = ()) -> None:
        self._networks = tuple(networks)

    def trusts(self, peer: str) -> bool:
        """Return True if ``peer``, the address of the other end of a connection, is a trusted proxy."""
        address = parse_address(peer)
        return address is not None and self._contains(address)

    def counted_peer(self, peer: str | None) -> str | None:
        """Return the network under which limits count ``peer``, the other end of a connection; None if not counted.

        A peer without an IP address is not counted. A peer on this machine is counted only if there are trusted
        proxies: without a proxy, only programs of this machine itself can connect from it.
        """
        address = parse_address(peer or "")
        if address is None or (address.is_loopback and not self._networks):
            return None
        return counted_network(address)

    def counted_client(self, peer: str, forwarded: Sequence[str], forwarded_for: Sequence[str]) -> str | None:
        """Return the network under which limits count the client of a request; None if the client is not counted.

        ``peer`` is the address of the other end of the connection. ``forwarded`` and ``forwarded_for`` are the values
        of the headers `Forwarded` (RFC 7239) and `X-Forwarded-For`, which are ignored unless ``peer`` is a trusted
        proxy.
        """
        if not self.trusts(peer):
            return self.counted_peer(peer)
        own = parse_address(peer)
        named = [list(each) for each in (_forwarded_entries(forwarded), _plain_entries(forwarded_for))]
        clients = {self._rightmost_untrusted(entries, own) for entries in named if entries}
        client = clients.pop() if len(clients) == 1 else own
        return None if client is None else counted_network(client)

    def _rightmost_untrusted(self, entries: list[IpAddress | None], peer: IpAddress | None) -> IpAddress | None:
        """Return the address of a client: the rightmost of ``entries`` that is not a trusted proxy.

        ``entries`` are the addresses in a header, and None for each entry that is not an address. ``peer`` is the
        trusted proxy at the other end of the connection, which added the rightmost entry. The search goes from right to
        left. If the search meets None, or if all entries are trusted proxies, return the last address before the search
        ended. This address is ``peer`` if the rightmost entry is None or there are no entries.
        """
        hop = peer
        for entry in reversed(entries):
            if entry is None:
                return hop
            hop = entry
            if not self._contains(entry):
                return hop
        return hop

    def _contains(self, address: IpAddress) -> bool:
        return any(address in network for network in self._networks)


def _plain_entries(values: Sequence[str]) -> Iterator[IpAddress | None]:
    """Yield the addresses in the values of the header `X-Forwarded-For`, and None for each entry without an address.

    A header of more than `MAX_HEADER` characters yields a single None.
    """
    joined = ",".join(values)
    if values:
        yield from map(parse_address, joined.split(",")) if len(joined) <= MAX_HEADER else (None,)


def _forwarded_entries(values: Sequence[str]) -> Iterator[IpAddress | None]:
    """Yield the addresses in the values of the header `Forwarded`, and None for each element without an address.

    An unpaired quotation mark makes the whole header unreadable, because a client could otherwise begin a quoted text
    that includes the element of the proxy. A header that is unreadable, or longer than `MAX_HEADER` characters, yields
    a single None.
    """
    joined = ",".join(values)
    elements = _forwarded_elements(joined) if len(joined) <= MAX_HEADER else None
    for pairs in [[]] if elements is None else elements:
        named = [value for name, _, value in (pair.strip().partition("=") for pair in pairs) if name.lower() == "for"]
        yield parse_address(named[0].removeprefix('"').removesuffix('"')) if len(named) == 1 else None


def _forwarded_elements(header: str) -> list[list[str]] | None:
    """Return a list of the texts ``name=value`` for each element of a header `Forwarded`; None if it is unreadable."""
    if not header:
        return []
    elements = [[""]]
    for match in _PART.finditer(header):
        part = match[0]
        if part == '"':
            return None
        if part == ",":
            elements.append([""])
        elif part == ";":
            elements[-1].append("")
        else:
            elements[-1][-1] += part
    return elements
