"""The MQTT client of the publisher process."""

import asyncio

import aiomqtt
import pytest

from evilpegs_protocol.broker import Broker
from evilpegs_server.feed.mqtt_client import FeedClient, connected
from support.brokers import Proxy
from support.patience import PATIENCE

NUMBERS = 65_535
"""The numbers that MQTT has for messages on their way."""


async def test_repeated_message_number_acknowledges_nothing(mosquitto):
    """While an acknowledgment is missing, an event gets the number of the message that waits for it."""
    async with Proxy(mosquitto.port) as proxy:
        client = FeedClient(Broker("127.0.0.1", proxy.port), "x", aiomqtt.Will("will", b"lost"))
        async with connected(client):
            await client.deliver("evilpegs/a", "acknowledged")
            proxy.stall()
            waiting = asyncio.create_task(client.deliver("evilpegs/a", "not acknowledged"))
            await asyncio.sleep(0)
            for _ in range(NUMBERS - 1):
                client.send("evilpegs/b", "")
            with pytest.raises(aiomqtt.MqttError):
                client.send("evilpegs/b", "")
            assert not waiting.done()
            waiting.cancel()
            proxy.flow()
            async with asyncio.timeout(PATIENCE):
                await asyncio.wait([waiting])


async def test_message_on_lost_connection_is_an_error(mosquitto):
    """The MQTT library returns a handle instead, which raises another error when it is asked."""
    async with Proxy(mosquitto.port) as proxy:
        client = FeedClient(Broker("127.0.0.1", proxy.port), "x", aiomqtt.Will("will", b"lost"))
        async with connected(client):
            await proxy.cut()
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(aiomqtt.MqttError):
                    await client.wait_until_lost()
            with pytest.raises(aiomqtt.MqttError, match="the connection was cut"):
                client.send("evilpegs/a", "")
