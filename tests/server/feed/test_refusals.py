"""A broker whose access list does not let the server publish everything."""

import json

import pytest

from evilpegs_server.show.follower import load_events
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.location import beside
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.storage.queries import closing_engine
from support.brokers import Mosquitto, Subscriber, keys

SERVER = "evilpegs/v1/evilpegs"
ALL_BUT_RESULTS = (f"{SERVER}/state", f"{SERVER}/ladder/#", f"{SERVER}/match/+/event")


@pytest.fixture
async def guarded(tmp_path, request):
    """A broker that lets clients read everything and publish what the test allows.

    mosquitto 2.0.11 cuts the connection after a refusal if its queue is unlimited, which is the parameter 0.
    """
    place, broker = tmp_path / "acl", Mosquitto(tmp_path)
    broker.configure(f"acl_file {place}", f"max_queued_messages {getattr(request, 'param', 100_000)}")

    def allow(*topics):
        place.write_text("".join(f"topic {line}\n" for line in ("read #", *(f"write {topic}" for topic in topics))))

    allow(*ALL_BUT_RESULTS)
    broker.allow = allow
    await broker.start()
    yield broker
    broker.kill()


def unpublished(database):
    """Return the types of the events after the stored cursor."""
    cursor = json.loads(beside(database, ".feed").read_text())["event"]
    with closing_engine(open_database(database)) as engine:
        return [event.type for event in load_events(engine, cursor, load_last_event_id(engine))]


async def play_refused(player, log, count):
    """Play until the log has the line about the refused result."""
    for _ in range(count):
        await player.play()
    await log.wait_for_fact("refused a result")


@pytest.mark.parametrize("guarded", [100_000, 0], indirect=True)
async def test_refused_results_are_sent_again(guarded, publishing, players, log):
    async with Subscriber(guarded.port) as subscriber, publishing(guarded.url) as server:
        (ann,) = await players(server)
        await play_refused(ann, log, 3)
        await guarded.wait_for_log("Denied PUBLISH", 4)
        assert subscriber.matches == set()
        guarded.allow("#")
        guarded.reload()
        await subscriber.wait_for(lambda s: len(s.matches) == 3)
        await log.wait_for_fact("accepts")
    assert [json.loads(payload) for payload in subscriber.payloads("result")] == ann.results
    assert {(result["match"], result["seq"]) for result in ann.results} < set(keys(subscriber.payloads("event")))
    refused, accepted = [line for line in log.about_broker if "topic" in line]
    assert (refused["level"], accepted["level"]) == ("warning", "info")
    assert refused["topic"].endswith("/result")
    assert refused["why"] == "Not authorized"
    assert "acl_file" in refused["advice"]


def sent_on_connections(log):
    """Return the last words of the topics that were published on each connection, in order, from a broker's log."""
    connections = []
    for line in log.splitlines():
        if "New client connected" in line and " as evilpegs" in line:
            connections.append([])
        elif " PUBLISH from evilpegs" in line:
            connections[-1].append(line.split("'")[1].rpartition("/")[2])
    return connections


@pytest.mark.parametrize("guarded", [0], indirect=True)
async def test_refused_result_is_sent_before_anything_else_can_fail(guarded, publishing, players, log):
    """A broker that cuts the connection after a refusal must meet no other message, or the refusal is lost."""
    guarded.kill()
    async with publishing(guarded.url) as server:
        (ann,) = await players(server)
        for _ in range(3):
            await ann.play()
        await guarded.start()
        await log.wait_for_fact("refused a result")
        await guarded.wait_for_log("Denied PUBLISH", 2)
        connections = sent_on_connections(guarded.log_text)[:2]
    assert [(first, set(events), last) for first, *events, last in connections] == [("state", {"event"}, "result")] * 2


async def test_refused_result_keeps_cursor(guarded, publishing, players, log, database):
    async with Subscriber(guarded.port) as subscriber, publishing(guarded.url) as server:
        await subscriber.wait_for(lambda s: s.payloads("state"))
        (ann,) = await players(server)
        await play_refused(ann, log, 2)
    assert unpublished(database)[0] == "match_over"
    assert unpublished(database).count("match_over") == 2
    assert [json.loads(payload)["state"] for payload in subscriber.payloads("state")] == ["online", "stopped"]


async def test_other_refused_messages_hold_up_no_result(guarded, publishing, players, log):
    guarded.allow(f"{SERVER}/match/+/result")
    guarded.reload()
    async with Subscriber(guarded.port) as subscriber, publishing(guarded.url) as server:
        (ann,) = await players(server)
        match = await ann.play()
        await subscriber.wait_for(lambda s: match in s.matches)
    kinds = [line["topic"].rpartition("/")[2] for line in log.about_broker if line["level"] == "warning"]
    assert len(kinds) == len(set(kinds))
    assert {"state", "live"} <= set(kinds) <= {"state", "live", "leaderboard", "result"}


async def test_too_large_documents_are_left_out(tmp_path, publishing, players, log):
    """The list of open matches outgrows a packet; results and smaller documents go on over one connection."""
    mosquitto = Mosquitto(tmp_path, "max_packet_size 600")
    await mosquitto.start()
    try:
        async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
            (ann,) = await players(server)
            for _ in range(6):
                await ann.raw.play("long")
            await log.wait_for_fact("refused a message")
            match = await ann.play()
            await subscriber.wait_for(lambda s: match in s.matches)
    finally:
        mosquitto.kill()
    connected, refused = log.about_broker
    assert (connected["level"], refused["level"]) == ("info", "warning")
    assert refused["topic"].endswith("/ladder/long/live")
    assert "600" in refused["why"]
    assert "max_packet_size" in refused["advice"]


async def test_unread_results_are_not_refused(mosquitto, publishing, players, log, database):
    """The control: the broker acknowledges with the code 16 what nobody subscribes to."""
    async with publishing(mosquitto.url) as server:
        (ann,) = await players(server)
        await ann.play()
        await log.wait_for(1)
        await mosquitto.wait_for_log("/result", 1)
    assert unpublished(database) == []
    assert [line["level"] for line in log.about_broker] == ["info"]
