from random import Random

from evilpegs_protocol.backoff import Backoff


def test_delays_double_up_to_bound():
    backoff, rng = Backoff(first=1.0, longest=8.0), Random(3)
    for failures, bound in enumerate([1, 2, 4, 8, 8, 8]):
        assert bound / 2 <= backoff.delay(failures, rng) <= bound
    assert backoff.delay(10**6, rng) <= 8


def test_delays_differ_between_clients():
    assert Backoff(1.0, 8.0).delay(0, Random(1)) != Backoff(1.0, 8.0).delay(0, Random(2))
