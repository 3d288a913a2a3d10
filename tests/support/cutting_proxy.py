"""A way to a PostgreSQL server that cuts a connection before a batch of a node arrives, or before its answer does."""

import asyncio
import contextlib
from pathlib import Path

BATCH = b"WITH me AS MATERIALIZED"
"""Where a node writes; what it sends on this connection later are batches and signs of life."""


class CuttingProxy:
    """A socket in ``folder`` that leads to the one in the folder of a cluster."""

    def __init__(self, folder, cluster):
        self.folder = Path(folder)
        self._target = f"{cluster}/.s.PGSQL.5432"
        self._armed, self._is_cut = None, asyncio.Event()
        self._tasks = set()

    async def __aenter__(self):
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o755)
        self._server = await asyncio.start_unix_server(self._serve, self.folder / ".s.PGSQL.5432")
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for each in self._tasks:
            each.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def cut(self, when):
        """Cut the connection at the next batch, ``"before"`` it or ``"after"`` it is stored; return when it is cut."""
        self._armed = when
        self._is_cut.clear()
        await self._is_cut.wait()

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.CancelledError):
            up, down = await asyncio.open_unix_connection(self._target)
            with contextlib.closing(down):
                pumps = [
                    asyncio.create_task(each) for each in (self._ask(reader, down), self._answer(up, writer, down))
                ]
                try:
                    await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for each in pumps:
                        each.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        self._tasks.discard(asyncio.current_task())

    async def _ask(self, reader, down):
        has_batches = False
        while data := await reader.read(1 << 16):
            has_batches = has_batches or BATCH in data
            if has_batches and self._armed == "before":
                self._cut()
                return
            if has_batches and self._armed == "after":
                self._armed = down
            down.write(data)
            await down.drain()

    async def _answer(self, up, writer, down):
        while data := await up.read(1 << 16):
            if self._armed is down:
                self._cut()
                return
            writer.write(data)
            await writer.drain()

    def _cut(self):
        self._armed = None
        self._is_cut.set()
