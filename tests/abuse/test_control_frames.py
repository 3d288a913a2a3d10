"""Frames that are no messages spend the same budget as messages, and the work of one read is bounded."""

import asyncio
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from evilpegs_server.gateway import connection as gateway_connection
from evilpegs_server.gateway.connection import FRAME_REFUSALS, MAX_UNSENT_BYTES, SLICE_BYTES, GameConnection
from evilpegs_server.limits import MAX_REFUSALS, RateLimit
from support.entrances import default_entrance
from support.hostile_peer import CONT, PING, PONG, TEXT, UPGRADE, Peer, frame, text
from support.patience import PATIENCE
from support.patient_server import PATIENT
from support.waiting import loop_turns

FLOODS = {
    "empty pings": frame(PING) * 4_000,
    "pings": frame(PING, b"x" * 125) * 4_000,
    "pongs that nobody asked for": frame(PONG) * 4_000,
    "empty fragments": frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 4_000,
    "empty texts": frame(TEXT) * 4_000,
}
UNLIMITED = 1_000_000
"""Requests per second: a limit that does not bind."""
BUDGET = 200 + MAX_REFUSALS
"""The frames that are answered at once: the burst of the default settings and what may be refused."""


def flood(url, data):
    """Send ``data``, then a ping of the protocol and a close; return what came back: counts and the close code."""
    with Peer(url) as attacker:
        attacker.send(data)
        attacker.send(text(type="ping", c=1) + frame(8, b"\x03\xe8"))
        return attacker.rest()


@pytest.mark.parametrize("kind", FLOODS)
async def test_flood_of_frames_is_closed(run_server, kind):
    server = await run_server()
    counts, code = await asyncio.to_thread(flood, server.url, FLOODS[kind])
    assert code == 1008
    assert sum(counts.values()) <= BUDGET + SLICE_BYTES // 6


@pytest.mark.parametrize("kind", ["empty pings", "pings"])
async def test_unlimited_flood_of_pings_is_answered(run_server, kind):
    """Control: without the limit each of the pings costs the server an answer."""
    server = await run_server(requests_per_second=UNLIMITED)
    counts, code = await asyncio.to_thread(flood, server.url, FLOODS[kind])
    assert (counts[PONG], code) == (4_000, 1000)


async def test_flooder_who_returns_has_small_budget(run_server):
    """The budget of an address that was over a limit is not whole again because it connects again."""
    server = await run_server(replace(PATIENT, over_limit_ms=1000 * PATIENCE))
    kind = FLOODS["empty pings"]
    first, _ = await asyncio.to_thread(flood, server.url, kind)
    second, code = await asyncio.to_thread(flood, server.url, kind)
    assert first[PONG] > 200
    assert second[PONG] <= SLICE_BYTES // 6
    assert code == 1008


async def test_flood_behind_handshake_is_cut_off(run_server):
    """Frames sent before the handshake was answered are counted too."""
    server = await run_server()
    head = f"GET /v1 HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n{UPGRADE}"
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(head.encode() + frame(PING) * 4_000)
    received = b""
    async with asyncio.timeout(PATIENCE):
        try:
            while more := await reader.read(65536):
                received += more
        except ConnectionResetError:
            pass
    assert len(received) < 2 * (BUDGET + SLICE_BYTES) + 1_000
    writer.close()


class FakeTransport:
    """A transport that keeps what is written to it."""

    def __init__(self):
        self.written, self.paused, self.aborted, self.unread_bytes = b"", False, False, 0

    def get_extra_info(self, name):
        return ("127.0.0.1", 50_000) if name == "peername" else None

    def write(self, data):
        self.written += data

    def get_write_buffer_size(self):
        return self.unread_bytes

    def is_closing(self):
        return self.aborted

    def abort(self):
        self.aborted = True

    def pause_reading(self):
        self.paused = True

    def resume_reading(self):
        self.paused = False

    def can_write_eof(self):
        return True

    def write_eof(self):
        pass

    def set_write_buffer_limits(self, high, low):
        pass


