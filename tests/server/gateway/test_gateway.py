import asyncio

from evilpegs_server.gateway.session import Session
from support.in_process import serving
from support.patience import PATIENCE
from support.servers import dial


async def test_waiting_messages_keep_times_of_arrival(database, monkeypatch):
    """A player is charged for a guess that waits behind a slow request up to the moment at which it was read."""
    is_over, all_arrived, arrivals = asyncio.Event(), asyncio.Event(), []

    async def handle_slowly(_session, _frame, arrived):
        arrivals.append(arrived)
        if len(arrivals) == 3:
            all_arrived.set()
        await is_over.wait()

    monkeypatch.setattr(Session, "handle_frame", handle_slowly)
    async with (
        asyncio.timeout(PATIENCE),
        serving(database) as server,
        dial(server.url) as client,
    ):
        for text in ("slow", "second", "third"):
            await client.send(text)
            await (await client.socket.ping())  # the pong follows when the text has been read
        assert len(arrivals) == 1
        is_over.set()
        await all_arrived.wait()
    slow, second, third = arrivals
    assert slow < second < third
