"""Neither secret, nonce, seed nor token is told too early: not in a log, not in a repr, not to anyone."""

import gc
import json

import pytest

from evilpegs_game.codes import format_code, parse_code
from evilpegs_server.codemaking import Draw
from evilpegs_server.events import GameBegun, NeedReply
from evilpegs_server.storage.archive import load_match
from evilpegs_server.watchers import Watchers


def reprs():
    """What everything of the server that is alive says of itself."""
    for thing in gc.get_objects():
        if str(type(thing).__module__).startswith("evilpegs_"):
            yield repr(thing)


class Game:
    """A game in play and everything about it that nobody may know."""

    def __init__(self, fake_server, client, match):
        self.identity = fake_server.lobby.get(match).identity
        nonce, seed = self.identity.nonce(1), self.identity.seed
        self.hidden = [nonce, str(bytes.fromhex(nonce)), seed.hex(), str(seed), client.token]
        if self.identity.ladder.codemaker == "fixed":
            secret = Draw(self.identity.id, 1, nonce, "mine").secret(self.identity.ladder)
            self.hidden += [format_code(secret), str(secret)]

    def is_told_in(self, texts):
        return [text for text in texts if any(hidden in text for hidden in self.hidden)]


@pytest.fixture(params=["long", "evil"])
async def game(fake_server, request):
    """A game after its first guess, on a fixed and on an evil ladder, with a watcher."""
    ann, bob = await fake_server.connect_player("ann"), await fake_server.connect_player("bob")
    match = await ann.play(request.param)
    await bob.request(type="watch", match=match)
    await ann.guess(match, 1, "1" * 16 if request.param == "long" else "12")
    game = Game(fake_server, ann, match)
    game.ann, game.bob, game.match = ann, bob, match
    return game


async def test_nothing_is_told_to_players_and_watchers_before_the_end(game):
    sent = game.ann.channel.sent[1:] + game.bob.channel.sent
    assert len(sent) > 8
    assert game.is_told_in(sent) == []


async def test_the_nonce_is_told_at_the_end(game):
    over = await game.ann.request(type="resign", match=game.match)
    assert over["nonce"] == game.identity.nonce(1)
    assert game.identity.seed.hex() not in "".join(game.ann.channel.sent)
    assert len(parse_code(over["secret"], game.identity.ladder.rules)) == game.identity.ladder.rules.pegs
    if game.identity.ladder.codemaker == "fixed":
        assert over["secret"] in game.hidden


async def test_no_repr_tells_anything(game, fake_server):
    alive = [*reprs(), repr(load_match(fake_server.engine, game.match))]
    assert any(text.startswith("Identity(") for text in alive)
    assert game.is_told_in(alive) == []


async def test_no_log_tells_anything_whatever_fails(game, fake_server, broken_disk, monkeypatch):
    def fail(*_):
        message = "something failed"
        raise RuntimeError(message)

    ann, bob, match = game.ann, game.bob, game.match
    monkeypatch.setattr(bob.channel, "send", fail)
    await ann.guess(match, 2, "2" * 16 if game.identity.ladder.id == "long" else "11")
    monkeypatch.undo()
    monkeypatch.setattr(Watchers, "watch", fail)
    assert await ann.error_code(type="watch", match=match) == "internal"
    monkeypatch.undo()
    monkeypatch.setattr(fake_server.services.players, "by_token", fail)
    late = fake_server.connect()
    assert (await late.hello(token=ann.token))["code"] == "internal"
    monkeypatch.undo()
    broken_disk.on = True
    await ann.send(type="resign", match=match)
    await ann.receive("error")
    broken_disk.on = False
    entries = fake_server.take_log()
    assert {"could not tell a watcher", "a request failed", "could not store events"} == {
        entry["event"] for entry in entries
    }
    assert game.is_told_in(json.dumps(entry, default=repr) for entry in entries) == []


async def test_no_log_tells_anything_when_the_codemaker_fails(game, fake_server, monkeypatch):
    def fail(_ladder, draw, *_):
        raise RuntimeError(repr(draw))

    monkeypatch.setattr(fake_server.codemaking, "answer", fail)
    code = "3" * game.identity.ladder.rules.pegs
    assert await game.ann.error_code(type="guess", match=game.match, game=1, turn=2, code=code) == "internal"
    [entry] = fake_server.take_log()
    assert "Draw(match=" in entry["exception"]
    assert game.is_told_in([json.dumps(entry, default=repr)]) == []


def test_events_do_not_show_the_nonce_of_the_client():
    for event in (GameBegun(1, "client-nonce"), NeedReply(1, 1, (0,), (), "client-nonce")):
        assert "client-nonce" not in repr(event)
