"""The control of test_kill: a server that tells its players first and stores a good while later."""

import threading

from evilpegs.main import main
from evilpegs_server.storage import writer


class ForgetfulWriter(writer.Writer):
    """Says that a match's events are stored, and stores them seconds later."""

    def submit(self, writes, done):
        if any(write.order < 2 for write in writes):
            super().submit(writes, done)
        else:
            self._notify(lambda: done(None))
            timer = threading.Timer(30, super().submit, [writes, lambda error: None])
            timer.daemon = True
            timer.start()


if __name__ == "__main__":
    import evilpegs_server.service

    evilpegs_server.service.Writer = ForgetfulWriter
    main()
