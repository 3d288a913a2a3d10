"""The control of test_kill: a server that answers its players before it stores their events."""

import threading

from evilpegs.main import main
from evilpegs_server.storage.log import writer


class ForgetfulWriter(writer.Writer):
    """A writer that reports the events of a match as stored an hour before it stores them."""

    def __init__(self, store, notify, *more, **options):
        super().__init__(store, notify, *more, **options)
        self.notify = notify

    def submit(self, writes, done):
        if any(write.fact == 0 for write in writes):  # of a player
            super().submit(writes, done)
        else:
            self.notify(lambda: done(None))
            timer = threading.Timer(3600, super().submit, [writes, lambda error: None])
            timer.daemon = True
            timer.start()


if __name__ == "__main__":
    import evilpegs_server.server

    evilpegs_server.server.Writer = ForgetfulWriter
    main()
