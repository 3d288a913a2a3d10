"""Neither secret, nonce, seed nor token is told too early: not in a log, not in a repr, not to anyone."""

import gc
import json

import pytest

from evilpegs_game.codes import format_code, parse_code
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

    def __init__(self, building, caller, match):
        self.identity = building.lobby.get(match).identity
        nonce, seed = self.identity.nonce(1), self.identity.seed
        self.hidden = [nonce, str(bytes.fromhex(nonce)), seed.hex(), str(seed), caller.token]
        if self.identity.ladder.codemaker == "fixed":
            secret = building.lobby.get(match)._scribe.draw(1, "mine").secret(self.identity.ladder)
            self.hidden += [format_code(secret), str(secret)]

    def is_told_in(self, texts):
        return [text for text in texts if any(hidden in text for hidden in self.hidden)]


@pytest.fixture(params=["long", "evil"])
async def game(building, request):
    """A game after its first guess, on a fixed and on an evil ladder, with a watcher."""
    ann, bob = await building.player("ann"), await building.player("bob")
    match = await ann.play(request.param)
    await bob.ask(type="watch", match=match)
    await ann.guess(match, 1, "1" * 16 if request.param == "long" else "12")
    game = Game(building, ann, match)
    game.ann, game.bob, game.match = ann, bob, match
    return game


async def test_nothing_is_told_to_players_and_watchers_before_the_end(game):
    sent = game.ann.link.sent[1:] + game.bob.link.sent
    assert len(sent) > 8
    assert game.is_told_in(sent) == []


async def test_the_nonce_is_told_at_the_end(game):
    over = await game.ann.ask(type="resign", match=game.match)
    assert over["nonce"] == game.identity.nonce(1)
    assert game.identity.seed.hex() not in "".join(game.ann.link.sent)
    assert len(parse_code(over["secret"], game.identity.ladder.rules)) == game.identity.ladder.rules.pegs


async def test_no_repr_tells_anything(game, building):
    alive = [*reprs(), repr(load_match(building.engine, game.match))]
    assert any(text.startswith("Identity(") for text in alive)
    assert game.is_told_in(alive) == []


async def test_no_log_tells_anything_whatever_fails(game, building, broken_disk, monkeypatch):
    def fail(*_):
        message = "something failed"
        raise RuntimeError(message)

    ann, bob, match = game.ann, game.bob, game.match
    monkeypatch.setattr(bob.link, "send", fail)
    await ann.guess(match, 2, "2" * 16 if game.identity.ladder.id == "long" else "11")
    monkeypatch.undo()
    monkeypatch.setattr(Watchers, "watch", fail)
    assert await ann.refusal(type="watch", match=match) == "internal"
    monkeypatch.undo()
    monkeypatch.setattr(building.house.players, "by_token", fail)
    late = building.call()
    assert (await late.hello(token=ann.token))["code"] == "internal"
    monkeypatch.undo()
    broken_disk.on = True
    await ann.say(type="resign", match=match)
    await ann.hear("error")
    broken_disk.on = False
    entries = building.logged
    assert {"could not tell a watcher", "a request failed", "could not store events"} == {
        entry["event"] for entry in entries
    }
    assert game.is_told_in(json.dumps(entry, default=repr) for entry in entries) == []


async def test_no_log_tells_anything_when_the_codemaker_fails(game, building, monkeypatch):
    def fail(_ladder, draw, *_):
        raise RuntimeError(repr(draw))

    monkeypatch.setattr(building.codemaking, "answer", fail)
    code = "3" * game.identity.ladder.rules.pegs
    assert await game.ann.refusal(type="guess", match=game.match, game=1, turn=2, code=code) == "internal"
    [entry] = building.logged
    assert "Draw(match=" in entry["exception"]
    assert game.is_told_in([json.dumps(entry, default=repr)]) == []


def test_events_do_not_show_the_nonce_of_the_client():
    for event in (GameBegun(1, "client-nonce"), NeedReply(1, 1, (0,), (), "client-nonce")):
        assert "client-nonce" not in repr(event)
