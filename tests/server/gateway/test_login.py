"""The limits of login: seats, names and wrong tokens. Each error names the limit that was met."""

from dataclasses import replace

import pytest

from evilpegs_server.gateway.admission import FAILED_TOKEN_DELAY_MS, Admission
from evilpegs_server.gateway.login import LAPSE_SECONDS, lapse_names
from evilpegs_server.settings import Settings
from evilpegs_server.storage.log.archive import load_players
from support.fake_server import WALL_MS

ADDRESS = "192.0.2.1"
DAY_MS = 86_400_000


@pytest.fixture
def pauses():
    """The pauses of all connections, in seconds; nobody waits for them."""
    return []


@pytest.fixture
def limit(fake_server, pauses):
    """Set limits of the fake server, and return a function that opens a connection that is counted."""

    def set_limits(**limits):
        settings = Settings(**limits)
        admission = Admission(settings)
        fake_server.services = replace(fake_server.services, admission=admission, settings=settings)

        async def pause(seconds):
            if seconds:
                pauses.append(seconds)

        def connect(address=ADDRESS):
            ticket = admission.open(address, fake_server.clock.now())
            client = fake_server.connect(ticket, pause)
            client.ticket = ticket
            return client

        return connect

    return set_limits


async def test_new_names_per_hour_are_limited(limit, fake_server):
    connect = limit(new_names_per_hour=2)
    for name in ("ann", "bob"):
        assert (await connect().hello(name))["type"] == "welcome"
    refused = await connect().hello("carl")
    assert (refused["code"], refused["retry_after_ms"]) == ("rate_limited", 3_600_000)
    assert all(fact in refused["message"] for fact in ("2", "new_names_per_hour"))
    assert (await connect("192.0.2.2").hello("carl"))["type"] == "welcome"
    fake_server.clock.advance(3_600_000)
    assert (await connect().hello("dora"))["type"] == "welcome"


async def test_refused_names_are_not_counted(limit, ann):
    connect = limit(new_names_per_hour=1)
    for _ in range(3):
        assert (await connect().hello("ann"))["code"] == "name_taken"
    assert (await connect().hello("bob"))["type"] == "welcome"


async def test_guests_beyond_their_seats_are_refused(limit):
    connect = limit(max_connections=4)
    for _ in range(3):
        await connect().hello()
    late = connect()
    refused = await late.hello()
    assert (refused["code"], "guest_seats_percent" in refused["message"]) == ("rate_limited", True)
    assert (await late.hello("ann"))["type"] == "welcome"


async def test_reserve_lets_players_with_matches_return(limit, ann, fake_server):
    await ann.play("tiny")
    connect = limit(max_connections=10)
    for number in range(9):
        assert (await connect().hello(f"bot{number}"))["type"] == "welcome"
    reserve = connect()
    assert reserve.ticket.hello_ms == 3_000
    refused = await reserve.hello("zoe")
    assert (refused["code"], "max_connections" in refused["message"]) == ("rate_limited", True)
    assert (await reserve.hello(token=ann.token))["player"] == "ann"


async def test_failed_tokens_are_answered_late(limit, pauses, ann):
    connect = limit(failed_tokens_per_minute=2)
    client = connect()
    answers = [await client.hello(token=f"{number:064x}") for number in range(4)]
    assert {answer["code"] for answer in answers} == {"auth_failed"}
    assert ["failed_tokens_per_minute" in answer["message"] for answer in answers] == [False, False, True, True]
    assert pauses == [FAILED_TOKEN_DELAY_MS / 1000] * 2
    assert (await connect().hello(token=ann.token))["type"] == "welcome"
    assert len(pauses) == 2


async def test_unstored_player_is_counted_as_before_hello(limit, broken_disk, fake_server):
    connect = limit(connections_before_hello=1)
    client = connect()
    broken_disk.on = True
    assert (await client.hello("ann"))["code"] == "storage_unavailable"
    broken_disk.on = False
    assert not client.ticket.said_hello
    assert (await client.hello("ann"))["type"] == "welcome"
    assert client.ticket.said_hello


class TestLapse:
    def test_lapse_is_looked_for_every_hour(self):
        assert LAPSE_SECONDS == 3600

    async def test_name_without_game_lapses(self, ann, fake_server, engine):
        """Ann never plays, Bob did, Carl is connected; all claimed their names at the same time."""
        bob, carl = await fake_server.connect_player("bob"), await fake_server.connect_player("carl")
        await bob.play("tiny")
        ann.session.leave()
        bob.session.leave()
        await lapse_names(fake_server.services)
        assert len(fake_server.services.players) == 3
        fake_server.services = replace(fake_server.services, wall_ms=lambda: WALL_MS + 30 * DAY_MS + 1)
        await lapse_names(fake_server.services)
        known = [fake_server.services.players.by_token(client.token) for client in (ann, bob, carl)]
        assert [player and player.name for player in known] == [None, "bob", "carl"]
        refused = await fake_server.connect().hello(token=ann.token)
        assert (refused["code"], "name_lapse_days" in refused["message"]) == ("auth_failed", True)
        assert (await fake_server.connect().hello("ann"))["code"] == "name_taken"
        assert (await carl.request(type="play", ladder="tiny"))["type"] == "match_started"

    @pytest.mark.parametrize(
        ("setting", "by_operator", "lapses"),
        [("open", None, True), ("closed", None, False), ("open", False, False), ("closed", True, True)],
    )
    async def test_lapsed_name_stays_reserved_after_restart(
        self, ann, fake_server, engine, setting, by_operator, lapses
    ):
        """Under closed registration, where nobody claims names, all tokens stay valid."""
        ann.session.leave()
        players = load_players(engine)
        players.is_open = by_operator
        settings = fake_server.services.settings.model_copy(update={"registration": setting})
        later = WALL_MS + 30 * DAY_MS + 1
        await lapse_names(replace(fake_server.services, players=players, settings=settings, wall_ms=lambda: later))
        assert (players.by_token(ann.token) is None) == lapses
        with pytest.raises(ValueError, match="taken"):
            players.new_player("ann", "bot")
