"""Frames: texts are handled at once and in order where that is possible, and framed as websockets frames them."""

import pytest
from websockets.asyncio.messages import Assembler
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from evilpegs_server.gateway.connection import StampedConnection
from evilpegs_server.gateway.rate_limit import RateLimit


class TestHandlingNow:
    @pytest.fixture
    def seen(self):
        return []

    @pytest.fixture
    async def connection(self, seen):
        """A connection after its handshake that handles guesses at once."""
        connection = StampedConnection(ServerProtocol(), None)
        connection.request = object()
        connection.recv_messages = Assembler()
        connection.arrived, connection.rate = 7.0, RateLimit(100, 200, 0)

        def handle(text, arrived):
            seen.append((text, arrived))
            return text.startswith("guess")

        connection.handle_now = handle
        return connection

    async def test_handled_texts_are_not_queued(self, connection, seen):
        connection.process_event(Frame(Opcode.TEXT, b"guess 1"))
        connection.process_event(Frame(Opcode.TEXT, b"guess 2"))
        assert seen == [("guess 1", 7.0), ("guess 2", 7.0)]
        assert connection.unread == 0

    async def test_refused_text_queues_all_that_follow(self, connection, seen):
        for text in (b"play", b"guess 1"):
            connection.process_event(Frame(Opcode.TEXT, text))
        assert seen == [("play", 7.0)]
        assert connection.unread == 2
        assert [await connection.recv(), await connection.recv()] == ["play", "guess 1"]

    async def test_texts_before_session_are_queued(self, connection, seen):
        connection.handle_now = None
        connection.process_event(Frame(Opcode.TEXT, b"guess 1"))
        assert seen == []
        assert await connection.recv() == "guess 1"

    @pytest.mark.parametrize(
        "frames",
        [
            [Frame(Opcode.BINARY, b"guess 1")],
            [Frame(Opcode.TEXT, b"guess \xff")],
            [Frame(Opcode.TEXT, b"gue", fin=False), Frame(Opcode.CONT, b"ss 1")],
        ],
        ids=["binary", "not UTF-8", "in fragments"],
    )
    async def test_broken_texts_are_queued_unseen(self, connection, seen, frames):
        for frame in frames:
            connection.process_event(frame)
        connection.process_event(Frame(Opcode.TEXT, b"guess 2"))
        assert seen == []
        assert connection.unread == 2
