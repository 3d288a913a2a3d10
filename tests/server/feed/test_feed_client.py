"""The MQTT client of the feed."""

import asyncio
import gc
from contextlib import suppress

import aiomqtt
import pytest

from evilpegs_protocol.broker import Broker
from evilpegs_server.feed.mqtt_client import Delivery, FeedClient, connected
from evilpegs_server.timing import Timing
from support.brokers import Proxy, Subscriber
from support.patience import PATIENCE
from support.waiting import think

LOST = aiomqtt.Will("evilpegs/will", b"lost")


def new_client(port):
    return FeedClient(Broker("127.0.0.1", port), "x", LOST, lambda _: None, Timing())


async def test_messages_arrive_in_order(mosquitto):
    client = new_client(mosquitto.port)
    sent = [(f"evilpegs/{number % 3}", b"%d" % number) for number in range(1_000)]
    async with Subscriber(mosquitto.port, qos=0) as subscriber, connected(client):
        for topic, payload in sent[:-100]:
            client.send(topic, payload)
        posted = [client.post(Delivery(topic, payload)) for topic, payload in sent[-100:]]
        assert await client.deliver(Delivery("evilpegs/a", b"last", properties=(("player", "ann"),)))
        assert all(each.result() for each in posted)
        await subscriber.wait_for(lambda s: len(s.received) == 1_001)
    assert [(topic, payload) for topic, payload, _ in subscriber.received[:-1]] == sent
    assert subscriber.received[-1][2].properties.UserProperty == [("player", "ann")]


async def test_confirmation_comes_after_what_was_sent(mosquitto):
    """A broker that stops reading confirms nothing, and one that is killed afterwards had read everything."""
    async with Proxy(mosquitto.port) as proxy, Subscriber(mosquitto.port, qos=0) as subscriber:
        client = new_client(proxy.port)
        async with connected(client):
            proxy.stall()
            client.send("evilpegs/a", b"event")
            confirming = asyncio.create_task(client.confirm())
            other = FeedClient(Broker("127.0.0.1", mosquitto.port), "y", LOST, lambda _: None, Timing())
            async with connected(other):
                await other.confirm()  # the broker answers whom it hears
            assert not confirming.done()
            assert not subscriber.received
            proxy.flow()
            await confirming
            await subscriber.wait_for(lambda s: s.received)


async def test_silent_broker_is_an_error(mosquitto):
    async with Proxy(mosquitto.port) as proxy:
        client = new_client(proxy.port)
        async with connected(client):
            assert await client.deliver(Delivery("evilpegs/a", b"acknowledged"))
            proxy.stall()
            client.timeout = 0.05
            with pytest.raises(TimeoutError):
                await client.deliver(Delivery("evilpegs/a", b"not acknowledged"))
            proxy.flow()


async def test_client_that_fails_leaves_its_last_will(mosquitto):
    async with Subscriber(mosquitto.port) as subscriber:
        with pytest.raises(ZeroDivisionError):
            async with connected(new_client(mosquitto.port)):
                raise ZeroDivisionError
        await subscriber.wait_for(lambda s: s.payloads("will") == [b"lost"])


async def test_message_on_lost_connection_is_an_error(mosquitto):
    """The MQTT library returns a handle instead, which raises another error when it is asked."""
    async with Proxy(mosquitto.port) as proxy:
        client = new_client(proxy.port)
        async with connected(client):
            await proxy.cut()
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(aiomqtt.MqttError):
                    await client.wait_until_lost()
            with pytest.raises(aiomqtt.MqttError, match="the connection was cut"):
                client.send("evilpegs/a", b"")
            with pytest.raises(aiomqtt.MqttError, match="the connection was cut"):
                client.post(Delivery("evilpegs/a", b""))
            with pytest.raises(aiomqtt.MqttError, match="the connection was cut"):
                await client.confirm()


async def test_end_while_the_broker_hangs_up_leaves_nothing_to_log():
    """At some moment of hundreds the answer comes when nobody waits any more: asyncio would log it with a traceback."""
    said, accepted = [], asyncio.Queue()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context["message"]))

    async def use(port):
        async with connected(new_client(port)):
            pass

    def hang_up(_reader, writer):
        accepted.put_nowait(None)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as broker:
        for number in range(1_500):
            using = asyncio.create_task(use(broker.sockets[0].getsockname()[1]))
            await accepted.get()
            await think(number % 60 / 10_000)
            using.cancel()
            with suppress(asyncio.CancelledError, aiomqtt.MqttError):
                await using
    del using
    gc.collect()
    await think(0)
    assert said == []
