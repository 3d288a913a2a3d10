"""The address of a client: directly, behind trusted proxies, and with headers that a stranger wrote."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.addresses import MAX_HEADER, TrustedProxies, counted_network, limited_networks, parse_address

PROXIES = TrustedProxies([ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("2001:db8:ffff::/48")])
HEADERS = st.lists(st.text(st.sampled_from('0123456789abcdef.:,;="[] for\\_%'), max_size=60), max_size=3)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        (" 192.0.2.1 ", "192.0.2.1"),
        ("192.0.2.1:4711", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::1"),
        ("", None),
        ("unknown", None),
        ("_hidden", None),
        ("192.0.2", None),
        ("[192.0.2.1", None),
    ],
)
def test_address_is_parsed_with_and_without_port(text, address):
    assert parse_address(text) == (address and parse_address(address))
    assert address is None or str(parse_address(text)) == address


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
    ],
)
def test_ipv6_is_counted_by_network(address, counted):
    assert counted_network(parse_address(address)) == counted
    assert PROXIES.counted_peer(address) == counted


def test_ipv6_is_limited_by_wider_network_too():
    assert limited_networks("2001:db8:1:2::/64") == {"2001:db8:1:2::/64": 1, "2001:db8:1::/48": 4}
    assert limited_networks("192.0.2.1") == {"192.0.2.1": 1}


def test_loopback_is_counted_only_with_proxies():
    for loopback in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"):
        assert TrustedProxies().counted_peer(loopback) is None
        assert PROXIES.counted_peer(loopback) is not None
    assert TrustedProxies().counted_peer("192.0.2.1") == "192.0.2.1"
    assert TrustedProxies().counted_peer(None) is None


@pytest.mark.parametrize(
    ("forwarded", "forwarded_for", "client"),
    [
        ([], ["192.0.2.1"], "192.0.2.1"),
        ([], ["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
        ([], ["203.0.113.9", "192.0.2.1, 10.0.0.1"], "192.0.2.1"),
        ([], ["192.0.2.1, unknown, 10.0.0.1"], "10.0.0.1"),
        ([], ["10.1.2.3, 10.0.0.1"], "10.1.2.3"),
        ([], [""], "127.0.0.1"),
        ([], [], "127.0.0.1"),
        ([], ["2001:db8:1:2:3::4"], "2001:db8:1:2::/64"),
        (["for=192.0.2.1"], [], "192.0.2.1"),
        (["For=192.0.2.1;proto=https;by=10.0.0.1"], [], "192.0.2.1"),
        (["proto=https;for=192.0.2.1:80"], [], "192.0.2.1"),
        (['for="[2001:db8:1:2::1]:4711"'], [], "2001:db8:1:2::/64"),
        (["for=203.0.113.9, for=192.0.2.1", "for=10.0.0.1"], [], "192.0.2.1"),
        (['for=203.0.113.9, for="_a,b";host=x, for=10.0.0.1'], [], "10.0.0.1"),
        (["for=203.0.113.9, proto=http"], [], "127.0.0.1"),
        (['a=";for=203.0.113.9;b=', 'for="[2001:db8:1:2::1]"'], [], "127.0.0.1"),
        (['a=";for=203.0.113.9;b=\\"', 'for="[2001:db8:1:2::1]"'], [], "127.0.0.1"),
        (["for=203.0.113.9;for=192.0.2.1"], [], "127.0.0.1"),
        (["for=192.0.2.1"], ["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
    ],
)
def test_client_is_rightmost_untrusted_entry(forwarded, forwarded_for, client):
    assert PROXIES.counted_client("127.0.0.1", forwarded, forwarded_for) == client


def test_headers_that_disagree_count_as_proxy():
    """Without this, a client behind a proxy that writes one header could choose its address with the other."""
    assert PROXIES.counted_client("10.0.0.1", ["for=203.0.113.9"], ["192.0.2.1"]) == "10.0.0.1"


def test_headers_of_strangers_are_ignored():
    forged = (["for=203.0.113.9"], ["203.0.113.9"])
    assert PROXIES.counted_client("192.0.2.1", *forged) == "192.0.2.1"
    assert TrustedProxies().counted_client("192.0.2.1", *forged) == "192.0.2.1"
    assert TrustedProxies().counted_client("127.0.0.1", *forged) is None


def test_overlong_header_counts_as_proxy():
    long = "192.0.2.1," * (MAX_HEADER // 10 + 1)
    assert PROXIES.counted_client("10.0.0.1", [], [long]) == "10.0.0.1"
    assert PROXIES.counted_client("10.0.0.1", [f"for={long}"], []) == "10.0.0.1"


@given(HEADERS, HEADERS)
def test_any_header_names_an_address_or_the_proxy(forwarded, forwarded_for):
    client = PROXIES.counted_client("10.0.0.1", forwarded, forwarded_for)
    assert parse_address(client.removesuffix("/64")) is not None
