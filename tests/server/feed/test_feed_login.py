"""The feed at a broker that wants TLS and a password."""

import ssl

import pytest

from evilpegs_protocol.broker import load_broker
from support.brokers import Mosquitto, Subscriber
from support.certificates import make_certificate


@pytest.fixture
async def secure(tmp_path):
    """A broker with TLS that lets in only `server` with the password in `password.txt`."""
    broker = Mosquitto(tmp_path)
    cert, key = make_certificate(tmp_path)
    broker.configure(f"certfile {cert}", f"keyfile {key}", broker.set_password("server", "open sesame"))
    (tmp_path / "password.txt").write_text("open sesame\n")
    await broker.start()
    yield broker, cert
    broker.kill()


async def test_feed_logs_in_over_tls(secure, publishing, players, tmp_path):
    broker, authority = secure
    login = {"username": "server", "password": "open sesame"}
    context = ssl.create_default_context(cafile=authority)
    subscriber = Subscriber(broker.port, host="localhost", tls_context=context, **login)
    settings = {"mqtt_user": "server", "mqtt_password_file": tmp_path / "password.txt", "mqtt_ca_file": authority}
    async with subscriber, publishing(f"mqtts://localhost:{broker.port}", **settings) as server:
        (ann,) = await players(server)
        match = await ann.play()
        await subscriber.wait_for(lambda s: match in s.matches)


async def test_plain_connection_to_tls_is_named(secure, publishing, log):
    broker, _ = secure
    async with publishing(broker.url):
        await log.wait_for(1)
    assert f"mqtts://127.0.0.1:{broker.port}" in log.about_broker[0]["why"]


async def test_hint_is_only_for_tls(tmp_path):
    """The control of the test above."""
    broker = await Mosquitto(tmp_path).start()
    running = load_broker(broker.url)
    assert await running.tls_hint() == ""
    broker.kill()
    assert await running.tls_hint() == ""
    assert await load_broker(broker.url.replace("mqtt:", "mqtts:")).tls_hint() == ""


async def test_untrusted_broker_is_logged_once(secure, publishing, players, log):
    """The control of the test above: without the authority's certificate there is no connection."""
    broker, _ = secure
    settings = {"mqtt_user": "server", "mqtt_password": "open sesame"}
    async with publishing(f"mqtts://localhost:{broker.port}", **settings) as server:
        await broker.wait_for_log("alert unknown ca", 2)
        (ann,) = await players(server)
        await ann.play()
    [line] = log.about_broker
    assert "certificate" in line["why"].lower()
    assert "--mqtt-ca-file" in line["why"]
