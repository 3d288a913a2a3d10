"""A light WebSocket load of many connections, which answer every `turn` with a guess.

The client is a bare asyncio protocol that looks at frames only as far as it must, so that what is measured is the
server. Against the echo server the same frames are sent and the same number of bytes comes back.
"""

import asyncio
import base64
import json
import os
import random
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

WARM_UP_SECONDS = 1.5
GUESSES = ["1122", "3344", "5566", "1212", "3434", "5656", "1234", "3456", "5612", "1111"]


@dataclass
class Load:
    """The state that all connections of a run share.

    ``pause`` is the mean time between answer and next guess in seconds, spread so that connections do not fall into
    step. With ``together``, nobody plays before all are welcome.
    """

    url: str
    connections: int
    pause: float = 0.0
    name: str = "load"
    ladder: str = "classic"
    together: bool = False
    welcome: list["Player"] = field(default_factory=list)
    complete: asyncio.Event = field(default_factory=asyncio.Event)
    counting: bool = False
    answered: int = 0
    latencies: list[float] = field(default_factory=list)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition of this load, which has no events: a busy machine answers nothing in a short run."""
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class Player(asyncio.Protocol):
    """One connection that plays for ever."""

    def __init__(self, load: Load, number: int) -> None:
        self.load, self.number = load, number
        self.buffer = b""
        self.open = False
        self.match, self.game, self.turn = "", 0, 0
        self.sent_at = 0.0

    def connection_made(self, transport):
        self.transport = transport
        address = urlsplit(self.load.url)
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data):
        self.buffer += data
        if not self.open:
            if b"\r\n\r\n" not in self.buffer:
                return
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            if b" 101 " not in head.splitlines()[0]:
                raise SystemExit(head.decode())
            self.open = True
            self.say(
                type="hello",
                client={"name": "load", "version": "1"},
                name=f"{self.load.name}{self.number:04}",
                kind="bot",
            )
        while len(self.buffer) >= 2:
            size, start = self.buffer[1], 2
            if size == 126:
                if len(self.buffer) < 4:
                    return
                size, start = struct.unpack("!H", self.buffer[2:4])[0], 4
            if len(self.buffer) < start + size:
                return
            opcode, frame = self.buffer[0] & 15, self.buffer[start : start + size]
            self.buffer = self.buffer[start + size :]
            if opcode == 9:
                self.transport.write(bytes([0x8A, 0x80 | len(frame)]) + b"\0\0\0\0" + frame)
            elif opcode == 1:
                self.take(frame)

    def take(self, frame):
        if b'"type":"turn"' in frame:
            self.turn_came(frame)
        elif b'"type":"game_started"' in frame:
            event = json.loads(frame)
            self.match, self.game = event["match"], event["game"]
            self.say(type="ready", match=self.match, game=self.game)
        elif b'"type":"welcome"' in frame:
            self.welcomed()
        elif b'"type":"match_over"' in frame:
            self.play()
        elif b'"type":"game_over"' in frame:
            self.count()
        elif b'"type":"error"' in frame:
            raise SystemExit(frame.decode())

    def welcomed(self):
        load = self.load
        load.welcome.append(self)
        if len(load.welcome) == load.connections:
            load.complete.set()
            for player in load.welcome if load.together else ():
                player.play()
        if not load.together:
            self.play()

    def play(self):
        self.say(type="play", ladder=self.load.ladder)

    def turn_came(self, frame):
        number = int(frame.split(b'"turn":')[1].split(b",")[0].strip(b"}"))
        if number > 1:
            self.count()
        self.turn = number
        if self.load.pause:
            asyncio.get_running_loop().call_later(random.expovariate(1 / self.load.pause), self.guess)
        else:
            self.guess()

    def count(self):
        if self.load.counting:
            self.load.answered += 1
            self.load.latencies.append(time.perf_counter() - self.sent_at)

    def guess(self):
        code = self.code()
        self.sent_at = time.perf_counter()
        self.write(
            f'{{"type":"guess","match":"{self.match}","game":{self.game},"turn":{self.turn},"code":"{code}"}}'.encode()
        )

    def code(self):
        return GUESSES[self.turn - 1]

    def say(self, **message):
        self.write(json.dumps(message).encode())

    def write(self, payload):
        if self.transport.is_closing():
            return
        header = (
            bytes([0x81, 0x80 | len(payload)]) if len(payload) < 126 else struct.pack("!BBH", 0x81, 0xFE, len(payload))
        )
        self.transport.write(header + b"\0\0\0\0" + payload)  # a mask of zeros changes nothing


async def run(load, seconds, player=Player):
    """Play for ``seconds`` after a warm-up, and until an answer counts.

    Return answers per second and the sorted latencies in milliseconds.
    """
    address = urlsplit(load.url)
    loop = asyncio.get_running_loop()
    transports = []
    for number in range(load.connections):
        transport, _ = await loop.create_connection(
            lambda number=number: player(load, number), address.hostname, address.port
        )
        transports.append(transport)
    if load.together:
        await load.complete.wait()
    await asyncio.sleep(min(WARM_UP_SECONDS, seconds))
    load.counting, began = True, time.perf_counter()
    await asyncio.sleep(seconds)
    await load.until(lambda: load.latencies)
    elapsed, load.counting = time.perf_counter() - began, False
    for transport in transports:
        transport.close()
    await asyncio.sleep(0.1)
    return load.answered / elapsed, sorted(1000 * each for each in load.latencies)
