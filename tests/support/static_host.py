"""A web host that has nothing but files: the one of Python's standard library, in a process of its own."""

import contextlib
import re
import subprocess
import sys


@contextlib.contextmanager
def static_host(folder):
    """Serve the files of a folder on loopback, and yield the address, with a slash at its end."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as host:
        try:
            yield re.search(r"http://[\d.:]+/", host.stdout.readline())[0]
        finally:
            host.terminate()
