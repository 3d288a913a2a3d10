"""Crowds of attackers on plain sockets, each with its own address, which it claims in `X-Forwarded-For`.

All connections come from loopback, so the attacked servers trust loopback as a proxy.
"""

import contextlib
import json
import socket
from urllib.parse import urlsplit

from support.patience import PATIENCE
from support.raw_sockets import PING, PONG, TEXT, frame

TRUSTING = {"trusted_proxies": "127.0.0.0/8"}
"""The setting with which a server believes the addresses that a crowd claims."""
UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)


class Attacker:
    """A connection that sends a request as the client with the given address, and then WebSocket frames.

    ``status`` is the HTTP status of the answer to the request, and ``body`` is its text. ``is_in`` is True if the
    connection has become a WebSocket.
    """

    def __init__(self, url, address="192.0.2.1", headers=""):
        self._url = urlsplit(url)
        self.socket = socket.create_connection((self._url.hostname, self._url.port), PATIENCE)
        self._received = b""
        forwarded = f"X-Forwarded-For: {address}\r\n" if address else ""
        host = "" if "Host:" in headers else f"Host: {self._url.netloc}\r\n"
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(f"GET /v1 HTTP/1.1\r\n{host}{forwarded}{headers}{UPGRADE}\r\n".encode())
        head, self.body = self._read_head()
        self.status = int(head.split()[1]) if head else None
        self.is_in = self.status == 101

    def _read_head(self):
        while b"\r\n\r\n" not in self._received and self._read():
            pass
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        if b" 101 " in head or not head:
            return head, ""
        while self._read():
            pass
        return head, self._received.decode()

    def _read(self):
        try:
            more = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self._received += more
        return bool(more)

    def say(self, **message):
        """Send a message."""
        self.socket.sendall(frame(TEXT, json.dumps(message).encode()))

    def ask(self, **message):
        """Send a message and return the next one that arrives."""
        self.say(**message)
        return self.hear()

    def hear(self, *types):
        """Return the next message, or with ``types`` the next one of these types.

        Return None if the server closes the connection.
        """
        while True:
            while (payload := self._next_payload()) is None:
                if not self._read():
                    return None
            if payload[0] & 15 == PING:  # a server asks now and then whether its clients are there
                with contextlib.suppress(ConnectionError):
                    self.socket.sendall(frame(PONG, payload[1:]))
                continue
            if payload[0] & 15 != TEXT:
                return None
            message = json.loads(payload[1:])
            if not types or message["type"] in types:
                return message

    def hello(self, **fields):
        """Send `hello` as a guest; ``fields`` may give a name and a kind, or a token."""
        return self.ask(type="hello", client={"name": "crowd", "version": "1"}, **fields)

    def close(self):
        """Cut the connection."""
        self.socket.close()

    def _next_payload(self):
        """Return the first byte of the next frame and its payload, or None if the frame has not fully arrived."""
        data = self._received
        if len(data) < 4:
            return None
        size, start = (data[1], 2) if data[1] < 126 else (int.from_bytes(data[2:4]), 4)
        if len(data) < start + size:
            return None
        self._received = data[start + size :]
        return data[:1] + data[start : start + size]
