"""An attacker in a process of its own: flood a server over loopback for some seconds, and connect again when closed.

    python flooder.py URL KIND SECONDS

At the end it prints a JSON document: the connections it opened and the bytes it sent.
"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.raw_sockets import CONT, HELLO, PING, PONG, TEXT, RawSocket, frame, text

MAX_BYTES = 1 << 30
"""The number of bytes after which a flood ends early."""
CHUNKS = {
    "empty pings": frame(PING) * 10_000,
    "pings": frame(PING, b"x" * 125) * 500,
    "pongs": frame(PONG) * 10_000,
    "fragments": frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 10_000,
    "messages": text(type="ping", c=1) * 2_000,
}


def flood(url, kind, seconds):
    """Flood until the time is over. The flooder reads nothing."""
    connections = sent = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and sent < MAX_BYTES:
        with RawSocket(url) as attacker:
            connections += 1
            attacker.socket.settimeout(0.2)
            attacker.send(HELLO)
            try:
                while time.monotonic() < end and sent < MAX_BYTES and attacker.send(CHUNKS[kind]):
                    sent += len(CHUNKS[kind])
            except TimeoutError:
                pass
    return {"connections": connections, "bytes": sent}


if __name__ == "__main__":
    print(json.dumps(flood(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
