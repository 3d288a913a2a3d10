"""Admission counts connections, guests, names and wrong tokens, in all and per address, and forgets what is over."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server import limits
from evilpegs_server.gateway.admission import (
    FAILED_TOKEN_DELAY_MS,
    Admission,
    Limit,
    LimitMetError,
    Ticket,
)
from evilpegs_server.settings import Settings
from evilpegs_server.timing import Timing

ANN, BOB = "192.0.2.1", "192.0.2.2"
CY, DEE = "2001:db8::/64", "2001:db8:0:1::/64"
HOUR_MS, HELLO_MS = 3_600_000, 7_000
LIMITS = Settings(
    max_connections=20,
    hello_seconds=7,
    connections_per_address=5,
    connections_before_hello=3,
    new_names_per_hour=4,
    matches_per_hour=3,
    failed_tokens_per_minute=2,
)


@pytest.fixture
def admission():
    return Admission(LIMITS)


def enter(admission, address=None, *, is_guest=False, has_open_match=False):
    """Open a connection, say hello on it, and return its ticket."""
    ticket = admission.open(address, 0)
    admission.log_in(ticket, 0, is_guest=is_guest, has_open_match=has_open_match)
    return ticket


def met(call, *arguments, **options):
    """Return the limit that a call meets; its number or name must be in the message."""
    with pytest.raises(LimitMetError) as caught:
        call(*arguments, **options)
    assert caught.value.limit.value in str(caught.value)
    assert str(caught.value).isprintable()
    return caught.value.limit


def test_defaults_are_those_of_settings():
    admission = Admission(Settings())
    assert (admission.ordinary_seats, admission.guest_seats, admission.reserve_seats) == (1800, 1500, 200)


@pytest.mark.parametrize(("seats", "guests", "reserve"), [(1, 1, 0), (2, 1, 0), (4, 3, 0), (10, 7, 1), (100, 75, 10)])
def test_small_servers_have_ordinary_seats(seats, guests, reserve):
    admission = Admission(Settings(max_connections=seats))
    assert (admission.guest_seats, admission.reserve_seats) == (guests, reserve)


class TestAddresses:
    def test_connections_of_an_address_are_limited(self, admission):
        tickets = [enter(admission, ANN) for _ in range(5)]
        assert met(admission.open, ANN, 0) is Limit.PER_ADDRESS
        enter(admission, BOB)
        admission.close(tickets[0])
        enter(admission, ANN)
        assert admission.taken == 6

    def test_crowd_must_say_hello_soon(self, admission):
        tickets = [admission.open(ANN, 0) for _ in range(4)]
        assert [ticket.hello_ms for ticket in tickets] == [HELLO_MS] * 3 + [3_000]
        admission.log_in(tickets[0], 0, is_guest=False, has_open_match=False)
        admission.close(tickets[1])
        assert [admission.open(ANN, 0).hello_ms for _ in range(2)] == [HELLO_MS, 3_000]
        assert admission.open(BOB, 0).hello_ms == HELLO_MS

    def test_only_silent_crowd_meets_limit(self, admission):
        """A class that connects at the same moment says hello at once, and nothing is held against its address."""
        tickets = [admission.open(ANN, 0) for _ in range(5)]
        assert not admission.met[Limit.BEFORE_HELLO]
        assert not admission.excess.has_begun(ANN, 0)
        for ticket in tickets:
            admission.note_silence(ticket, 0)
        assert admission.met[Limit.BEFORE_HELLO] == 2
        assert admission.excess.has_begun(ANN, 0)

    def test_address_behind_proxy_is_counted_late(self, admission):
        for _ in range(5):
            admission.set_address(admission.open(None, 0), ANN, 0)
        late = admission.open(None, 0)
        assert met(admission.set_address, late, ANN, 0) is Limit.PER_ADDRESS
        admission.close(late)
        assert (admission.taken, admission.table_sizes()["addresses"]) == (5, 1)

    def test_crowd_behind_proxy_must_say_hello_soon(self, admission):
        tickets = [admission.open(None, 0) for _ in range(4)]
        for ticket in tickets:
            admission.set_address(ticket, ANN, 0)
        assert [ticket.hello_ms for ticket in tickets] == [HELLO_MS] * 3 + [3_000]

    def test_connections_without_address_are_unbounded(self, admission):
        assert len([admission.open(None, 0) for _ in range(20)]) == 20
        assert admission.table_sizes()["addresses"] == 0

    def test_network_of_48_bits_has_four_times_as_many(self):
        """One who has such a network has 65,536 addresses of 64 bits."""
        networks = [f"2001:db8:0:{number:x}::/64" for number in range(10)]
        admission = Admission(LIMITS.model_copy(update={"max_connections": 50}))
        tickets = [admission.open(network, 0) for network in networks for _ in range(2)]
        assert [ticket.is_crowded for ticket in tickets] == [False] * 12 + [True] * 8
        assert met(admission.open, networks[0], 0) is Limit.PER_ADDRESS
        assert met(admission.open, "2001:db8:0:ffff::/64", 0) is Limit.PER_ADDRESS
        admission.open("2001:db8:1::/64", 0)
        for ticket in tickets[:16]:
            admission.take_new_name(ticket, 0)
        assert met(admission.take_new_name, tickets[-1], 0) is Limit.NEW_NAMES
        delays = [admission.take_failed_token(ticket, 0) for ticket in tickets]
        assert delays == [0.0] * 8 + [FAILED_TOKEN_DELAY_MS] * 12
        for ticket in tickets:
            admission.close(ticket)
        admission.open(networks[0], 0)

    def test_high_limit_does_not_bind(self):
        """The control: the same connections are all accepted where the limits are higher."""
        admission = Admission(
            LIMITS.model_copy(update={"connections_before_hello": 100, "connections_per_address": 100})
        )
        assert [admission.open(ANN, 0).hello_ms for _ in range(18)] == [HELLO_MS] * 18


class TestSeats:
    def test_last_tenth_is_reserve(self, admission):
        tickets = [admission.open(None, 0) for _ in range(20)]
        assert [ticket.is_reserve for ticket in tickets] == [False] * 18 + [True] * 2
        assert {ticket.hello_ms for ticket in tickets[:18]} == {HELLO_MS}
        assert {ticket.hello_ms for ticket in tickets[18:]} == {3_000}
        assert met(admission.open, None, 0) is Limit.CONNECTIONS

    @pytest.mark.parametrize(
        ("seats", "taken", "wanted"), [(20, 17, 0), (20, 18, 1), (2000, 1764, 0), (2000, 1790, 26)]
    )
    def test_one_seat_in_fifty_is_wanted_free(self, seats, taken, wanted):
        admission = Admission(LIMITS.model_copy(update={"max_connections": seats}))
        for _ in range(taken):
            enter(admission)
        assert admission.wanted_seats == wanted

    def test_reserve_is_for_open_matches(self, admission):
        for _ in range(18):
            enter(admission)
        reserve = admission.open(None, 0)
        refused = {"is_guest": False, "has_open_match": False}
        assert met(admission.log_in, reserve, 0, **refused) is Limit.CONNECTIONS
        admission.log_in(reserve, 0, is_guest=False, has_open_match=True)
        assert reserve.said_hello

    def test_last_seats_stay_reserve_after_return(self, admission):
        """Whoever returned through the reserve counts like any other, so that the next one finds it too."""
        tickets = [enter(admission) for _ in range(18)]
        returned = admission.open(None, 0)
        admission.log_in(returned, 0, is_guest=False, has_open_match=True)
        admission.close(tickets[0])
        newcomer = admission.open(None, 0)
        refused = {"is_guest": False, "has_open_match": False}
        assert met(admission.log_in, newcomer, 0, **refused) is Limit.CONNECTIONS
        admission.close(returned)
        admission.log_in(newcomer, 0, **refused)

    def test_reserve_is_for_all_when_others_have_left(self, admission):
        tickets = [enter(admission) for _ in range(18)]
        reserve = admission.open(None, 0)
        admission.close(tickets[0])
        admission.log_in(reserve, 0, is_guest=False, has_open_match=False)
        assert reserve.said_hello
        assert (admission.open(None, 0).is_reserve, admission.taken) == (True, 19)

    def test_guests_leave_a_quarter_free(self, admission):
        guests = [enter(admission, is_guest=True) for _ in range(15)]
        late = admission.open(None, 0)
        assert met(admission.log_in, late, 0, is_guest=True, has_open_match=False) is Limit.GUESTS
        admission.log_in(late, 0, is_guest=False, has_open_match=False)
        admission.close(guests[0])
        enter(admission, is_guest=True)


class TestEndedConnection:
    """A hello or a request may be read after its connection has ended."""

    def test_late_hello_is_not_counted(self, admission):
        for ticket in [admission.open(ANN, 0) for _ in range(3)]:
            admission.close(ticket)
            admission.log_in(ticket, 0, is_guest=True, has_open_match=False)
            admission.log_out(ticket)
        assert (admission.taken, admission.table_sizes()["addresses"]) == (0, 0)
        assert len([enter(admission, is_guest=True) for _ in range(15)]) == 15

    def test_late_address_is_not_counted(self, admission):
        ticket = admission.open(None, 0)
        admission.close(ticket)
        admission.set_address(ticket, ANN, 0)
        assert admission.table_sizes()["addresses"] == 0

    def test_failed_login_is_taken_back(self, admission):
        tickets = [admission.open(ANN, 0) for _ in range(3)]
        admission.log_in(tickets[0], 0, is_guest=False, has_open_match=False)
        admission.log_out(tickets[0])
        tickets.append(admission.open(ANN, 0))
        assert tickets[-1].is_crowded
        for ticket in tickets:
            admission.close(ticket)
        assert (admission.taken, admission.table_sizes()["addresses"]) == (0, 0)


class TestNamesAndTokens:
    def test_new_names_are_limited_per_hour(self, admission):
        ticket, other = enter(admission, ANN), enter(admission, BOB)
        for now in (0, 10, 20, 30):
            admission.take_new_name(ticket, now)
        with pytest.raises(LimitMetError) as caught:
            admission.take_new_name(ticket, HOUR_MS - 1_000)
        assert (caught.value.limit, caught.value.retry_after_ms) == (Limit.NEW_NAMES, 1_000)
        admission.take_new_name(other, 50)
        admission.take_new_name(ticket, HOUR_MS)

    def test_matches_are_limited_per_player_and_hour(self, admission):
        for now in (0, 10, 20):
            admission.take_match(1, now)
        with pytest.raises(LimitMetError, match="matches_per_hour") as caught:
            admission.take_match(1, HOUR_MS - 1_000)
        assert (caught.value.limit, caught.value.retry_after_ms) == (Limit.MATCHES, 1_000)
        admission.take_match(2, 50)
        admission.take_match(1, HOUR_MS)

    def test_players_are_forgotten_after_the_hour(self, admission):
        for player in range(1_000):
            admission.take_match(player, player)
        admission.take_match(1_000, HOUR_MS + 998)
        assert admission.table_sizes()["players_of_the_hour"] == 2

    def test_names_count_after_the_connection_ended(self, admission):
        for _ in range(4):
            ticket = enter(admission, ANN)
            admission.take_new_name(ticket, 0)
            admission.close(ticket)
        assert met(admission.take_new_name, enter(admission, ANN), 1) is Limit.NEW_NAMES

    def test_failed_tokens_are_delayed_beyond_limit(self, admission):
        ticket = admission.open(ANN, 0)
        assert [admission.take_failed_token(ticket, 0) for _ in range(3)] == [0, 0, FAILED_TOKEN_DELAY_MS]
        assert admission.take_failed_token(ticket, 59_999) == FAILED_TOKEN_DELAY_MS
        assert admission.take_failed_token(ticket, 60_000) == 0
        assert admission.met == {Limit.FAILED_TOKENS: 2}

    def test_uncounted_address_has_no_limits(self, admission):
        ticket = enter(admission)
        for _ in range(100):
            admission.take_new_name(ticket, 0)
            assert admission.take_failed_token(ticket, 0) == 0


class TestOverLimit:
    def test_met_limit_is_remembered_for_seconds(self, admission):
        for _ in range(5):
            admission.open(ANN, 0)
        assert not admission.excess.has_begun(ANN, 0)
        met(admission.open, ANN, 100)
        assert admission.excess.has_begun(ANN, 99 + Timing().over_limit_ms)
        assert not admission.excess.has_begun(ANN, 100 + Timing().over_limit_ms)
        assert not admission.excess.has_begun(BOB, 100)


def claim_and_leave(admission, address):
    """Connect, claim a name and disconnect, after which the address is remembered."""
    ticket = enter(admission, address)
    admission.take_new_name(ticket, 0)
    admission.close(ticket)


class TestMemory:
    def test_address_without_connections_is_forgotten(self, admission):
        for number in range(100):
            admission.close(enter(admission, f"192.0.2.{number}"))
        assert (admission.table_sizes()["addresses"], admission.taken) == (0, 0)

    def test_address_is_remembered_while_something_counts(self, admission):
        ticket = enter(admission, ANN)
        admission.take_new_name(ticket, 0)
        admission.close(ticket)
        assert admission.table_sizes()["addresses"] == 1
        other = enter(admission, BOB)
        admission.take_new_name(other, HOUR_MS)
        admission.close(other)
        assert admission.table_sizes()["addresses"] == 1

    def test_remembered_addresses_are_bounded(self, admission, monkeypatch):
        monkeypatch.setattr(limits, "MAX_WINDOWS", 50)
        for number in range(1_000):
            claim_and_leave(admission, f"2001:db8:{number:x}::/64")
        assert admission.table_sizes()["addresses"] == 50


@given(
    st.lists(
        st.tuples(st.sampled_from([None, ANN, BOB, CY, DEE]), st.sampled_from("opgnx"), st.integers(0, 30)),
        max_size=120,
    )
)
def test_counts_return_to_zero_whatever_happens(steps):
    admission, tickets, now = Admission(LIMITS), [], 0.0
    for address, action, number in steps:
        now += 1_000
        with suppress(LimitMetError):
            if action == "o":
                tickets.append(admission.open(address, now))
            elif tickets and action == "x":
                admission.close(tickets.pop(number % len(tickets)))
            elif tickets and action == "n":
                admission.take_new_name(tickets[number % len(tickets)], now)
            elif tickets and not tickets[number % len(tickets)].said_hello:
                ticket = tickets[number % len(tickets)]
                admission.log_in(ticket, now, is_guest=action == "g", has_open_match=number > 20)
        assert admission.taken == len(tickets) <= LIMITS.max_connections
        assert sum(ticket.is_guest for ticket in tickets) <= admission.guest_seats
        for each in (ANN, BOB, CY, DEE):
            own = [ticket for ticket in tickets if ticket.address == each]
            assert len(own) <= LIMITS.connections_per_address
            patient = [ticket for ticket in own if not ticket.said_hello and ticket.hello_ms == HELLO_MS]
            assert len(patient) <= LIMITS.connections_before_hello
    for ticket in tickets:
        admission.close(ticket)
    assert admission.taken == 0
    admission.take_new_name(Ticket("192.0.2.3", is_reserve=False, hello_ms=0), now + HOUR_MS)
    assert admission.table_sizes()["addresses"] == 1
