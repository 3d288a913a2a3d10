"""A show process that shows nothing: it says that it is alive until its server wants its end, and starts at once.

python -m support.small_show FD
"""

import pickle
import select
import socket
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
    main(socket.socket(fileno=int(sys.argv[1])))
