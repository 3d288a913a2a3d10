"""Frames: what may be taken at once is, in order; texts are framed as websockets frames them."""

import pytest
from websockets.asyncio.messages import Assembler
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from evilpegs_server.gateway import Connection, text_frame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_a_text_is_framed_as_websockets_frames_it(size):
    text = "é" * (size // 2) + "x" * (size % 2)
    assert text_frame(text) == Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


class TestTakingAtOnce:
    @pytest.fixture
    def shown(self):
        return []

    @pytest.fixture
    async def connection(self, shown):
        """After its handshake, with no conversation yet; guesses are taken at once."""
        connection = Connection(ServerProtocol(), None)
        connection.request = object()
        connection.recv_messages = Assembler()
        connection.arrived = 7.0

        def take(text, arrived):
            shown.append((text, arrived))
            return text.startswith("guess")

        connection.at_once = take
        return connection

    async def test_what_is_taken_is_not_queued(self, connection, shown):
        connection.process_event(Frame(Opcode.TEXT, b"guess 1"))
        connection.process_event(Frame(Opcode.TEXT, b"guess 2"))
        assert shown == [("guess 1", 7.0), ("guess 2", 7.0)]
        assert connection.unread == 0

    async def test_what_is_not_taken_is_queued_and_so_is_all_that_follows(self, connection, shown):
        for text in (b"play", b"guess 1"):
            connection.process_event(Frame(Opcode.TEXT, text))
        assert shown == [("play", 7.0)]
        assert connection.unread == 2
        assert [await connection.recv(), await connection.recv()] == ["play", "guess 1"]

    async def test_before_the_conversation_all_is_queued(self, connection, shown):
        connection.at_once = None
        connection.process_event(Frame(Opcode.TEXT, b"guess 1"))
        assert shown == []
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
    async def test_what_is_no_whole_text_is_not_shown(self, connection, shown, frames):
        for frame in frames:
            connection.process_event(frame)
        connection.process_event(Frame(Opcode.TEXT, b"guess 2"))
        assert shown == []
        assert connection.unread == 2
