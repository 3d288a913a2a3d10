"""The sockets of the site: limits for strangers, and an end that nobody can delay."""

import asyncio
import contextlib
import errno
import gc
import os
import socket
from collections import Counter
from dataclasses import replace
from ipaddress import ip_network
from types import SimpleNamespace

import pytest
from starlette.responses import Response, StreamingResponse

from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.listening import bind
from evilpegs_server.site import http_server
from evilpegs_server.site.http_server import MAX_REQUEST_BYTES, Connection, Visitors, running_http_server
from evilpegs_server.site.metrics import SiteCounts
from evilpegs_server.timing import Timing
from support.patience import PATIENCE
from support.waiting import loop_turns, until

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATIENT = Timing(site_check_seconds=10 * PATIENCE)
MANY = REQUEST * 2_000
"""More bytes than a request may have, and than uvicorn reads at a time."""


async def answer(scope, receive, send):
    await Response("5" * 10, media_type="text/plain")(scope, receive, send)


class Endless:
    """An application that never answers."""

    def __init__(self):
        self.begun, self.ended = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope, receive, send):
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


MUCH = 16 << 20
"""More bytes than the kernel takes for a client that does not read."""


async def send_much(scope, receive, send):
    await Response(b"5" * MUCH)(scope, receive, send)


class Connections(list):
    """The connections that servers have accepted. No time passes for them; a test checks them instead."""

    def check(self):
        for each in self:
            if not each.transport.is_closing():
                each.check()

    async def writes(self):
        """Wait until bytes wait for the client of the only connection, who reads nothing."""
        await until(lambda: self and self[0].transport.get_write_buffer_size())

    def check_until_closed(self):
        self.check()
        return all(each.transport.is_closing() for each in self)


@pytest.fixture
def connections(monkeypatch):
    connections, make = Connections(), Connection.connection_made

    def note_and_make(connection, transport):
        make(connection, transport)
        connections.append(connection)

    monkeypatch.setattr(Connection, "connection_made", note_and_make)
    return connections


@contextlib.asynccontextmanager
async def serving(app, counts=None, most=9, per_address=300, proxies=(), timing=PATIENT):
    """Serve an application; return a function that opens a connection to it."""
    visitors = Visitors(TrustedProxies(map(ip_network, proxies)), per_address)
    sockets = await bind("127.0.0.1", 0)
    host, port = sockets[0].getsockname()
    async with running_http_server(app, sockets, counts or SiteCounts(), most, visitors, timing):
        yield lambda: asyncio.open_connection(host, port)


async def read_all(reader):
    """Return everything up to the end of the connection."""
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionResetError):
            return await reader.read()
    return b""


async def ask(connection):
    """Send a request and return the first line of the answer; empty if the connection is lost."""
    reader, writer = connection
    writer.write(REQUEST)
    async with asyncio.timeout(PATIENCE):
        line = await reader.readline()
        if line:
            await reader.readuntil(b"5" * 10)
    return line


async def test_request_ends_when_client_leaves():
    app, counts = Endless(), SiteCounts()
    async with serving(app, counts) as connect:
        _, writer = await connect()
        writer.write(REQUEST)
        await app.begun.wait()
        await loop_turns(20)
        assert not app.ended.is_set()
        writer.close()
        async with asyncio.timeout(PATIENCE):
            await app.ended.wait()
    assert not counts.statuses


async def test_request_is_answered_on_open_connection():
    async with serving(answer) as connect:
        reader, writer = await connect()
        for _ in range(2):
            writer.write(REQUEST)
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                assert await reader.readexactly(10) == b"5" * 10
            assert head.startswith(b"HTTP/1.1 200 ")
            assert b"server:" not in head
        writer.close()


