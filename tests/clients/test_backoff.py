from random import Random

from evilpegs_clients.backoff import Backoff


def test_delays_double_up_to_a_bound_with_jitter():
    delays = list(Backoff(first=1, longest=8, attempts=6).delays(Random(3)))
    for delay, bound in zip(delays, [1, 2, 4, 8, 8, 8], strict=True):
        assert bound / 2 <= delay <= bound


def test_two_clients_are_not_in_step():
    assert list(Backoff().delays(Random(1))) != list(Backoff().delays(Random(2)))
