"""The feed of a real server at a real mosquitto."""

import asyncio
import json
import signal
import socket
from collections import defaultdict
from urllib.parse import urlsplit

import pytest

from evilpegs_protocol.broker import BrokerUnusableError
from evilpegs_server.feed.cursor import FeedCursor
from evilpegs_server.server import wall_ms
from evilpegs_server.settings import Settings
from evilpegs_server.show.follower import load_events
from evilpegs_server.site.http_server import Connection
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.location import beside
from evilpegs_server.storage.log.acts import act_on_player, forget_player
from evilpegs_server.storage.log.archive import load_last_event_id, load_match
from evilpegs_server.storage.log.rounds import Round, open_round
from evilpegs_server.storage.queries import closing_engine, read_value
from evilpegs_server.timing import Timing
from support.brokers import Mosquitto, Proxy, Subscriber, keys
from support.in_process import running_server
from support.named_players import given_names
from support.servers import dial
from support.waiting import until


def results(subscriber):
    return [json.loads(payload) for payload in subscriber.payloads("result")]


def has_results(count):
    """Return a condition: a subscriber has the results of so many matches."""
    return lambda subscriber: len(subscriber.matches) >= count


def has_state(state):
    return lambda subscriber: [json.loads(p)["state"] for p in subscriber.payloads("state")][-1:] == [state]


def assert_ordered(payloads):
    """Check that the events of each match arrive in order, but for doubles."""
    highest, texts = defaultdict(int), {}
    for payload in payloads:
        event = json.loads(payload)
        key = event["match"], event["seq"]
        assert texts.setdefault(key, payload) == payload
        if event["seq"] > highest[event["match"]]:
            highest[event["match"]] = event["seq"]
        else:
            assert key in texts


def stored_events(database):
    engine = open_database(database)
    stored = load_events(engine, 0, load_last_event_id(engine), 1_000_000)
    engine.dispose()
    return stored


async def assert_complete(subscriber, database):
    """Check that every event and every result in the database arrives, and nothing else."""
    stored = stored_events(database)
    # a broker may deliver results, at QoS 1, before the last events
    await subscriber.wait_for(lambda s: len(set(s.payloads("event"))) >= len(stored))
    assert set(subscriber.payloads("event")) == {event.text.encode() for event in stored}
    assert set(subscriber.payloads("result")) == {e.text.encode() for e in stored if e.type == "match_over"}
    assert_ordered(subscriber.payloads("event"))


async def test_feed_publishes_record(mosquitto, publishing, players, database):
    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        await subscriber.wait_for(has_state("online"))
        (ann,) = await players(server)
        match = await ann.play()
        await subscriber.wait_for(has_results(1))
        topic = f"evilpegs/v1/evilpegs/match/{match}"
        # a broker may deliver the result, at QoS 1, before the events
        await subscriber.wait_for(lambda s: any(t == f"{topic}/event" and b"match_over" in p for t, p, _ in s.received))
        published = [(t, p.decode(), m.qos) for t, p, m in subscriber.received if t.startswith(topic)]
        player = next(json.loads(text)["player"] for t, text, _ in published if t == f"{topic}/event")
    with closing_engine(open_database(database)) as engine:
        stored = [entry.text for entry in load_match(engine, match).entries]
    assert [text for t, text, _ in published if t == f"{topic}/event"] == stored
    assert {qos for t, _, qos in published if t == f"{topic}/event"} == {0}
    assert [(text, qos) for t, text, qos in published if t == f"{topic}/result"] == [(stored[-1], 1)]
    [message] = [m for t, _, m in subscriber.received if t == f"{topic}/result"]
    properties = dict(message.properties.UserProperty)
    assert properties == {"player": player, "client": "raw 1", "ladder": "tiny", "rated": "true"}


async def test_newest_result_of_ladder_is_retained_and_stands_alone(mosquitto, publishing, players):
    topic = "evilpegs/v1/evilpegs/ladder/tiny/result"

    def shown(match):
        def condition(subscriber):
            documents = [json.loads(p) for t, p, _ in subscriber.received if t == topic]
            return documents[-1] if documents and documents[-1]["match"] == match else None

        return condition

    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        await subscriber.wait_for(has_state("online"))
        (ann,) = await players(server)
        await subscriber.wait_for(shown(await ann.play()))
        newest = await subscriber.wait_for(shown(await ann.play()))
        async with Subscriber(mosquitto.port) as late:
            assert await late.wait_for(shown(newest["match"])) == newest
    assert (newest["client"], newest["ladder"], newest["rated"]) == ("raw 1", "tiny", True)
    assert len(newest["outcomes"]) == len(newest["guesses"]) == 2
    assert newest["elapsed_ms"] >= 0


