"""The match registry finds matches, brings them back after a restart, and stops cleanly."""

import asyncio
import json

import pytest

from evilpegs_protocol.record import event_hash
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.match.match import State
from evilpegs_server.play.runner import MatchRunner
from evilpegs_server.replies.capacity import ReplyCapacity
from evilpegs_server.storage.log.archive import load_match
from evilpegs_server.timing import Timing
from support.waiting import loop_turns


@pytest.fixture
def restart(fake_server, open_fake_server):
    """Stop the fake server and start another one on the same database."""

    def stop_and_open():
        fake_server.close()
        later = open_fake_server()
        later.restore_matches()
        return later

    return stop_and_open


async def resume(fake_server, client, match, seq=0):
    """Reconnect the player of ``client`` and return the new client and the answer to its resume."""
    again = await fake_server.reconnect(client)
    return again, await again.request(type="resume", match=match, seq=seq)


@pytest.mark.parametrize(
    ("capacity", "facts"),
    [
        (ReplyCapacity(count_bytes=1 << 10), ["slow", "count_bytes", "1,024"]),
        (ReplyCapacity(count_work=999), ["slow", "1,000", "count_work", "999"]),
    ],
)
async def test_oversized_ladder_is_refused_with_numbers(open_fake_server, capacity, facts):
    ann = await open_fake_server(capacity=capacity).connect_player()
    refused = await ann.request(type="play", ladder="slow")
    assert (refused["type"], refused["code"]) == ("error", "too_large")
    assert all(fact in refused["message"] for fact in facts)
    assert (await ann.request(type="play", ladder="long"))["type"] == "match_started"


def test_unavailable_reason_names_bytes_for_live_sets():
    huge = load_ladders()["huge-evil"]
    assert ReplyCapacity(cache_bytes=873_814).unavailable_reason(huge) is None
    reason = ReplyCapacity(cache_bytes=873_813).unavailable_reason(huge)
    assert all(fact in reason for fact in ["huge-evil", "873,814", "cache_bytes", "873,813"])


async def test_welcome_offers_only_fitting_ladders(open_fake_server):
    small_server = open_fake_server(capacity=ReplyCapacity(count_work=999))
    welcome = await small_server.connect().hello()
    offered = [ladder["id"] for ladder in welcome["ladders"]]
    assert offered == [name for name in small_server.registry.ladders.known if name != "slow"]


class TestRestart:
    async def test_restart_continues_open_match(self, ann, restart, engine):
        match = await ann.play("long")
        first = await ann.guess(match, 1, "1" * 16)
        later = restart()
        again, resumed = await resume(later, ann, match, seq=2)
        assert (resumed["state"], resumed["seq"]) == ("turn", 3)
        assert await again.receive() | {"re": None} == first | {"re": None}
        assert (await again.receive("turn"))["left_ms"] == first["left_ms"]
        assert (await again.guess(match, 1, "1" * 16))["seq"] == 3
        assert (await again.guess(match, 2, "2" * 16))["seq"] == 4
        await again.request(type="resign", match=match)
        await again.receive("match_over")
        head = "0" * 64
        for entry in load_match(engine, match).entries:
            head = event_hash(head, entry.text)
            assert entry.hash == head

    async def test_restart_keeps_secret(self, ann, restart):
        match = await ann.play("long")
        first = await ann.guess(match, 1, "1" * 16)
        again, _ = await resume(restart(), ann, match)
        second = await again.guess(match, 2, "1" * 16)
        assert (second["black"], second["white"]) == (first["black"], first["white"])
        assert (await again.request(type="resign", match=match))["client_nonce"] == "mine"

    async def test_restart_holds_clocks_for_grace_period(self, ann, restart):
        match = await ann.play("tiny")
        runner = restart().registry.open.get(match)
        assert runner.match.deadline() == 1_000 + Timing().restart_grace_ms
        assert not runner.match.clock.running

    async def test_restart_keeps_game_waiting_for_ready(self, ann, restart):
        match = await ann.play("tiny", ready=False)
        _, resumed = await resume(restart(), ann, match)
        assert (resumed["state"], resumed["game"]) == ("ready", 1)

    async def test_restart_finds_finished_match(self, ann, restart):
        match = await ann.play("tiny")
        await ann.request(type="resign", match=match)
        await ann.receive("match_over")
        later = restart()
        assert len(later.registry.open) == 0
        runner = await later.registry.find(match, 1)
        assert runner.match.state is State.OVER
        assert runner.sent_count == 5
        assert later.registry.open.get(match) is None

    async def test_restart_skips_match_of_removed_ladder(self, ann, restart, engine):
        match = await ann.play("tiny")
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE matches SET ladder = 'gone'")
        later = restart()
        assert len(later.registry.open) == 0
        assert await later.registry.find(match, 1) is None
        again = await later.reconnect(ann)
        assert await again.error_code(type="resume", match=match, seq=0) == "not_your_match"


async def test_match_ids_sort_by_start(ann):
    ids = [await ann.play("tiny") for _ in range(5)]
    assert ids == sorted(set(ids))
    assert {len(each) for each in ids} == {16}
    assert int(ids[0][:11], 16) == 1_700_000_000_000


async def test_find_of_unknown_match_is_none(fake_server):
    assert await fake_server.registry.find("f" * 16, 1) is None


