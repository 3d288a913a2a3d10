"""Frames: a text is handled at once unless others wait, and messages keep their order."""

from collections import Counter
from types import SimpleNamespace

import pytest
from websockets.asyncio.messages import Assembler
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from evilpegs_server.gateway.connection import GameConnection, text_frame
from evilpegs_server.limits import RateLimit


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_text_frame_equals_websockets_frame(size):
    text = "é" * (size // 2) + "x" * (size % 2)
    assert text_frame(text) == Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


def from_client(payload, opcode=Opcode.TEXT, fin=True):
    """Return the bytes of a frame as a client sends it."""
    return Frame(opcode, payload, fin).serialize(mask=True)


class TestHandlingNow:
    @pytest.fixture
    def seen(self):
        return []

    @pytest.fixture
    async def connection(self, seen):
        """A connection after its handshake that handles guesses at once."""
        entrance, rate = SimpleNamespace(now=lambda: 7.0), RateLimit(100, 200, 0)
        given = {"entrance": entrance, "rate": rate, "ended": Counter()}
        connection = GameConnection(ServerProtocol(state=State.OPEN), None, **given)
        connection.request = object()
        connection.recv_messages = Assembler()

        def handle(text, arrived):
            seen.append((text, arrived))
            return text.startswith("guess")

        connection.handle_now = handle
        return connection

    async def test_handled_texts_are_not_queued(self, connection, seen):
        connection.data_received(from_client(b"guess 1"))
        connection.data_received(from_client(b"guess 2"))
        assert seen == [("guess 1", 7.0), ("guess 2", 7.0)]
        assert not connection.arrivals

    @pytest.mark.parametrize("cut", [0, 4, 13, 15])
    async def test_texts_are_handled_now_however_they_are_read(self, connection, seen, cut):
        both = from_client(b"guess 1") + from_client(b"guess 2")
        for read in (both[:cut], both[cut:]):
            connection.data_received(read)
        assert seen == [("guess 1", 7.0), ("guess 2", 7.0)]
        assert not connection.arrivals

    async def test_text_that_is_not_utf_8_is_queued(self, connection, seen):
        connection.data_received(from_client(b"guess \xff"))
        assert seen == []
        assert len(connection.arrivals) == 1

    async def test_refused_text_queues_all_that_follow(self, connection, seen):
        for text in (b"play", b"guess 1"):
            connection.data_received(from_client(text))
        assert seen == [("play", 7.0)]
        assert len(connection.arrivals) == 2
        assert [await connection.recv(), await connection.recv()] == ["play", "guess 1"]

    async def test_texts_after_close_are_not_handled_now(self, connection, seen):
        connection.protocol.state = State.CLOSING
        connection.data_received(from_client(b"guess 1"))
        assert seen == []

    async def test_texts_before_session_are_queued(self, connection, seen):
        connection.handle_now = None
        connection.data_received(from_client(b"guess 1"))
        assert seen == []
        assert await connection.recv() == "guess 1"

    @pytest.mark.parametrize(
        "reads",
        [
            [from_client(b"guess 1", Opcode.BINARY)],
            [from_client(b"gue", fin=False), from_client(b"ss 1", Opcode.CONT)],
            [from_client(b"gue", fin=False), from_client(b"", Opcode.PING), from_client(b"ss 1", Opcode.CONT)],
        ],
        ids=["binary", "in fragments", "around a ping"],
    )
    async def test_other_messages_are_queued_unseen(self, connection, seen, reads):
        for read in reads:
            connection.data_received(read)
        queued = len(connection.arrivals)
        connection.data_received(from_client(b"guess 2"))
        assert seen == []
        assert queued > 0
        assert len(connection.arrivals) == queued + 1

    async def test_message_arrives_with_its_last_frame(self, connection):
        fragments = [
            from_client(b"a", fin=False),
            from_client(b"b", Opcode.CONT, fin=False),
            from_client(b"c", Opcode.CONT),
        ]
        connection.entrance.now = iter([1.0, 2.0, 3.0, 4.0, 5.0]).__next__
        for read in (from_client(b"play"), *fragments, from_client(b"guess 1")):
            connection.data_received(read)
        assert list(connection.arrivals) == [1.0, 4.0, 5.0]