NAME = "SELECT name FROM players WHERE id = (SELECT player FROM matches WHERE id = :match)"


async def test_result_of_forgotten_player_is_retained_no_longer(mosquitto, publishing, players, database):
    def results(subscriber):
        kept = [payload for topic, payload, _ in subscriber.received if topic.endswith("/ladder/tiny/result")]
        return [json.loads(payload)["player"] if payload else "" for payload in kept]

    def standings(subscriber):
        return [topic for topic, _, _ in subscriber.received if topic.endswith("/ladder/tiny/leaderboard")]

    expected = []
    async with Subscriber(mosquitto.port) as subscriber:
        async with publishing(mosquitto.url) as server:
            await subscriber.wait_for(has_state("online"))
            for end in ("forgotten", "hidden", "shown"):
                (player,) = await players(server)
                match = await player.play()
                with closing_engine(open_database(database)) as engine:
                    name = read_value(engine, NAME, match=match)
                    expected.append(name)
                    await subscriber.wait_for(lambda each: results(each) == expected)
                    if end == "forgotten":
                        forget_player(engine, name, wall_ms(), with_open=False)
                    elif end == "hidden":
                        act_on_player(engine, "hide", name, wall_ms())
                if end != "shown":
                    expected.append("")
                    await subscriber.wait_for(lambda each: results(each) == expected)
        published = len(standings(subscriber))
        async with publishing(mosquitto.url):
            await subscriber.wait_for(lambda each: len(standings(each)) > published)
            assert results(subscriber) == expected


async def test_feed_lists_open_matches(mosquitto, publishing, players):
    def listed(count):
        def condition(subscriber):
            documents = [json.loads(p) for t, p, _ in subscriber.received if t.endswith("ladder/tiny/live")]
            return documents[-1] if documents and documents[-1]["open"] == count else None

        return condition

    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        assert (await subscriber.wait_for(listed(0)))["matches"] == []
        (ann,) = await players(server)
        match = await ann.raw.play("tiny")
        [found] = (await subscriber.wait_for(listed(1)))["matches"]
        assert (found["match"], found["client"]) == (match, {"name": "raw", "version": "1"})
        async with Subscriber(mosquitto.port) as late:
            assert (await late.wait_for(listed(1)))["matches"] == [found]
        await ann.raw.say(type="resign", match=match)
        await subscriber.wait_for(listed(0))


async def test_stopped_server_says_so(mosquitto, publishing):
    async with Subscriber(mosquitto.port) as subscriber:
        async with publishing(mosquitto.url, server_id="hall-2"):
            await subscriber.wait_for(has_state("online"))
        await subscriber.wait_for(has_state("stopped"))
        async with Subscriber(mosquitto.port) as late:
            await late.wait_for(has_state("stopped"))
    assert {topic for topic, _, _ in subscriber.received if topic.endswith("state")} == {"evilpegs/v1/hall-2/state"}


def test_times_of_outlets_fit_into_their_limit():
    """The site closes before the feed. The test below does without their common limit."""
    timing = Timing()
    assert timing.site_close_seconds + timing.feed_stop_seconds < timing.outlet_seconds


async def test_client_of_site_that_reads_nothing_hides_no_stop(mosquitto, publishing, log, monkeypatch):
    """This client uses up the time in which the site closes; the feed closes after the site."""
    connections, make = [], Connection.connection_made

    def note_connection(connection, transport):
        make(connection, transport)
        connections.append(connection)

    monkeypatch.setattr(Connection, "connection_made", note_connection)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        async with Subscriber(mosquitto.port) as subscriber:
            async with publishing(mosquitto.url, site=True, site_port=0) as server:
                await subscriber.wait_for(has_state("online"))
                client.connect(("127.0.0.1", urlsplit(server.site_url).port))
                client.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
                await until(lambda: any(each.transport.get_write_buffer_size() for each in connections))
            states = await subscriber.wait_for(lambda subscriber: subscriber.payloads("state")[1:])
    assert json.loads(states[0])["state"] == "stopped"
    assert not [line for line in log if line["level"] in {"warning", "error"}]


