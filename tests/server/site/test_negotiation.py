"""The headers Accept, Accept-Encoding and If-None-Match."""

import pytest

from evilpegs_server.site.negotiation import accepts_gzip, accepts_media, matching_tag


@pytest.mark.parametrize(
    ("accept", "accepted"),
    [
        ("", True),
        ("*/*", True),
        ("application/json", True),
        ("text/html, application/*;q=0.1", True),
        ("Application/JSON; charset=utf-8", True),
        ("text/html", False),
        ("application/json;q=0", False),
        ("*/*, application/json;q=0", False),
        ("application/*;q=0, */*", False),
        ("application/json;q=x", False),
    ],
)
def test_accept_admits_media_type(accept, accepted):
    assert accepts_media(accept, "application/json") == accepted


@pytest.mark.parametrize(
    ("header", "accepted"),
    [("", False), ("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("*", True), ("*, gzip;q=0", False)],
)
def test_accept_encoding_admits_gzip(header, accepted):
    assert accepts_gzip(header) == accepted


@pytest.mark.parametrize(
    ("header", "tag"),
    [("", None), ('"c"', None), ('"b"', '"b"'), ('"c", W/"b"', '"b"'), ("*", '"a"'), ("a", None)],
)
def test_if_none_match_names_tag(header, tag):
    assert matching_tag(header, ('"a"', '"b"')) == tag
