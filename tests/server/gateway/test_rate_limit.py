"""The rate limit is a token bucket."""

from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.gateway.rate_limit import RateLimit


def test_rate_limit_allows_burst_then_average():
    limit = RateLimit(10, 3, now=0)
    assert [limit.take(0) for _ in range(4)] == [0, 0, 0, 100]
    assert limit.take(99) == 1
    assert limit.take(100) == 0
    assert limit.take(100) == 100


def test_rest_refills_no_further_than_burst():
    limit = RateLimit(10, 2, now=0)
    assert [limit.take(10**9) for _ in range(3)] == [0, 0, 100]


def test_expensive_request_waits_for_its_price():
    limit = RateLimit(10, 20, now=0)
    assert [limit.take(0, 10), limit.take(0, 10), limit.take(0, 10)] == [0, 0, 1000]
    assert limit.take(500, 10) == 500
    assert limit.take(500, 5) == 0
    assert limit.take(1500, 10) == 0


def test_price_above_burst_can_be_paid():
    limit = RateLimit(1, 2, now=0)
    assert [limit.take(0, 10), limit.take(0, 10), limit.take(2000, 10)] == [0, 2000, 0]


def test_refused_count_falls_with_accepted_requests():
    limit = RateLimit(10, 1, now=0)
    limit.take(0)
    for expected in (1, 2, 3):
        limit.take(0)
        assert limit.refused == expected
    for now, expected in [(100, 2), (200, 1), (300, 0), (400, 0)]:
        assert limit.take(now) == 0
        assert limit.refused == expected


@given(st.lists(st.floats(0, 500), max_size=200))
def test_accepted_requests_stay_within_rate(gaps):
    limit, now, taken = RateLimit(20, 5, now=0), 0.0, 0
    for gap in gaps:
        now += gap
        wait = limit.take(now)
        assert wait >= 0
        taken += wait == 0
        assert taken <= 5 + 20 * now / 1000 + 1e-6