@pytest.mark.full
async def test_killed_broker_misses_nothing(mosquitto, publishing, load, database):
    """The subscriber reads at QoS 0: one that acknowledges stops reading when it can no longer write."""
    async with (
        Proxy(mosquitto.port) as proxy,
        Subscriber(mosquitto.port, qos=0) as subscriber,
        publishing(f"mqtt://127.0.0.1:{proxy.port}") as server,
    ):
        async with load(server) as played:
            for _ in range(3):
                await subscriber.wait_for(has_results(len(subscriber.matches) + 20))
                proxy.accepts = False
                mosquitto.kill()
                await subscriber.wait_offline()
                await mosquitto.start()
                await subscriber.wait_online()
                proxy.accepts = True
        await subscriber.wait_for(has_results(len(played)))
        await assert_complete(subscriber, database)
    assert len(subscriber.matches) == len(played)


@pytest.mark.full
async def test_events_of_outage_come_later(mosquitto, publishing, players, log, database):
    """The connection is cut in the middle of a match, which ends before the broker is back."""
    async with (
        Proxy(mosquitto.port) as proxy,
        Subscriber(mosquitto.port) as subscriber,
        publishing(f"mqtt://127.0.0.1:{proxy.port}") as server,
    ):
        (ann,) = await players(server)
        match = await ann.raw.play("tiny")
        await subscriber.wait_for(lambda s: any(b"match_started" in payload for payload in s.payloads("event")))
        proxy.accepts = False
        await proxy.cut()
        await log.wait_for(2)
        await ann.raw.guess(match, 1, 1, "12")
        await ann.raw.say(type="resign", match=match)
        await ann.raw.hear("match_over")
        await ann.play()
        proxy.accepts = True
        await subscriber.wait_for(has_results(2))
        await assert_complete(subscriber, database)


@pytest.mark.full
async def test_events_of_absent_broker_come_later(tmp_path, publishing, load, log, database):
    """The feed starts again with the cursor that it has stored."""
    mosquitto = Mosquitto(tmp_path)
    async with publishing(mosquitto.url) as server, load(server) as played:
        await log.wait_for(1)
    assert len(log.about_broker) == 1
    await mosquitto.start()
    try:
        async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url):
            await subscriber.wait_for(has_results(len(played)))
            await assert_complete(subscriber, database)
    finally:
        mosquitto.kill()


@pytest.mark.full
async def test_killed_feed_begins_at_its_stored_cursor(mosquitto, publishing, load, database):
    """What is published after the cursor was stored comes again."""
    async with Subscriber(mosquitto.port) as subscriber:
        async with publishing(mosquitto.url) as server:
            stored = beside(database, ".feed").read_bytes()
            async with load(server) as played:
                await subscriber.wait_for(has_results(5))
        beside(database, ".feed").write_bytes(stored)
        once = len(stored_events(database))
        await subscriber.wait_for(lambda s: len(s.payloads("event")) == once)
        async with publishing(mosquitto.url):
            await subscriber.wait_for(lambda s: len(s.payloads("result")) == 2 * len(played))
            await subscriber.wait_for(lambda s: len(s.payloads("event")) == 2 * once)
        await assert_complete(subscriber, database)
    assert subscriber.payloads("event")[:once] == subscriber.payloads("event")[once:]


async def test_new_feed_begins_at_end_of_log(mosquitto, publishing, players):
    async with publishing(None) as server:
        (ann,) = await players(server)
        await ann.play()
    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        (bob,) = await players(server)
        match = await bob.play()
        await subscriber.wait_for(has_results(1))
    assert [result["match"] for result in results(subscriber)] == [match]


@pytest.mark.full
async def test_restarted_feed_publishes_nothing_again(mosquitto, publishing, load, database):
    async with Subscriber(mosquitto.port) as subscriber:
        async with publishing(mosquitto.url) as server, load(server) as first:
            await subscriber.wait_for(has_results(5))
        await subscriber.wait_for(has_results(len(first)))
        async with publishing(mosquitto.url) as server, load(server) as second:
            await subscriber.wait_for(has_results(len(first) + 5))
        await subscriber.wait_for(has_results(len(first) + len(second)))
        await assert_complete(subscriber, database)
    assert len(results(subscriber)) == len(first) + len(second)
    assert len(keys(subscriber.payloads("event"))) == len(set(keys(subscriber.payloads("event"))))


