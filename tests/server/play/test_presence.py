"""Guests are forgotten when nothing connects them with the server, and lose matches they do not come back to."""

import json
from contextlib import AsyncExitStack

import pytest

from evilpegs_server.play.counts import EndReason
from evilpegs_server.settings import Settings
from evilpegs_server.storage.log.archive import load_match, load_players
from evilpegs_server.timing import Timing
from support.in_process import serving
from support.servers import dial
from support.waiting import until

MINUTES_MS = 60_000


@pytest.fixture
def presence(fake_server):
    return fake_server.services.presence


@pytest.fixture
async def few_matches(open_fake_server):
    """A fake server on which two practice matches may be open."""
    return open_fake_server(settings=Settings(max_practice_matches=2))


async def connect_guest(fake_server):
    """Open a connection, say hello on it as a new guest, and return it."""
    guest = fake_server.connect()
    guest.token = (await guest.hello())["token"]
    return guest


async def resign(client, match):
    """Resign a match and wait until it is over."""
    await client.request(type="resign", match=match)
    await client.receive("match_over")


async def outcomes(fake_server, match):
    """Return the outcomes of a match when it is over."""
    await until(lambda: fake_server.registry.open.get(match) is None)
    stored = load_match(fake_server.engine, match)
    assert stored.over
    return json.loads(stored.entries[-1].text)["outcomes"]


class TestForgetting:
    async def test_guest_plays_on_after_other_connection_left(self, fake_server):
        guest = await connect_guest(fake_server)
        other = await fake_server.reconnect(guest)
        guest.session.leave()
        assert (await other.request(type="play", ladder="tiny-practice"))["type"] == "match_started"

    async def test_guest_who_played_is_forgotten_with_last_match(self, fake_server, presence):
        guest = await connect_guest(fake_server)
        first, second = await guest.play("tiny-practice"), await guest.play("tiny-practice")
        await resign(guest, first)
        guest.session.leave()
        assert (len(fake_server.services.players), presence.table_sizes()["absent_guests"]) == (1, 1)
        presence.end_long_gone(fake_server.clock.now() + 10 * MINUTES_MS)
        assert await outcomes(fake_server, second) == ["forfeit"]
        assert (
            len(fake_server.services.players),
            presence.table_sizes()["absent_guests"],
            len(fake_server.registry.open),
        ) == (0, 0, 0)

    async def test_connected_guest_is_kept_after_match(self, fake_server, presence):
        guest = await connect_guest(fake_server)
        await resign(guest, await guest.play("tiny-practice"))
        assert (len(fake_server.services.players), presence.table_sizes()["connected_players"]) == (1, 1)
        assert (await guest.request(type="play", ladder="tiny-practice"))["type"] == "match_started"

    async def test_forgotten_guest_returns_by_token(self, fake_server):
        guest = await connect_guest(fake_server)
        match = await guest.play("tiny-practice")
        await resign(guest, match)
        guest.session.leave()
        assert len(fake_server.services.players) == 0
        again = await fake_server.reconnect(guest)
        assert (await again.request(type="resume", match=match, seq=0))["state"] == "over"
        assert (await again.request(type="play", ladder="tiny-practice"))["type"] == "match_started"
        assert len(load_players(fake_server.engine)) == 1

    async def test_restart_loads_only_guests_with_matches(self, fake_server, open_fake_server):
        done, playing = await connect_guest(fake_server), await connect_guest(fake_server)
        await resign(done, await done.play("tiny-practice"))
        await playing.play("tiny-practice")
        fake_server.close()
        later = open_fake_server()
        later.restore_matches()
        assert (len(later.services.players), later.services.presence.table_sizes()["absent_guests"]) == (1, 1)
        stranger = await connect_guest(later)
        assert later.services.players.by_token(stranger.token).id == 3
        assert (await later.connect().hello(token=done.token))["type"] == "welcome"

    async def test_many_guests_leave_nothing(self, fake_server, presence):
        """The short form of the test of memory in tests/abuse."""
        for _ in range(50):
            guest = await connect_guest(fake_server)
            await resign(guest, await guest.play("tiny-practice"))
            guest.session.leave()
        assert len(fake_server.services.players) == len(fake_server.registry.open) == 0
        assert (presence.table_sizes()["connected_players"], presence.table_sizes()["absent_guests"]) == (0, 0)


