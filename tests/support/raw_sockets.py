"""Blocking WebSocket clients on plain sockets, which send arbitrary bytes and read only when a test wants it."""

import base64
import contextlib
import json
import os
import socket
import struct
from urllib.parse import urlsplit

from support.patience import PATIENCE

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


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


class RawSocket:
    """A client after its handshake; it is closed at the end of a `with` block.

    With ``small`` its receive buffer has only a few KiB, so that it is soon full.
    """

    def __init__(self, url, *, small=False):
        address = urlsplit(url)
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((address.hostname, address.port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head, self._received = b"", b""
        while b"\r\n\r\n" not in head:
            more = self.socket.recv(65536)
            assert more, head
            head += more
        head, self._received = head.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.splitlines()[0], head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Send bytes; return False if the server has closed the connection."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def frames(self):
        """Yield the opcode and the payload of every frame until the server closes the connection."""
        while True:
            while (parsed := self._parse()) is not None:
                yield parsed
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionResetError:
                return
            if not more:
                return
            self._received += more

    def message(self, *types):
        """Return the next message that has one of these types."""
        for opcode, payload in self.frames():
            if opcode == TEXT and (message := json.loads(payload))["type"] in types:
                return message
        raise AssertionError(types)

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
