"""Start servers by forking this process, which has imported what they need, so that they start at once.

    python forking_server.py FD

Each message on the socket FD asks for one. It comes with two descriptors for standard output and errors of the server,
and one to which its process id is written and, when it has ended, its exit status. A server that no program of a test
starts has threads instead of a worker process.
"""

import json
import os
import runpy
import signal
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import evilpegs.commands.leaderboard
import evilpegs.commands.players
import evilpegs.commands.replay
import evilpegs.commands.serve  # noqa: F401
import evilpegs_server.feed.feed  # noqa: F401
from evilpegs.main import main
from evilpegs_game.rules import Rules
from evilpegs_server import server
from evilpegs_server.work.tasks import WarmUp
from support.local_worker import LocalWorker
from support.workspaces import new_workspace


def serve(output, errors, program, arguments, environment, folder):
    """Become a server."""
    for number, descriptor in ((1, output), (2, errors)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if program is None:
        server.WorkerProcess = LocalWorker
        sys.exit(main(arguments))
    sys.argv, sys.path[0] = [program, *arguments], str(Path(program).parent)
    runpy.run_path(program, run_name="__main__")


def watch(output, errors, status, request):
    """Start a server and report its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if not (pid := os.fork()):
        os.close(status)
        serve(output, errors, **request)
        sys.exit()
    os.close(output)
    os.close(errors)
    os.write(status, f"{pid}\n".encode())
    os.write(status, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    WarmUp(Rules(4, 6), 3).run(new_workspace())
    requests = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who watch
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, 1 << 20, 3)
        if not message:
            break
        if not os.fork():
            requests.close()
            watch(*descriptors, json.loads(message))
        for each in descriptors:
            os.close(each)