class TestAbsence:
    @pytest.mark.parametrize("ladder", ["tiny-practice", "slow"])
    async def test_match_of_absent_guest_ends_after_ten_minutes(self, fake_server, presence, ladder):
        guest = await connect_guest(fake_server)
        match = await guest.play(ladder)
        games = fake_server.registry.ladders.known[ladder].games
        guest.session.leave()
        presence.end_long_gone(fake_server.clock.now() + 10 * MINUTES_MS - 1)
        assert fake_server.registry.open.get(match) is not None
        presence.end_long_gone(fake_server.clock.now() + 10 * MINUTES_MS)
        assert await outcomes(fake_server, match) == ["forfeit"] * games

    async def test_guest_who_is_back_keeps_match(self, fake_server, presence):
        guest = await connect_guest(fake_server)
        match = await guest.play("tiny-practice")
        guest.session.leave()
        again = await fake_server.reconnect(guest)
        presence.end_long_gone(fake_server.clock.now() + 11 * MINUTES_MS)
        assert (await again.request(type="resume", match=match, seq=2))["state"] == "turn"

    async def test_absent_player_with_name_keeps_match(self, ann, fake_server, presence):
        match = await ann.play("tiny-practice")
        ann.session.leave()
        presence.end_long_gone(fake_server.clock.now() + 11 * MINUTES_MS)
        assert fake_server.registry.open.get(match) is not None
        assert presence.table_sizes()["absent_guests"] == 0

    async def test_match_that_thinks_ends_after_its_reply(self, fake_server, presence):
        guest = await connect_guest(fake_server)
        match = await guest.play("slow")
        fake_server.pool.paused = True
        await guest.send(type="guess", match=match, game=1, turn=1, code="123456")
        guest.session.leave()
        presence.end_long_gone(fake_server.clock.now() + 10 * MINUTES_MS)
        fake_server.pool.paused = False
        fake_server.pool.run_pending()
        assert await outcomes(fake_server, match) == ["forfeit", "forfeit"]
        assert [entry.type for entry in load_match(fake_server.engine, match).entries].count("feedback") == 1


class TestPracticeBound:
    async def test_longest_gone_guest_makes_room(self, few_matches):
        first, second = await connect_guest(few_matches), await connect_guest(few_matches)
        oldest, newer = await first.play("tiny-practice"), await second.play("tiny-practice")
        first.session.leave()
        second.session.leave()
        await (await connect_guest(few_matches)).play("tiny-practice")
        assert await outcomes(few_matches, oldest) == ["forfeit"]
        assert few_matches.registry.open.get(newer) is not None

    async def test_bound_is_named_when_nobody_is_gone(self, few_matches):
        guest = await connect_guest(few_matches)
        matches = [await guest.play("tiny-practice") for _ in range(2)]
        refused = await guest.request(type="play", ladder="tiny-practice")
        assert (refused["code"], "max_practice_matches" in refused["message"]) == ("too_many_matches", True)
        ann = await few_matches.connect_player("ann")
        assert (await ann.request(type="play", ladder="tiny"))["type"] == "match_started"
        await resign(guest, matches[0])
        assert (await guest.request(type="play", ladder="tiny-practice"))["type"] == "match_started"


class TestIdleGuests:
    async def test_guest_without_request_is_idle_after_a_minute(self, fake_server):
        guest, now = await connect_guest(fake_server), fake_server.clock.now()
        assert guest.session.idle_seconds(now + MINUTES_MS - 1) < 60
        assert guest.session.idle_seconds(now + MINUTES_MS) >= 60
        fake_server.clock.advance(MINUTES_MS)
        await guest.request(type="ping", c=1)
        assert guest.session.idle_seconds(now + MINUTES_MS) < 60

    async def test_match_keeps_guest(self, ann, fake_server):
        player = await connect_guest(fake_server)
        match = await player.play("tiny-practice")
        for _ in range(3):
            fake_server.clock.advance(MINUTES_MS)
            assert player.session.idle_seconds(fake_server.clock.now()) < 60
        await resign(player, match)
        now = fake_server.clock.now()
        assert player.session.idle_seconds(now + MINUTES_MS - 1) < 60
        assert player.session.idle_seconds(now + MINUTES_MS) >= 60

    async def test_player_with_name_is_idle_too(self, ann, fake_server):
        assert ann.session.idle_seconds(fake_server.clock.now() + MINUTES_MS) >= 60
        assert fake_server.connect().session.idle_seconds(100 * MINUTES_MS) == 0


async def test_idle_names_leave_nearly_full_server(database):
    """Only as many as must, those idle longest first, and nobody who plays."""
    # everybody is idle at once, and stays until a fourth connection takes the last ordinary seat
    limits = {"max_connections": 5, "reserve_seats_percent": 20, "name_idle_seconds": 0.001}
    async with serving(database, Timing(sweep_seconds=0.02), **limits) as server, AsyncExitStack() as stack:
        player, first, second = [await stack.enter_async_context(dial(server.url)) for _ in range(3)]
        await player.hello("player")
        await player.play("classic-evil")
        await first.hello("first")
        await first.ask("pong", type="ping", c=1)
        await second.hello("second")
        await stack.enter_async_context(dial(server.url))
        assert await first.closed() == 1008
        assert all(fact in first.socket.close_reason for fact in ("0.001 seconds", "name_idle_seconds"))
        for kept in (player, second):
            assert (await kept.ask("pong", type="ping", c=1))["c"] == 1
        assert server.registry.counts.ended == {EndReason.IDLE_NAME: 1}
