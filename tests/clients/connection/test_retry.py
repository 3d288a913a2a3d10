from random import Random

from evilpegs_clients.connection.retry import Backoff


def test_backoff_delays_double_up_to_bound():
    delays = list(Backoff(first=1, longest=8, attempts=6).delays(Random(3)))
    for delay, bound in zip(delays, [1, 2, 4, 8, 8, 8], strict=True):
        assert bound / 2 <= delay <= bound


def test_backoff_differs_between_clients():
    assert list(Backoff().delays(Random(1))) != list(Backoff().delays(Random(2)))
