"""The files and servers that the wrong commands in `tests/cli/snapshots/errors.txt` need.

There are unusable files, a busy port, a server without registration, and others.
"""

import asyncio
import shutil
import socket
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.connection.tokens import TokenFile, default_token_file, sole_user
from evilpegs_protocol.client_messages import ClientInfo

OLD_FILES = Path(__file__).parents[1] / "compatibility" / "v0.1.0"
CROWDED = "crowded"
"""The name of the player who has as many open matches as a server allows."""


@contextmanager
def error_surroundings(folder, server, closed_server):
    """Provide what the wrong commands need during the block, and yield the environment variables of the transcript.

    The variables are what differs from run to run: $SERVER and $DATABASE of a running server, $CLOSED, a server without
    registration, and $BUSY, a port that is taken. Files are in ``folder``, and tokens in the user's data directory.
    """
    write_unusable_files(folder)
    with ExitStack() as stack:
        busy = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        variables = {"SERVER": server.url, "DATABASE": server.database, "CLOSED": closed_server.url}
        tokens = TokenFile(default_token_file())
        asyncio.run(fill_open_matches(server.url, tokens))
        stack.enter_context(sole_user(tokens, server.url, CROWDED))
        yield variables | {"BUSY": str(busy.getsockname()[1])}


def write_unusable_files(folder):
    """Write files to ``folder`` that are not what a command expects."""
    (folder / "folder").mkdir()
    (folder / "text.txt").write_text("hello\n")
    (folder / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    (folder / "no_choose.py").write_text("x = 1\n")
    (folder / "wrong.py").write_text("def choose(position, rng)\n")
    (folder / "program").write_text("not executable\n")
    for name, first in (("mybot", "/bin/sh"), ("no_interpreter", "/nope/python"), ("no_env", "/usr/bin/env no-such")):
        (folder / name).write_text(f"#!{first}\n")
        (folder / name).chmod(0o755)
    (folder / "cut.tree").write_text("evilpegs tree 1\nrules 2x2\n11\n")
    shutil.copy(OLD_FILES / "evaluation.journal", folder / "old.journal")
    data = (OLD_FILES / "evilpegs.sqlite3").read_bytes()
    (folder / "damaged.sqlite3").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


async def fill_open_matches(url, tokens):
    """Let the player `CROWDED` begin as many matches as the server allows one player to have open."""
    credentials = Credentials(ClientInfo(name="crowd", version="1"), CROWDED)
    session = PlayerSession(url, credentials, tokens, RetryPolicy(Random(0)), lambda _: None)
    welcome = await session.open()
    try:
        for _ in range(welcome.limits.open_matches - len(welcome.open)):
            await MatchClient.play(session, "classic-practice")
    finally:
        await session.close()
