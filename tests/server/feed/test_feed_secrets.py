"""Nothing that the feed publishes reveals a secret before the game is over."""

import json

import pytest

from evilpegs_game.codes import format_code
from evilpegs_server.replies.game_secrets import GameSecrets
from support.brokers import Subscriber


@pytest.mark.parametrize("ladder", ["long", "evil"])
async def test_feed_reveals_nothing_before_end(mosquitto, publishing, players, ladder):
    def has_type(kind):
        return lambda s: any(f'"type":"{kind}"'.encode() in payload for payload in s.payloads("event"))

    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        await subscriber.wait_for(lambda s: s.payloads("state"))
        (ann,) = await players(server)
        match = await ann.raw.play(ladder)
        await ann.raw.guess(match, 1, 1, "1" * 16 if ladder == "long" else "12")
        await subscriber.wait_for(has_type("feedback"))
        await subscriber.wait_for(
            lambda s: any(match.encode() in payload and b'"open"' in payload for payload in s.payloads("live"))
        )
        key = server.registry.open.get(match).key
        nonce, hidden = key.nonce(1), [key.nonce(1), key.nonce(2), key.seed.hex(), ann.raw.token]
        if ladder == "long":
            hidden.append(format_code(GameSecrets(match, 1, nonce, None).secret(key.ladder)))
        before = [(topic, payload.decode()) for topic, payload, _ in subscriber.received]
        await ann.raw.say(type="resign", match=match, game=1)
        await subscriber.wait_for(has_type("game_over"))
        after = [payload.decode() for payload in subscriber.payloads("event")]
    assert [text for text in before if any(each in part for part in text for each in hidden)] == []
    [over] = [json.loads(text) for text in after if '"type":"game_over"' in text]
    assert over["nonce"] == nonce
    assert over["secret"] in hidden or ladder == "evil"
