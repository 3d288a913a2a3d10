"""The rate limit is a token bucket."""

from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.gateway.rate_limit import MAX_ADDRESSES, MAX_REFUSALS, OVER_LIMIT_MS, RateLimit, RecentExcess


def test_rate_limit_allows_burst_then_average():
    limit = RateLimit(10, 3, now=0)
    assert [limit.take(0) for _ in range(4)] == [0, 0, 0, 100]
    assert limit.take(99) == 1
    assert limit.take(100) == 0
    assert limit.take(100) == 100


def test_rest_refills_no_further_than_burst():
    limit = RateLimit(10, 2, now=0)
    assert [limit.take(10**9) for _ in range(3)] == [0, 0, 100]


def test_earlier_moment_adds_no_tokens():
    """Messages that waited are dated back, and no stretch of time counts twice."""
    limit = RateLimit(10, 3, now=0)
    assert [limit.take(0) for _ in range(3)] == [0, 0, 0]
    assert limit.take(100) == 0
    assert limit.take(0) == 100
    assert limit.take(100) == 100


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


def test_price_takes_several_tokens():
    limit = RateLimit(10, 20, now=0)
    assert [limit.take(0, 10) for _ in range(3)] == [0, 0, 1000]
    assert limit.take(500) == 0
    assert limit.take(500, 10) == 600


def test_refusals_exhaust_limit_and_are_reported():
    refusals = []
    limit = RateLimit(1, 1, now=0, on_refusal=refusals.append)
    for _ in range(1 + MAX_REFUSALS):
        limit.take(5)
    assert not limit.is_exhausted
    limit.take(7)
    assert limit.is_exhausted
    assert (len(refusals), refusals[-1]) == (MAX_REFUSALS + 1, 7)


def test_suspect_begins_with_tenth():
    limit = RateLimit(10, 20, now=0, suspect=True)
    assert [limit.take(0) for _ in range(3)] == [0, 0, 100]
    for _ in range(MAX_REFUSALS // 100 + 1):
        limit.take(0, refusals=10)
    assert limit.is_exhausted


def test_excess_of_address_is_remembered_for_a_while():
    excess = RecentExcess()
    excess.note("::1", 1_000)
    assert excess.is_over_limit("::1", 1_000 + OVER_LIMIT_MS - 1)
    assert not excess.is_over_limit("::1", 1_000 + OVER_LIMIT_MS)
    assert not excess.is_over_limit("::2", 1_000)


def test_noted_addresses_are_bounded():
    excess = RecentExcess()
    for number in range(MAX_ADDRESSES + 1):
        excess.note(str(number), 0)
    assert not excess.is_over_limit("0", 0)
    assert excess.is_over_limit("1", 0)
