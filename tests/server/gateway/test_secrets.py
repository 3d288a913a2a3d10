"""No secret, nonce, seed or token is revealed too early: not in a log, not in a repr, not to any connection."""

import gc
import json
from dataclasses import replace

import pytest

from evilpegs_game.codes import format_code, parse_code
from evilpegs_server.match.events import GameBegun, NeedReply
from evilpegs_server.replies.game_secrets import GameSecrets
from evilpegs_server.storage.log.archive import load_match
from support.fake_server import BrokenPart


def reprs():
    """Yield the repr of every living object whose class is the project's."""
    for thing in gc.get_objects():
        if str(type(thing).__module__).startswith("evilpegs_"):
            yield repr(thing)


class Game:
    """A game in play, and the texts about it that nobody may see."""

    def __init__(self, fake_server, client, match):
        self.key = fake_server.registry.open.get(match).key
        nonce, seed = self.key.nonce(1), self.key.seed
        self.hidden = [nonce, str(bytes.fromhex(nonce)), seed.hex(), str(seed), client.token]
        if self.key.ladder.codemaker == "fixed":
            secret = GameSecrets(self.key.id, 1, nonce, "mine").secret(self.key.ladder)
            self.hidden += [format_code(secret), str(secret)]

    def find_revealed(self, texts):
        return [text for text in texts if any(hidden in text for hidden in self.hidden)]


@pytest.fixture(params=["long", "evil"])
async def game(fake_server, request):
    """A game after its first guess, on a fixed and on an evil ladder."""
    ann = await fake_server.connect_player("ann")
    match = await ann.play(request.param)
    await ann.guess(match, 1, "1" * 16 if request.param == "long" else "12")
    game = Game(fake_server, ann, match)
    game.ann, game.match = ann, match
    return game


async def test_messages_reveal_nothing_before_end(game):
    sent = game.ann.channel.sent[1:]
    assert len(sent) > 4
    assert game.find_revealed(sent) == []


async def test_game_end_reveals_nonce(game):
    over = await game.ann.request(type="resign", match=game.match)
    assert over["nonce"] == game.key.nonce(1)
    assert game.key.seed.hex() not in "".join(game.ann.channel.sent)
    assert len(parse_code(over["secret"], game.key.ladder.rules)) == game.key.ladder.rules.pegs
    if game.key.ladder.codemaker == "fixed":
        assert over["secret"] in game.hidden


async def test_reprs_reveal_nothing(game, fake_server):
    alive = [*reprs(), repr(load_match(fake_server.engine, game.match))]
    assert any(text.startswith("MatchKey(") for text in alive)
    assert game.find_revealed(alive) == []


async def test_logs_of_faults_reveal_nothing(game, fake_server, broken_disk):
    ann, match = game.ann, game.match
    fake_server.services = replace(fake_server.services, players=BrokenPart())
    late = fake_server.connect()
    assert (await late.hello(token=ann.token))["code"] == "internal"
    broken_disk.on = True
    await ann.send(type="resign", match=match)
    await ann.receive("error")
    broken_disk.on = False
    entries = fake_server.take_log()
    texts = [json.dumps(entry, default=repr) for entry in entries]
    causes = ["broken by_token", "OSError"]
    assert [cause for cause in causes if any(cause in text for text in texts)] == causes
    assert game.find_revealed(texts) == []


async def test_log_of_failed_codemaker_reveals_nothing(game, fake_server):
    def fail(secrets):
        raise RuntimeError(repr(secrets))

    fake_server.codemaking.before_reply = fail
    code = "3" * game.key.ladder.rules.pegs
    assert await game.ann.error_code(type="guess", match=game.match, game=1, turn=2, code=code) == "internal"
    [entry] = fake_server.take_log()
    assert "GameSecrets(match=" in entry["exception"]
    assert game.find_revealed([json.dumps(entry, default=repr)]) == []


def test_event_reprs_hide_client_nonce():
    for event in (GameBegun(1, "client-nonce"), NeedReply(1, 1, (0,), (), "client-nonce")):
        assert "client-nonce" not in repr(event)
