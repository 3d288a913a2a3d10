"""What the server as a whole does at its end."""

from contextlib import ExitStack
from threading import Event, Timer

from evilpegs_server.service import _pool


def test_at_the_end_a_pool_finishes_what_it_is_at_and_drops_what_waits():
    began, go = Event(), Event()

    def work():
        began.set()
        return go.wait(10)

    with ExitStack() as stack:
        pool = _pool(stack, "test", 1)
        working = pool.submit(work)
        waiting = [pool.submit(int) for _ in range(50)]
        assert began.wait(10)
        Timer(0.05, go.set).start()
    assert working.result(0) is True
    assert all(each.cancelled() for each in waiting)