async def test_paused_broker_delays_no_match_and_misses_nothing(mosquitto, publishing, players, database):
    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        await subscriber.wait_for(has_state("online"))
        connected = await players(server, 4)
        mosquitto.process.send_signal(signal.SIGSTOP)
        for _ in range(50):
            await asyncio.gather(*(player.play() for player in connected))
        assert not subscriber.matches
        mosquitto.process.send_signal(signal.SIGCONT)
        await subscriber.wait_for(has_results(200))
        await assert_complete(subscriber, database)


async def test_second_publisher_publishes_nothing(mosquitto, publishing, players, log, database):
    async with publishing(None):
        pass  # creates the database
    engine = open_database(database)
    first = FeedCursor(beside(database, ".feed"), engine, log.logger)
    async with Subscriber(mosquitto.port) as subscriber:
        async with publishing(mosquitto.url) as server:
            (ann,) = await players(server)
            await ann.play()
        [line] = log.about_broker
        assert "another process" in line["event"]
        assert not subscriber.received
        first.close()
        async with publishing(mosquitto.url):
            await subscriber.wait_for(has_results(1))
    engine.dispose()


async def test_wrong_password_is_logged_once(tmp_path, publishing, load, log):
    mosquitto = Mosquitto(tmp_path)
    mosquitto.configure(mosquitto.set_password("server", "right"))
    await mosquitto.start()
    try:
        async with publishing(mosquitto.url, mqtt_user="server", mqtt_password="wrong") as server:
            async with load(server) as played:
                await mosquitto.wait_for_log("not authorised", 3)
            [line] = log.about_broker
            assert line["broker"] == f"127.0.0.1:{mosquitto.port}"
            assert "wrong" not in json.dumps(line)
            mosquitto.kill()
            mosquitto.configure()
            await mosquitto.start()
            async with Subscriber(mosquitto.port) as subscriber:
                await subscriber.wait_for(has_state("online"))
                await subscriber.wait_for(has_results(len(played)))
            assert len(log.about_broker) == 2
    finally:
        mosquitto.kill()


@pytest.mark.parametrize(
    ("settings", "fact"),
    [
        ({"mqtt": "http://broker"}, "http://broker"),
        ({"mqtt": "mqtt://"}, "mqtt://"),
        ({"mqtt": "mqtt://broker:99999"}, "99999"),
        ({"mqtt": "mqtt://broker/topic"}, "mqtt://broker/topic"),
        ({"mqtt": "mqtt://broker", "mqtt_password": "x"}, "mqtt_user"),
        ({"mqtt": "mqtt://broker", "mqtt_user": "x", "mqtt_password_file": "none.txt"}, "none.txt"),
        ({"mqtt": "mqtts://broker", "mqtt_ca_file": "none.pem"}, "none.pem"),
        ({"mqtt": "mqtt://broker", "mqtt_ca_file": "none.pem"}, "mqtts://"),
    ],
)
async def test_server_refuses_unusable_broker(database, log, settings, fact):
    with pytest.raises(BrokerUnusableError) as caught:
        async with running_server(Settings(port=0, site=False, database=database, **settings), log.logger):
            pass
    assert fact in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_login_in_broker_url_is_refused_unseen(database, log):
    with pytest.raises(BrokerUnusableError) as caught:
        async with running_server(
            Settings(port=0, site=False, database=database, mqtt="mqtt://me:hush@broker"), log.logger
        ):
            pass
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("sealed", [True, False])
async def test_matches_of_sealed_rounds_are_on_no_topic(mosquitto, publishing, players, database, sealed):
    """The control is a round that is not sealed. The match that is played later shows that the feed went on."""
    (token,) = given_names(database, ["anna"]).values()
    engine = open_database(database)
    open_round(engine, Round("final", "tiny", 2, sealed=sealed, opens=0, closes=None, published=None), ["anna"])
    engine.dispose()
    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        await subscriber.wait_for(has_state("online"))
        (other,) = await players(server)
        async with dial(server.url) as anna:
            await anna.hello(token=token)
            match = await anna.play("final")
            await anna.guess(match, 1, 1, "12")
            await anna.ask("match_over", type="resign", match=match)
        later = await other.play()
        await subscriber.wait_for(lambda s: any(later in t and t.endswith("result") for t, _, _ in s.received))
        shown = [topic for topic, payload, _ in subscriber.received if match in topic or match.encode() in payload]
    assert (shown == []) is sealed