@pytest.fixture
async def connection():
    """A connection after its handshake on a fake transport, without a limit of its rate."""
    server = SimpleNamespace(handler=lambda _: loop_turns(), handler_tasks=set())
    given = {"entrance": default_entrance(lambda: 0.0), "rate": RateLimit(UNLIMITED, UNLIMITED, 0), "ended": Counter()}
    connection = GameConnection(ServerProtocol(state=State.OPEN), server, **given)
    connection.request = object()
    connection.connection_made(FakeTransport())
    await loop_turns()
    return connection


class TestOneRead:
    PINGS = frame(PING) * 4_000

    async def test_read_is_parsed_in_slices(self, connection):
        connection.data_received(self.PINGS)
        assert 0 < len(connection.transport.written) <= SLICE_BYTES
        assert connection.transport.paused
        while connection.transport.paused:
            written = len(connection.transport.written)
            await loop_turns()
            assert len(connection.transport.written) <= written + SLICE_BYTES
        assert connection.transport.written == Frame(Opcode.PONG, b"").serialize(mask=False) * 4_000

    async def test_unsliced_read_is_parsed_at_once(self, connection, monkeypatch):
        """Control: without slices one read holds the event loop until all of it is answered."""
        monkeypatch.setattr(gateway_connection, "SLICE_BYTES", 1 << 30)
        connection.data_received(self.PINGS)
        assert len(connection.transport.written) == 2 * 4_000

    async def test_full_queue_stops_parsing(self, connection):
        connection.data_received(text(type="ping", c=1) * 1_000)
        await loop_turns(1_000)
        assert connection.transport.paused
        assert len(connection.arrivals) <= 16 + SLICE_BYTES // 30
        for _ in range(1_000):
            assert await connection.recv() == '{"type": "ping", "c": 1}'
        await loop_turns()
        assert not connection.transport.paused

    async def test_asked_pong_is_free(self, connection):
        connection.rate = RateLimit(1, 1, 0)
        for _ in range(5):
            await connection.ping(b"asked")
            connection.data_received(frame(PONG, b"asked"))
        assert connection.rate.refused == 0
        connection.data_received(frame(PONG, b"asked") * 2)
        assert connection.rate.refused == FRAME_REFUSALS


class TestUnreadAnswers:
    async def test_unread_pongs_abort_connection(self, connection):
        connection.transport.unread_bytes = MAX_UNSENT_BYTES
        connection.data_received(frame(PING))
        assert not connection.transport.aborted
        connection.transport.unread_bytes += 1
        connection.data_received(frame(PING))
        assert connection.transport.aborted

    async def test_unbounded_answers_pile_up(self, connection, monkeypatch):
        """Control: without the bound the connection stays, however much is unread."""
        monkeypatch.setattr(gateway_connection, "MAX_UNSENT_BYTES", 1 << 60)
        connection.transport.unread_bytes = 1 << 30
        connection.data_received(frame(PING) * 3)
        assert not connection.transport.aborted


class TestFailedConnection:
    async def test_nothing_is_parsed_after_failing(self, connection):
        connection.data_received(frame(PING) * 4_000)
        connection.fail(1008, "enough")
        written = connection.transport.written
        assert written.endswith(b"enough")
        assert not connection.transport.paused
        connection.data_received(frame(PING) * 4_000)
        await loop_turns()
        assert connection.transport.written == written
        assert not connection.transport.aborted

    async def test_flood_after_failing_is_cut_off(self, connection):
        connection.fail(1008, "enough")
        for _ in range(17):
            connection.data_received(bytes(1 << 16))
        assert connection.transport.aborted

    async def test_protocol_error_is_not_parsed_on(self, connection):
        connection.data_received(frame(PING, reserved=1))
        assert connection.is_failed
        assert connection.protocol.close_sent.code == 1002
