"""Crowds of connections, guests, names and wrong tokens: each limit lets others in, and is named where it is met.

Every attack is repeated where its limit is so high that it does not bind; there it does what the limit prevents.
"""

import asyncio
import contextlib
import select

import pytest

from evilpegs_server.gateway.admission import FAILED_TOKEN_DELAY_MS
from evilpegs_server.gateway.connection import GameConnection
from support.hostile_peer import TRUSTING, Peer
from support.patience import PATIENCE
from support.waiting import until, wait_until

HIGH = {"connections_per_address": 100_000, "connections_before_hello": 100_000, "new_names_per_hour": 100_000}
FREE = HIGH | {"guest_seats_percent": 100, "reserve_seats_percent": 0, "failed_tokens_per_minute": 100_000}


async def attack(run, *arguments, **options):
    """Run an attack in a thread beside the server and return its result."""
    return await asyncio.to_thread(run, *arguments, **options)


@pytest.fixture
async def enter():
    """Connect an attacker beside the server; all are closed at the end of the test."""
    with contextlib.ExitStack() as stack:

        async def connect(server, address="192.0.2.1", headers=""):
            return stack.enter_context(contextlib.closing(await attack(Peer, server.url, address, headers)))

        yield connect


def say_hello_on_many(url, number):
    """Return how many guests got in, what the others were answered, and the answer to a stranger beside them."""
    with contextlib.ExitStack() as stack:

        def greet(address, **fields):
            attacker = stack.enter_context(contextlib.closing(Peer(url, address)))
            return attacker.hello(**fields) if attacker.is_in else {"type": "refused", "message": attacker.body}

        answers = [greet("192.0.2.1") for _ in range(number)]
        refusals = {answer["message"] for answer in answers if answer["type"] != "welcome"}
        stranger = greet("198.51.100.1", name="stranger", kind="bot")
        return sum(answer["type"] == "welcome" for answer in answers), refusals, stranger["type"]


class TestSeats:
    async def test_one_address_cannot_take_all_seats(self, run_server):
        server = await run_server(max_connections=40, connections_per_address=10, **TRUSTING)
        guests, refusals, stranger = await attack(say_hello_on_many, server.url, 40)
        assert (guests, stranger) == (10, "welcome")
        assert all("connections_per_address" in each for each in refusals)

    async def test_guests_cannot_take_all_seats(self, run_server):
        server = await run_server(max_connections=40, **(HIGH | TRUSTING))
        guests, refusals, stranger = await attack(say_hello_on_many, server.url, 35)
        assert (guests, stranger) == (30, "welcome")
        assert all("guest_seats_percent" in each for each in refusals)

    async def test_free_limits_lock_strangers_out(self, run_server):
        """The control: the same crowd without limits."""
        server = await run_server(max_connections=35, **(FREE | TRUSTING))
        guests, refusals, stranger = await attack(say_hello_on_many, server.url, 35)
        assert (guests, refusals, stranger) == (35, set(), "refused")

    async def test_forged_header_takes_no_seats_of_others(self, run_server):
        """Without trusted proxies a header changes nothing, and loopback is not counted per address."""
        server = await run_server(max_connections=40, connections_per_address=2)
        assert (await attack(say_hello_on_many, server.url, 10))[0] == 10