async def test_open_matches_by_player(ann, fake_server):
    bob = await fake_server.connect_player("bob")
    matches = [await ann.play("tiny"), await ann.play("long"), await bob.play("tiny")]
    players = [fake_server.services.players.by_token(client.token) for client in (ann, bob)]
    assert [[each.match for each in fake_server.registry.open.listed(player.id)] for player in players] == [
        matches[:2],
        matches[2:],
    ]


async def test_restart_survives_unreadable_record(ann, restart, engine):
    bad, good = await ann.play("long"), await ann.play("tiny")
    with engine.begin() as connection:
        update = "UPDATE events SET json = '{}' WHERE match = (SELECT number FROM matches WHERE id = ?)"
        connection.exec_driver_sql(update, (bad,))
    later = restart()
    assert [entry["match"] for entry in later.take_log()] == [bad]
    assert later.registry.open.get(bad) is None
    assert later.registry.open.get(good) is not None


async def test_draining_refuses_new_requests(ann, fake_server):
    match = await ann.play("long")
    await fake_server.registry.drain()
    assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="1" * 16) == "draining"
    assert await ann.error_code(type="play", ladder="long") == "draining"
    assert len(load_match(fake_server.engine, match).entries) == 2


async def test_closed_lobby_drops_late_reply(ann, fake_server):
    match = await ann.play("slow")
    fake_server.pool.paused = True
    ann.request_ids.remove(await ann.send(type="guess", match=match, game=1, turn=1, code="123456"))
    fake_server.registry.close()
    sent = len(ann.channel.sent)
    fake_server.pool.run_pending()
    await loop_turns()
    assert len(ann.channel.sent) == sent
    assert len(load_match(fake_server.engine, match).entries) == 2


async def test_draining_waits_for_pending_reply(ann, fake_server):
    thinking, quick = await ann.play("slow"), await ann.play("quick")
    fake_server.pool.paused = True
    guessed = await ann.send(type="guess", match=thinking, game=1, turn=1, code="123456")
    draining = asyncio.create_task(fake_server.registry.drain())
    await loop_turns()
    assert fake_server.registry.draining
    assert not draining.done()
    fake_server.pool.run_pending()
    await draining
    assert json.loads(ann.channel.sent[-1])["type"] == "turn"
    assert (await ann.receive(re=guessed))["type"] == "feedback"
    assert fake_server.registry.open.get(quick).time.timer is None


@pytest.mark.parametrize(("ladder", "tie_nonces"), [("evil", 2), ("devil", 2), ("tiny", None), ("slow", None)])
async def test_new_match_says_how_many_nonces_decide_ties(fake_server, ladder, tie_nonces):
    ann = await fake_server.connect_player()
    started = await ann.request(type="play", ladder=ladder)
    assert started.get("tie_nonces") == tie_nonces
    assert fake_server.registry.open.get(started["match"]).key.tie_nonces == tie_nonces


async def test_restored_match_keeps_its_tie_rule(fake_server, restart, engine):
    """A match that began before `tie_nonces` goes on without it; the control is a match that began with it."""
    ann = await fake_server.connect_player()
    new, old = [(await ann.request(type="play", ladder="evil"))["match"] for _ in range(2)]
    fake_server.writer.close()
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE events SET json = json_remove(json, '$.tie_nonces')"
            " WHERE seq = 1 AND match = (SELECT number FROM matches WHERE id = ?)",
            (old,),
        )
    later = restart()
    assert later.registry.open.get(new).key.tie_nonces == 2
    assert later.registry.open.get(old).key.tie_nonces is None


async def test_match_ids_begin_with_time_and_grow_when_clock_is_set_back(ann, fake_server):
    fake_server.clock.wall_step_ms = -1_000
    made = [await ann.play("tiny", ready=False) for _ in range(4)]
    assert abs(int(made[0][:11], 16) - fake_server.clock.wall_ms()) < 100_000
    assert made == sorted(set(made))
    assert {len(match) for match in made} == {16}


async def test_open_matches_are_found_by_id_and_player_until_they_end(ann, fake_server):
    registry = fake_server.registry
    bob = await fake_server.connect_player("bob")
    made = [await client.play(ladder, ready=False) for client, ladder in ((ann, "tiny"), (bob, "slow"), (ann, "slow"))]
    ann_id, bob_id = ann.session.player.id, bob.session.player.id
    assert [runner.key.id for runner in registry.open.runners] == made
    assert [runner.key.id for runner in registry.open.of_player(ann_id)] == [made[0], made[2]]
    assert registry.open.get(made[1]) is registry.open.of_player(bob_id)[0]
    assert (len(registry.open), registry.open.practice) == (3, 2)
    await bob.request(type="resign", match=made[1])
    assert (registry.open.get(made[1]), registry.open.of_player(bob_id)) == (None, [])
    assert (len(registry.open), registry.open.practice) == (2, 1)


async def test_finding_by_player_looks_at_no_other_match(ann, fake_server, monkeypatch):
    for name in ("bob", "carl"):
        await (await fake_server.connect_player(name)).play("tiny", ready=False)
    own, player = await ann.play("tiny", ready=False), ann.session.player.id
    read = []
    monkeypatch.setattr(MatchRunner, "player", property(read.append), raising=False)
    assert [runner.key.id for runner in fake_server.registry.open.of_player(player)] == [own]
    assert read == []
