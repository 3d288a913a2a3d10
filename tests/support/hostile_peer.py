"""A hostile peer: a blocking WebSocket client on a plain socket that sends any bytes and reads when a test wants it.

All of them connect from loopback, so an attacked server trusts loopback as a proxy where addresses matter.
"""

import contextlib
import json
import socket
import struct
from urllib.parse import urlsplit

from support.patience import PATIENCE

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
TRUSTING = {"trusted_proxies": "127.0.0.0/8"}
"""The setting with which a server believes the addresses that peers claim."""
UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def frame(opcode, payload=b"", *, fin=True, reserved=0):
    """Return a WebSocket frame as a client sends it; its mask consists of zeros, which changes nothing."""
    head = (0x80 if fin else 0) | reserved << 4 | opcode
    size = len(payload)
    if size < 126:
        return bytes((head, 0x80 | size)) + b"\0\0\0\0" + payload
    if size < 1 << 16:
        return struct.pack("!BBH", head, 0xFE, size) + b"\0\0\0\0" + payload
    return struct.pack("!BBQ", head, 0xFF, size) + b"\0\0\0\0" + payload


def text(**message):
    """Return a message of these fields as a text frame."""
    return frame(TEXT, json.dumps(message).encode())


HELLO = text(type="hello", client={"name": "raw", "version": "1"})
CHUNKS = {
    "empty pings": frame(PING) * 10_000,
    "long pings": frame(PING, b"x" * 125) * 500,
    "pongs": frame(PONG) * 10_000,
    "fragments": frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 10_000,
    "messages": text(type="ping", c=1) * 2_000,
}
"""What a flood consists of, by its kind."""


class Peer:
    """A client that has sent its request, with ``address`` in `X-Forwarded-For`; `with` expects that it gets in.

    ``status`` is the HTTP status of the answer, and ``body`` its text. ``is_in`` is True if the connection has become
    a WebSocket. With ``small`` the receive buffer has only a few KiB, so that it is soon full.
    """

    def __init__(self, url, address="192.0.2.1", headers="", *, small=False):
        parts = urlsplit(url)
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((parts.hostname, parts.port))
        self._received = b""
        forwarded = f"X-Forwarded-For: {address}\r\n" if address else ""
        host = "" if "Host:" in headers else f"Host: {parts.netloc}\r\n"
        self.send(f"GET /v1 HTTP/1.1\r\n{host}{forwarded}{headers}{UPGRADE}".encode())
        while b"\r\n\r\n" not in self._received and self._read():
            pass
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        self.status, self.body = int(head.split()[1]) if head else None, ""
        self.is_in = self.status == 101
        if head and not self.is_in:
            self.body = self.read_all().decode()

    def __enter__(self):
        assert self.is_in, self.body
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Cut the connection."""
        self.socket.close()

    def send(self, data):
        """Send bytes; return False if the server has closed the connection."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def read_all(self):
        """Return all that comes until the server closes the connection."""
        while self._read():
            pass
        received, self._received = self._received, b""
        return received

    def frames(self):
        """Yield the opcode and the payload of every frame until the server closes the connection."""
        while True:
            while (parsed := self._parse()) is not None:
                yield parsed
            if not self._read():
                return

    def hear(self, *types):
        """Return the next message, or with ``types`` the next one of these types; None at the end of the connection."""
        for opcode, payload in self.frames():
            if opcode == PING:  # a server asks now and then whether its clients are there
                self.send(frame(PONG, payload))
            elif opcode != TEXT:
                return None
            elif (message := json.loads(payload))["type"] in types or not types:
                return message
        return None

    def say(self, **message):
        self.send(text(**message))

    def ask(self, **message):
        """Send a message and return the next one that arrives."""
        self.say(**message)
        return self.hear()

    def hello(self, **fields):
        """Send `hello` as a guest; ``fields`` may give a name and a kind, or a token."""
        return self.ask(type="hello", client={"name": "crowd", "version": "1"}, **fields)

    def rest(self):
        """Read until the server closes the connection; return the number of frames by opcode and the close code."""
        counts, code = dict.fromkeys((CONT, TEXT, BINARY, CLOSE, PING, PONG), 0), None
        for opcode, payload in self.frames():
            counts[opcode] += 1
            if opcode == CLOSE and code is None:
                code = struct.unpack("!H", payload[:2])[0] if payload else 1005
                with contextlib.suppress(OSError):  # a server that was flooded may be gone already
                    self.socket.sendall(frame(CLOSE, payload))
                    self.socket.shutdown(socket.SHUT_WR)
        return counts, code

    def _read(self):
        try:
            more = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return False
        self._received += more
        return bool(more)

    def _parse(self):
        data = self._received
        if len(data) < 2:
            return None
        size, start = data[1], 2
        if size == 126:
            size, start = struct.unpack("!H", data[2:4])[0] if len(data) >= 4 else 1 << 62, 4
        elif size == 127:
            size, start = struct.unpack("!Q", data[2:10])[0] if len(data) >= 10 else 1 << 62, 10
        if len(data) < start + size:
            return None
        self._received = data[start + size :]
        return data[0] & 15, data[start : start + size]
