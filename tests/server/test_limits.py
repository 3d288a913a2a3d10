"""Counts per network, counts per key and stretch of time, and the rate limit, which is a token bucket."""

from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.limits import MAX_REFUSALS, MAX_WINDOWS, NetworkCounter, RateLimit, Windows


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


class TestNetworkCounter:
    def test_address_has_at_most_so_many(self):
        counter = NetworkCounter(2)
        assert [counter.take("192.0.2.1") for _ in range(3)] == [True, True, False]
        assert (counter.most_met("192.0.2.1"), counter.most_met("192.0.2.2")) == (2, 0)
        counter.give_back("192.0.2.1")
        assert counter.take("192.0.2.1")

    def test_counter_gives_48_bits_four_times_as_much(self):
        counter = NetworkCounter(1)
        networks = [f"2001:db8:0:{number:x}::/64" for number in range(5)]
        assert [counter.take(network) for network in networks] == [True] * 4 + [False]
        assert (counter.most_met(networks[0]), counter.most_met(networks[4])) == (1, 4)
        for network in networks[:4]:
            counter.give_back(network)
        assert len(counter) == 0

    def test_uncounted_address_has_no_limit(self):
        counter = NetworkCounter(1)
        assert [counter.take(None) for _ in range(3)] == [True] * 3
        counter.give_back(None)
        assert len(counter) == 0


class TestWindows:
    def test_count_begins_again_after_window(self):
        windows = Windows(60, most=2)
        assert [windows.take({"a": 1}, now) for now in (0, 10, 20, 59)] == [None, None, (2, 40), (2, 1)]
        assert windows.take({"b": 1}, 20) is None
        assert windows.take({"a": 1}, 60) is None

    def test_all_keys_count_or_none(self):
        windows = Windows(60, most=1)
        assert windows.take({"a": 1, "wide": 2}, 0) is None
        assert windows.take({"a": 1, "wide": 2}, 0) == (1, 60)
        assert windows.take({"b": 1, "wide": 2}, 0) is None
        assert windows.take({"c": 1, "wide": 2}, 0) == (2, 60)
        assert windows.take({"c": 1}, 0) is None

    def test_most_of_zero_allows_nothing(self):
        assert Windows(60, most=0).take({"a": 1}, 0) == (0, 60)

    def test_window_can_begin_again_early(self):
        windows = Windows(60)
        windows.begin("a", 0)
        windows.begin("a", 50)
        assert (windows.has_begun("a", 109), windows.has_begun("a", 110), windows.has_begun("b", 50)) == (
            True,
            False,
            False,
        )

    def test_ended_windows_are_forgotten(self):
        windows = Windows(60)
        for now in range(100):
            windows.begin(now, now)
        assert len(windows) == 60

    def test_newest_windows_are_kept(self):
        windows = Windows(60)
        for number in range(MAX_WINDOWS + 1):
            windows.begin(number, 0)
        assert (len(windows), windows.has_begun(0, 0), windows.has_begun(1, 0)) == (MAX_WINDOWS, False, True)
