"""The leaderboards that a real server publishes."""

import json

import aiomqtt
import jsonschema
import pytest

from support.brokers import Subscriber
from support.feed_documents import SCHEMAS, kind_of
from support.servers import dial


async def test_feed_publishes_leaderboard(mosquitto, publishing, players):
    def ranked(subscriber):
        documents = [json.loads(p) for t, p, _ in subscriber.received if t.endswith("ladder/tiny/leaderboard")]
        return next((document for document in documents if document["rows"]), None)

    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        await subscriber.wait_for(lambda s: s.payloads("state"))
        (ann,) = await players(server)
        await ann.play()
        [row] = (await subscriber.wait_for(ranked))["rows"]
        assert (row["client"], row["games"]) == ("raw 1", 2)
        async with Subscriber(mosquitto.port) as late:
            assert (await late.wait_for(ranked))["rows"] == [row]
    for topic, payload, _ in subscriber.received:
        schema = SCHEMAS[kind_of(topic)]  # which the test below checks, for a third of a second each
        jsonschema.validators.validator_for(schema)(schema).validate(json.loads(payload))
    assert {kind_of(topic) for topic, _, _ in subscriber.received} == set(SCHEMAS)


async def test_leaderboard_of_earlier_database_is_replaced(mosquitto, publishing):
    topic = "evilpegs/v1/evilpegs/ladder/tiny/leaderboard"
    async with aiomqtt.Client("127.0.0.1", mosquitto.port) as client:
        await client.publish(topic, json.dumps({"rows": ["of somebody"]}), qos=1, retain=True)

    def rows(subscriber):
        return [json.loads(payload)["rows"] for payload in subscriber.payloads("leaderboard")]

    async with Subscriber(mosquitto.port, topic) as subscriber:
        await subscriber.wait_for(lambda s: rows(s) == [["of somebody"]])
        async with publishing(mosquitto.url):
            await subscriber.wait_for(lambda s: rows(s) == [["of somebody"], []])
    async with Subscriber(mosquitto.port, topic) as late:
        await late.wait_for(lambda s: rows(s) == [[]])


async def test_feed_has_ladders_of_the_operator(mosquitto, publishing, players, tmp_path, monkeypatch):
    """Open matches of one that was removed are still published, because the broker keeps the list of before."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "evilpegs.toml"
    file.write_text('[ladders.friday]\nrules = "2x3"\ncodemaker = "fixed"\nguess_limit = 4\ngames = 2')
    topics = [f"evilpegs/v1/evilpegs/ladder/friday/{name}" for name in ("live", "leaderboard")]
    async with publishing(mosquitto.url, ladders=None) as server:
        (ann,) = await players(server)
        match = await ann.raw.play("friday")
        async with Subscriber(mosquitto.port, *topics) as subscriber:
            await subscriber.wait_for(lambda s: [match] in open_matches(s))
            await subscriber.wait_for(lambda s: s.payloads("leaderboard"))
    file.write_text("")
    async with publishing(mosquitto.url, ladders=None) as server, dial(server.url) as raw:
        await raw.hello(token=ann.raw.token)
        await raw.ask("resumed", type="resume", match=match, seq=0)
        async with Subscriber(mosquitto.port, *topics) as subscriber:
            for game in (1, 2):
                await raw.ask("game_over", type="resign", match=match, game=game)
            await subscriber.wait_for(lambda s: open_matches(s)[-1:] == [[]])
            await subscriber.wait_for(lambda s: any(json.loads(each)["rows"] for each in s.payloads("leaderboard")))


def open_matches(subscriber):
    """Return the ids in each list of open matches that was published."""
    return [[match["match"] for match in json.loads(each)["matches"]] for each in subscriber.payloads("live")]


@pytest.mark.parametrize("kind", ["state", "event", "result", "live", "leaderboard"])
def test_schemas_refuse_other_documents(kind):
    """The control of a test above."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "hint"}, SCHEMAS[kind])