class TestSilence:
    async def test_silent_connections_per_address_are_few(self, run_server, enter):
        """Beyond eight they are closed soon; the server closes the others after ten seconds."""
        server = await run_server(reserve_hello_seconds=0.2, **TRUSTING)
        silent = [await enter(server) for _ in range(20)]
        assert all(each.is_in for each in silent)
        assert [await attack(each.hear) for each in silent[8:]] == [None] * 12
        assert [(await attack(each.hello))["type"] for each in silent[:8]] == ["welcome"] * 8

    async def test_high_limit_keeps_silent_connections(self, run_server, enter):
        """The control."""
        server = await run_server(reserve_hello_seconds=0.2, **(HIGH | TRUSTING))
        silent = [await enter(server) for _ in range(20)]
        assert [(await attack(each.hello))["type"] for each in silent] == ["welcome"] * 20

    async def test_class_behind_one_address_gets_in(self, run_server, enter):
        """Forty connect before the first of them says hello."""
        server = await run_server(reserve_hello_seconds=PATIENCE, **TRUSTING)
        members = [await enter(server) for _ in range(40)]
        answers = [await attack(each.hello, name=f"member-{i}", kind="bot") for i, each in enumerate(members)]
        assert [answer["type"] for answer in answers] == ["welcome"] * 40

    async def test_reserve_is_emptied_of_silent_connections(self, run_server, enter):
        """The reserve closes silent connections after its time, so that a player with a match can return."""
        server = await run_server(max_connections=20, reserve_hello_seconds=0.2, **(HIGH | TRUSTING))
        ann = await enter(server, "198.51.100.1")
        token = (await attack(ann.hello, name="ann", kind="bot"))["token"]
        assert (await attack(ann.ask, type="play", ladder="classic"))["type"] == "match_started"
        silent = [await enter(server) for _ in range(17)]
        assert all(each.is_in for each in silent)
        ann.close()
        reserve = [await enter(server) for _ in range(2)]
        assert [await attack(each.hear) for each in reserve[-1:]] == [None]

        async def come_back():
            again = await enter(server, "198.51.100.1")
            return await attack(again.hello, token=token) if again.is_in else None

        welcome = await until(come_back)  # ann has as little time to say hello, and tries again when it is over
        assert welcome["player"] == "ann"

    async def test_full_server_without_reserve_refuses_players(self, run_server, enter):
        """The control: without a reserve, silent connections keep every seat from a player with a match."""
        server = await run_server(max_connections=20, reserve_seats_percent=0, **(HIGH | TRUSTING))
        ann = await enter(server, "198.51.100.1")
        await attack(ann.hello, name="ann", kind="bot")
        await attack(ann.ask, type="play", ladder="classic")
        assert all([(await enter(server)).is_in for _ in range(19)])
        again = await enter(server, "198.51.100.1")
        assert (again.status, "max_connections" in again.body) == (503, True)


def claim_names(url, number):
    """Claim names on one connection each, and return how many were given."""
    given = 0
    for index in range(number):
        attacker = Peer(url)
        given += attacker.hello(name=f"squat-{index:04d}x", kind="bot")["type"] == "welcome"
        attacker.close()
    return given


def send_wrong_tokens(url, number, delays):
    """Send wrong tokens on one connection until the server delays an answer.

    Return how many were answered before, and the last answer.
    """
    answers = []
    with contextlib.closing(Peer(url)) as attacker:
        for index in range(number):
            attacker.say(type="hello", client={"name": "crowd", "version": "1"}, token=f"{index:064x}")
            wait_until(lambda: delays or select.select([attacker.socket], [], [], 0)[0])
            if delays:
                break
            answers.append(attacker.hear())
    return len(answers), answers and answers[-1]


class TestNamesAndTokens:
    @pytest.fixture
    def delays(self, monkeypatch):
        """The seconds by which answers are to be delayed; none of these answers comes before its connection ends."""
        asked = []

        async def pause_for_ever(connection, seconds):
            if seconds:
                asked.append(seconds)
                await connection.wait_closed()

        monkeypatch.setattr(GameConnection, "pause", pause_for_ever)
        return asked

    @pytest.mark.parametrize(("limits", "given"), [({"new_names_per_hour": 20}, 20), (HIGH, 60)], ids=["", "control"])
    async def test_names_are_claimed_slowly(self, run_server, limits, given):
        server = await run_server(**(limits | TRUSTING))
        assert await attack(claim_names, server.url, 60) == given

    @pytest.mark.parametrize(
        ("limits", "answered", "late"),
        [({}, 10, [FAILED_TOKEN_DELAY_MS / 1000]), ({"failed_tokens_per_minute": 100_000}, 40, [])],
        ids=["", "control"],
    )
    async def test_wrong_tokens_are_answered_slowly(self, run_server, delays, limits, answered, late):
        server = await run_server(**(limits | TRUSTING))
        number, answer = await attack(send_wrong_tokens, server.url, 40, delays)
        assert (number, answer["code"], delays) == (answered, "auth_failed", late)

    async def test_delayed_answers_do_not_delay_stop(self, run_server, delays):
        server = await run_server(failed_tokens_per_minute=0, **TRUSTING)
        number, _ = await attack(send_wrong_tokens, server.url, 1, delays)
        assert number == 0


async def test_foreign_pages_cannot_play(run_server, enter):
    server = await run_server(site=True, site_port=0)
    own = server.site_url.rstrip("/")
    for headers, status in [
        ("", 101),
        ("Host: evil.example\r\n", 421),
        ("Host: localhost\r\nHost: localhost\r\n", 421),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        (f"Origin: {own}\r\n", 101),
        ("Host: 127.0.0.1:8765\r\nOrigin: http://127.0.0.1:8765\r\n", 101),
        ("Host: 127.0.0.1:8765\r\nOrigin: http://127.0.0.1:8766\r\n", 403),
    ]:
        assert (await enter(server, None, headers)).status == status, headers
