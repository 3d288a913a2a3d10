"""The address of a broker."""

import pickle
from codecs import BOM_UTF8

import pytest

from evilpegs_protocol.broker import BrokerUnusableError, load_broker


@pytest.mark.parametrize(
    ("url", "address", "secure"),
    [
        ("mqtt://hall", "hall:1883", False),
        ("mqtt://hall:2000/", "hall:2000", False),
        ("mqtts://hall", "hall:8883", True),
        ("mqtt://[::1]:7", "[::1]:7", False),
    ],
)
def test_broker_url_is_read(url, address, secure):
    broker = load_broker(url)
    assert broker.address == address
    assert (broker.tls_context() is not None) is secure
    assert pickle.loads(pickle.dumps(broker)) == broker


LABEL = "a" * 63


@pytest.mark.parametrize("host", ["a..b", f"{LABEL}a", ".a", "a\0b", "\x1b[2J", "\udc80"])
def test_impossible_host_is_refused(host):
    with pytest.raises(BrokerUnusableError) as caught:
        load_broker(f"mqtt://{host}:1883")
    assert str(caught.value).isprintable()


def test_longest_label_is_a_host():
    assert load_broker(f"mqtt://{LABEL}.example.").host == f"{LABEL}.example."


@pytest.mark.parametrize("start", [b"", BOM_UTF8])
def test_password_is_first_line_of_file(tmp_path, start):
    place = tmp_path / "password"
    place.write_bytes(start + b"open sesame\r\nanother\n")
    broker = load_broker("mqtt://hall", "ann", password_file=place)
    assert (broker.user, broker.password) == ("ann", "open sesame")
    assert "sesame" not in repr(broker)


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_unreadable_password_file_is_refused(tmp_path, content):
    place = tmp_path / "password"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(BrokerUnusableError, match=f"{place}: {'No such' if content is None else '.* UTF-8'}"):
        load_broker("mqtt://hall", "ann", password_file=place)


def test_file_without_certificate_is_refused(tmp_path):
    place = tmp_path / "ca.pem"
    place.write_text("no certificate")
    with pytest.raises(BrokerUnusableError, match=str(place)):
        load_broker("mqtts://hall", ca_file=place)


@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_port_out_of_range_is_named(port):
    with pytest.raises(BrokerUnusableError) as caught:
        load_broker(url := f"mqtt://127.0.0.1:{port}")
    assert all(fact in str(caught.value) for fact in (url, f"port {port} is not 1 to 65535", "mqtt://HOST:PORT"))


ODD = ["foo", "hall:1883", "http://hall", "mqtt://", "mqtt://hall:x", " ", "", "mqtt:hall", "mqtt://hall/topic"]


@pytest.mark.parametrize("url", ODD)
def test_odd_url_is_quoted_with_the_form_that_is_wanted(url):
    with pytest.raises(BrokerUnusableError) as caught:
        load_broker(url)
    assert all(fact in str(caught.value) for fact in (repr(url), "mqtt://HOST:PORT"))
