"""A server in a process of its own that is killed and starts again with the same database and the same ports."""

import contextlib
import os
import subprocess
import sys


class RestartingServer:
    """A server on free ports; if it is started again after `kill`, it uses the same ports.

    ``site_url`` is the address of the page.
    """

    def __init__(self, database):
        self._database = database
        self._ports = ("0", "0")
        self._process = None
        self.site_url = ""

    def start(self):
        """Start the server, and wait until both of its ports are open."""
        port, site_port = self._ports
        command = [sys.executable, "-m", "evilpegs", "serve", "--database", self._database]
        command += ["--port", port, "--site-port", site_port]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )
        game_url = self._read_address("ws://")
        self.site_url = self._read_address("http://")
        self._ports = (game_url.rpartition(":")[2].partition("/")[0], self.site_url.rpartition(":")[2].strip("/"))

    def kill(self):
        """Kill the process, so that it cannot do anything before its end."""
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def _read_address(self, scheme):
        for line in self._process.stdout:
            if scheme in line:
                return line.split()[-1]
        message = f"the server ended with status {self._process.wait()}"
        raise RuntimeError(message)


@contextlib.contextmanager
def restarting_server(database):
    """Run a server during the block and yield it; after the block it has ended."""
    server = RestartingServer(database)
    server.start()
    try:
        yield server
    finally:
        server.kill()
