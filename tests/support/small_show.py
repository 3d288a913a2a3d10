"""A show process that shows nothing: it says that it is alive until its server wants its end, and starts at once.

python -m support.small_show FD

It stays in a snapshot of the database that READ_DATABASE names.
"""

import os
import pickle
import select
import socket
import sqlite3
import struct
import sys

LENGTH = struct.Struct("!I")
ALIVE = pickle.dumps("alive")
END = pickle.dumps(None, pickle.HIGHEST_PROTOCOL)


def main(connection):
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    while True:
        connection.sendall(LENGTH.pack(len(ALIVE)) + ALIVE)
        if waiting.poll(10):
            length = connection.recv(LENGTH.size, socket.MSG_WAITALL)
            if not length or connection.recv(*LENGTH.unpack(length), socket.MSG_WAITALL) == END:
                return


if __name__ == "__main__":
    if file := os.environ.get("READ_DATABASE"):
        reader = sqlite3.connect(file, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM players").fetchall()
    main(socket.socket(fileno=int(sys.argv[1])))