async def test_too_long_request_ends_connection():
    async with serving(answer) as connect:
        reader, writer = await connect()
        writer.write(b"GET / HTTP/1.1\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(64):
                writer.write(b"X: " + b"x" * (MAX_REQUEST_BYTES // 8) + b"\r\n")
                await writer.drain()
                await loop_turns()
        assert b"HTTP/1.1 200 " not in await read_all(reader)
        writer.close()


async def test_unfinished_request_ends_connection(connections):
    async with serving(answer) as connect:
        reader, writer = await connect()
        writer.write(REQUEST[:-2])
        await until(lambda: connections and connections[0].received > len(REQUEST[:-2]))
        connections.check()
        assert await read_all(reader) == b""
        writer.close()


async def test_silent_connections_are_ended():
    """Connections that ask for nothing end by themselves."""
    async with serving(answer, timing=Timing(site_check_seconds=0.02)) as connect:
        silent = [await connect() for _ in range(2)]
        assert [await read_all(reader) for reader, _ in silent] == [b"", b""]
        for _, each in silent:
            each.close()


async def test_silent_connections_keep_no_others_out(connections):
    async with serving(answer, most=2) as connect:
        silent = [await connect() for _ in range(2)]
        await until(lambda: len(connections) == 2)
        connections.check()
        connections.check()
        assert [await read_all(reader) for reader, _ in silent] == [b"", b""]
        late = await connect()
        assert (await ask(late)).startswith(b"HTTP/1.1 200 ")
        for _, each in (*silent, late):
            each.close()


async def test_connection_that_has_asked_may_rest(connections):
    """The control of the tests above: between two requests a connection stays open."""
    async with serving(answer) as connect:
        client = await connect()
        for _ in range(2):
            assert (await ask(client)).startswith(b"HTTP/1.1 200 ")
            for _ in range(3):
                connections.check()
        client[1].close()


async def test_client_that_takes_nothing_is_disconnected(connections):
    async with serving(send_much) as connect:
        reader, writer = await connect()
        writer.transport.pause_reading()
        writer.write(REQUEST)
        await connections.writes()
        await until(connections.check_until_closed)
        writer.transport.resume_reading()
        assert len(await read_all(reader)) < MUCH
        writer.close()


async def test_reader_of_a_stream_who_falls_behind_is_cut_off_and_another_is_not():
    connections = asyncio.Queue()

    async def stream(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        connections.put_nowait(scope["state"]["connection"])
        await receive()
        await receive()

    async with serving(stream) as connect, asyncio.timeout(PATIENCE):
        _, slow_writer = await connect()
        slow_writer.transport.pause_reading()
        slow_writer.write(REQUEST)
        slow = await connections.get()
        fast_reader, fast_writer = await connect()
        fast_writer.write(REQUEST)
        fast = await connections.get()
        await fast_reader.readuntil(b"begun\r\n")
        chunk = b":" * 1_000
        while not slow.transport.is_closing():  # the kernel takes some megabytes
            slow.write_chunk(chunk)
            fast.write_chunk(chunk)
            assert await fast_reader.readexactly(1_007) == b"3e8\r\n" + chunk + b"\r\n"
        assert not fast.transport.is_closing()
        slow.write_chunk(chunk)  # to no effect
        slow_writer.close()
        fast_writer.close()


async def test_those_for_whom_most_waits_leave_when_much_waits_for_all(monkeypatch):
    """The kernel takes some bytes of each, which is not counted."""
    monkeypatch.setattr(http_server, "MAX_ALL_UNSENT_BYTES", most := 8 << 20)
    released, opened = [], asyncio.Queue()
    monkeypatch.setattr(http_server.ctypes, "CDLL", lambda _: SimpleNamespace(malloc_trim=released.append))

    async def stream(scope, receive, send):
        connection = scope["state"]["connection"]
        connection.begin_stream()
        own = connection.transport.get_extra_info("socket")
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 2 * http_server.STREAM_BUFFER_BYTES
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        opened.put_nowait(connection)
        await receive()
        await receive()

    hasty = replace(PATIENT, memory_release_seconds=0)
    async with serving(stream, most=99, timing=hasty) as connect, asyncio.timeout(PATIENCE):
        streams, writers = [], []
        for _ in range(40):
            _, writer = await connect()
            writer.transport.pause_reading()
            writer.write(REQUEST)
            streams.append(await opened.get())
            writers.append(writer)
        reader, writer = await connect()
        writer.write(REQUEST)
        reading = await opened.get()
        await reader.readuntil(b"begun\r\n")
        chunk = b":" * 10_000
        peak, before = 0, {}
        while len(left := [each for each in streams if not each.transport.is_closing()]) > 20:
            before = {each: each.unsent for each in left}
            for number, each in enumerate(left):
                each.write_chunk(chunk * (1 + number % 2))  # for half of them, twice as much waits
            reading.write_chunk(chunk)
            assert await reader.readexactly(10_008) == b"2710\r\n" + chunk + b"\r\n"
            peak = max(peak, sum(each.unsent for each in left))
        gone = [before[each] for each in before if each not in left]
        assert min(gone) >= max(before[each] for each in left) - 2 * len(chunk)
        assert most / 2 < peak <= most
        await until(lambda: released)  # memory goes back to the system
        assert not reading.transport.is_closing()
        for each in (*writers, writer):
            each.close()


async def test_stream_that_is_not_read_ends(connections):
    ended = asyncio.Event()

    async def events():
        try:
            while True:
                yield b":" * (1 << 20)
                await loop_turns()
        finally:
            ended.set()

    async def stream(scope, receive, send):
        await StreamingResponse(events())(scope, receive, send)

    async with serving(stream) as connect, asyncio.timeout(PATIENCE):
        _, writer = await connect()
        writer.transport.pause_reading()
        writer.write(REQUEST)
        await connections.writes()
        await until(connections.check_until_closed)
        await ended.wait()
        writer.close()


async def test_flood_of_requests_sent_at_once_ends_connection():
    async with serving(answer) as connect:
        reader, writer = await connect()
        writer.write(MANY)
        assert (await read_all(reader)).count(b"HTTP/1.1 ") < MANY.count(b"GET")
        writer.close()


class TestControls:
    """Without the limits each of these attacks succeeds."""

    @pytest.fixture(autouse=True)
    def _unlimited(self, monkeypatch):
        monkeypatch.setattr(http_server, "MAX_REQUEST_BYTES", 1 << 60)

    @pytest.mark.parametrize("begun", [0, 5])
    async def test_slow_client_stays(self, connections, begun):
        async with serving(answer) as connect:
            reader, writer = await connect()
            writer.write(REQUEST[:begun])
            await until(lambda: connections and connections[0].received > begun)
            writer.write(REQUEST[begun:])
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            writer.close()

    async def test_client_that_takes_nothing_stays(self, connections):
        async with serving(send_much) as connect:
            reader, writer = await connect()
            writer.transport.pause_reading()
            writer.write(REQUEST)
            await connections.writes()
            writer.transport.resume_reading()
            async with asyncio.timeout(PATIENCE):
                await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(MUCH)
            writer.close()

    async def test_flood_of_requests_sent_at_once_is_answered(self):
        async with serving(answer) as connect:
            reader, writer = await connect()
            writer.write(MANY)
            async with asyncio.timeout(PATIENCE):
                for _ in range(MANY.count(b"GET")):
                    await reader.readuntil(b"5" * 10)
            writer.close()

    async def test_long_request_is_answered(self):
        async with serving(answer) as connect:
            reader, writer = await connect()
            writer.write(REQUEST[:-2] + b"X: " + b"x" * MAX_REQUEST_BYTES + b"\r\n\r\n")
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            writer.close()


async def test_full_site_drops_slowest_connection_of_largest_crowd(monkeypatch):
    """The second address has more connections; its oldest connection has asked again, so it is not the slowest."""
    peers = iter([*["192.0.2.1", "2001:db8::/64"] * 2, *["2001:db8::/64"] * 2, "198.51.100.1"])
    counts = SiteCounts()
    async with serving(answer, counts, most=6) as connect:
        monkeypatch.setattr(TrustedProxies, "counted_peer", lambda self, peer: next(peers))
        connections = []
        for _ in range(6):
            connections.append(await connect())
            assert (await ask(connections[-1])).startswith(b"HTTP/1.1 200 ")
        assert await ask(connections[1])
        late = await connect()
        assert (await ask(late)).startswith(b"HTTP/1.1 200 ")
        assert await read_all(connections[3][0]) == b""
        others = [each for each in connections if each is not connections[3]]
        assert all([await ask(each) for each in others])
        assert (counts.connections, counts.refused_connections) == (6, 1)
        for _, writer in (*connections, late):
            writer.close()


async def test_networks_have_limits_of_their_own(monkeypatch):
    """A network of 48 bits has four times as many connections as an address."""
    peers = iter([f"2001:db8:0:{number:x}::/64" for number in range(5)])
    counts = SiteCounts()
    async with serving(answer, counts, most=9, per_address=1) as connect:
        monkeypatch.setattr(TrustedProxies, "counted_peer", lambda self, peer: next(peers))
        connections = [await connect() for _ in range(5)]
        assert await read_all(connections[4][0]) == b""
        assert all([await ask(each) for each in connections[:4]])
        for _, writer in connections:
            writer.close()


FROM = b"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %b\r\n\r\n"


async def status(connection, request):
    """Send a request and return the status of the answer, whose body is left."""
    reader, writer = connection
    writer.write(request)
    async with asyncio.timeout(PATIENCE):
        line = await reader.readline()
    return int(line.split()[1])


@pytest.mark.parametrize("proxies", [["127.0.0.1"], []], ids=["trusted", "control"])
async def test_visitors_behind_a_proxy_have_requests_of_their_own(proxies):
    """One who fills what is theirs is told so, and keeps nobody out. A proxy that is not trusted names no visitor."""
    begun, leave = [], asyncio.Event()

    async def wait(scope, receive, send):
        begun.append(scope)
        await leave.wait()
        await answer(scope, receive, send)

    async def app(scope, receive, send):
        await (wait if scope["path"] == "/wait" else answer)(scope, receive, send)

    counts = SiteCounts()
    async with serving(app, counts, most=20, per_address=2, proxies=proxies) as connect:
        held = [await connect() for _ in range(2)]
        for _, writer in held:
            writer.write(FROM.replace(b"/ ", b"/wait ", 1) % b"192.0.2.7")
        await until(lambda: len(begun) == 2)
        others = [await connect() for _ in range(3)]
        # the entry that the proxy has added counts, not what the visitor wrote
        forged = b"198.51.100.1, 192.0.2.7"

        assert await status(others[0], FROM % forged) == (429 if proxies else 200)
        assert await status(others[1], FROM % b"192.0.2.8") == 200
        assert await status(others[2], REQUEST) == 200
        leave.set()
        for reader, _ in held:
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        later = await connect()
        assert await status(later, FROM % b"192.0.2.7") == 200
        assert counts.statuses == ({429: 1} if proxies else {})
        for _, writer in (*held, *others, later):
            writer.close()


async def test_connections_per_address_are_bounded(monkeypatch):
    """Connections from this machine are not counted by address, so the second server takes them for strangers."""
    async with serving(answer, per_address=1) as connect:
        first, second = await connect(), await connect()
        for reader, writer in (first, second):
            writer.write(REQUEST)
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        counts = SiteCounts()
        monkeypatch.setattr(TrustedProxies, "counted_peer", lambda self, peer: peer)
        async with serving(answer, counts, per_address=1) as connect_as_stranger:
            kept, refused = await connect_as_stranger(), await connect_as_stranger()
            assert await read_all(refused[0]) == b""
            assert counts.refused_connections == 1
            kept[1].write(REQUEST)
            async with asyncio.timeout(PATIENCE):
                assert (await kept[0].readline()).startswith(b"HTTP/1.1 200 ")
            for _, writer in (first, second, kept, refused):
                writer.close()


@pytest.mark.parametrize("sizes", [[1], [7, 300], [10_000]])
async def test_requests_sent_at_once_are_answered_in_order(sizes):
    """Whatever the pieces in which they arrive; the bodies that come with some are skipped."""

    async def echo(scope, receive, send):
        await Response(scope["path"], media_type="text/plain")(scope, receive, send)

    bodies = [b"", b"x" * 700]
    sent = b"".join(
        b"GET /%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (number, len(body), body)
        for number, body in enumerate(bodies * 10)
    )
    async with serving(echo) as connect:
        reader, writer = await connect()
        begin, step = 0, 0
        while begin < len(sent):
            writer.write(sent[begin : begin + sizes[step % len(sizes)]])
            begin, step = begin + sizes[step % len(sizes)], step + 1
            if step % 50 == 0:
                await loop_turns()
        for number in range(2 * 10):
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200 ")
                expected = b"/%d" % number
                assert await reader.readexactly(len(expected)) == expected
        writer.close()


async def test_endless_answer_does_not_delay_end():
    app = Endless()
    async with asyncio.timeout(PATIENCE):
        async with serving(app, timing=replace(PATIENT, site_close_seconds=0.05)) as connect:
            reader, writer = await connect()
            writer.write(REQUEST)
            await app.begun.wait()
        assert b"200" not in await read_all(reader)
        writer.close()


def test_client_that_reads_nothing_fails_no_request(connections):
    """The second of three requests waits for space; uvicorn tells only the last one of the end of the connection."""
    uvloop = pytest.importorskip("uvloop")  # asyncio ignores what is written to a closed transport
    ended = []

    async def note_end(scope, receive, send):
        try:
            await send_much(scope, receive, send)
            ended.append(None)
        except Exception as error:
            ended.append(error)
            raise

    async def read_nothing():
        async with serving(note_end) as connect, asyncio.timeout(PATIENCE):
            _, writer = await connect()
            writer.write(3 * REQUEST)
            await connections.writes()
            await until(lambda: connections.check() or len(ended) >= 2)
            writer.close()

    uvloop.run(read_nothing())
    assert ended[:2] == [None, None]


async def test_malformed_request_is_refused_without_log(caplog):
    async with serving(answer) as connect:
        reader, writer = await connect()
        writer.write(b"\x16\x03\x01 nonsense\r\n\r\n")
        head, _, body = (await read_all(reader)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert body
        writer.close()
    assert caplog.records == []


async def test_malformed_body_is_no_failure(caplog):
    """It may arrive before, during or after the response."""
    failures, head, malformed = [], REQUEST[:-2] + b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n"
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
    endless = Endless()
    for app in (answer, endless):
        async with serving(app) as connect:
            for is_later in (False, True):
                reader, writer = await connect()
                endless.begun.clear()
                writer.write(head if is_later else head + malformed)
                if is_later:
                    async with asyncio.timeout(PATIENCE):
                        await (endless.begun.wait() if app is endless else reader.readuntil(b"5" * 10))
                    writer.write(malformed)
                await read_all(reader)
                writer.close()
    gc.collect()
    assert (failures, caplog.records) == ([], [])


async def test_connections_and_refusals_are_counted():
    async def refuse(scope, receive, send):
        await Response(status_code=int(scope["path"][1:]))(scope, receive, send)

    counts = SiteCounts()
    async with serving(refuse, counts) as connect:
        (reader, writer), (_, other) = await connect(), await connect()
        for status in (200, 304, 404):
            writer.write(REQUEST.replace(b"/ ", b"/%d " % status, 1))
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 %d " % status)
        assert counts == SiteCounts(connections=2, statuses=Counter({404: 1}))
        other.close()
        await until(lambda: counts.connections == 1)
        writer.close()
    assert counts.connections == 0


async def test_bind_refuses_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match=os.strerror(errno.EADDRINUSE)):
        await bind("127.0.0.1", taken.getsockname()[1])


async def test_bind_takes_same_port_for_each_address():
    sockets = await bind("localhost", 0)
    try:
        assert len({each.getsockname()[1] for each in sockets}) == 1
    finally:
        for each in sockets:
            each.close()
