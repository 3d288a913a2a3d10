"""Start a server for each database that is named on standard input, by forking this process.

This process has imported everything that the servers need, so they start at once.
"""

import os
import sys

import evilpegs_server.server  # noqa: F401
from evilpegs.main import main

for line in sys.stdin:
    pid = os.fork()
    if not pid:
        print(f"forked {os.getpid()}", flush=True)
        sys.exit(main(["serve", "--no-site", "--port", "0", "--database", line.strip()]))
    _, status = os.waitpid(pid, 0)
    print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)
