"""`watch_matches` at a server that a test scripts: pasts, cuts, and the end of a single match."""

import json
from contextlib import aclosing

import pytest
from websockets.exceptions import ConnectionClosed

from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_clients.feed.watch_feed import Watched, watch_matches
from evilpegs_protocol.server_messages import Notice

LIMITS = {"frame_bytes": 4096, "nesting": 8, "open_matches": 8, "requests_per_second": 100}
LADDER = {"rules": "3x4", "codemaker": "fixed", "tie": None, "clock": None, "guess_limit": 4, "games": 1, "rated": True}
NOTICE = {"type": "notice", "kind": "draining", "message": "soon"}
NO_MATCH = {"type": "error", "code": "not_your_match", "message": "no", "fatal": False}
NO_LADDER = {"type": "error", "code": "unknown_ladder", "message": "no", "fatal": False}


class WatchedServer:
    """A server with these matches: ``under_way`` and ``over`` map ids to events.

    A watched ladder brings ``coming``, and then the connection is cut if ``cuts`` are left.
    """

    def __init__(self, *, under_way=None, over=None, coming=(), cuts=0):
        self.under_way, self.over, self.coming, self.cuts = under_way or {}, over or {}, list(coming), cuts
        self.watched = []

    async def converse(self, socket):
        try:
            async for text in socket:
                request = json.loads(text)
                answer, *events = self._answer(request)
                await socket.send(json.dumps(answer | {"re": request["id"]}))
                for event in events:
                    await socket.send(json.dumps(event))
                if request["type"] == "watch" and self.cuts and not self._waits_for_pasts():
                    self.cuts -= 1
                    self.before_next()
                    return socket.transport.abort()
        except ConnectionClosed:
            pass

    def before_next(self):
        """Change what the next connection finds."""

    def _waits_for_pasts(self):
        return self.watched[-1] in {"tiny", "other"} and bool(self.under_way)

    def _answer(self, request):
        if request["type"] == "hello":
            ladders = [LADDER | {"id": name} for name in ("tiny", "other")]
            welcome = {"type": "welcome", "player": "guest-1", "kind": "guest", "token": "0" * 64, "open": []}
            return [welcome | {"ladders": ladders, "limits": LIMITS, "server": {"name": "s", "version": "1"}}]
        self.watched.append(request.get("match") or request["ladder"])
        if request.get("ladder") == "none":
            return [NO_LADDER]
        if "ladder" in request:
            known = list(self.under_way) if request["ladder"] == "tiny" else []
            return [{"type": "watching", "matches": known}, *(self.coming if request["ladder"] == "tiny" else [])]
        events = (self.under_way | self.over).get(request["match"])
        return [NO_MATCH] if events is None else [{"type": "watching", "matches": [request["match"]]}, *events]


def played(honest_match, number, *, is_over=True):
    match = honest_match(match=f"{number:016x}")
    match.ready()
    match.guess("112")
    if is_over and match.state != "over":
        match.give_up()
    return match.match, match.events


async def first_events(listen, retry_policy, server, watched, count, news=None):
    """Return the numbers of the matches and of the first events that are yielded."""
    found = []
    async with listen(server.converse) as url:
        append = (news if news is not None else []).append
        async with aclosing(watch_matches(url, watched, retry_policy, append)) as events:
            async for event in events:
                found.append((int(event.match, 16), event.seq))
                if len(found) == count:
                    break
    return found


async def test_single_match_ends_with_its_last_event(listen, retry_policy, honest_match):
    match, events = played(honest_match, 7)
    server = WatchedServer(over={match: events})
    found = await first_events(listen, retry_policy, server, Watched(match=match), 10_000)
    assert found == [(7, event["seq"]) for event in events]


async def test_without_target_all_ladders_are_watched(listen, retry_policy, honest_match):
    _, events = played(honest_match, 7)
    server = WatchedServer(coming=events)
    assert await first_events(listen, retry_policy, server, Watched(), 2) == [(7, 1), (7, 2)]
    assert server.watched == ["tiny", "other"]


@pytest.mark.parametrize(("pasts", "brought"), [(0, []), (1, [9]), (2, [9, 8]), (5, [9, 8, 7])])
async def test_pasts_of_newest_matches_come_first(listen, retry_policy, honest_match, pasts, brought):
    under_way = dict(played(honest_match, number, is_over=False) for number in (7, 8, 9))
    server = WatchedServer(under_way=under_way, coming=played(honest_match, 10)[1])
    watched = Watched(ladder="tiny", pasts=pasts)
    found = await first_events(listen, retry_policy, server, watched, 1 + sum(3 for _ in brought))
    assert found[0] == (10, 1)
    assert server.watched == ["tiny", *(f"{number:016x}" for number in brought)]


async def test_match_that_ended_during_outage_is_brought_to_its_end(listen, retry_policy, honest_match):
    match, events = played(honest_match, 7)
    server, news = WatchedServer(under_way={match: events[:2]}, cuts=1), []

    def end_it():
        server.under_way, server.over = {}, {match: events}

    server.before_next = end_it
    watched = Watched(ladder="tiny", pasts=3)
    found = await first_events(listen, retry_policy, server, watched, 2 + len(events), news)
    assert found == [(7, 1), (7, 2), *((7, event["seq"]) for event in events)]
    assert [type(event) for event in news] == [Reconnecting, Reconnected]


async def test_match_that_is_gone_after_outage_is_forgotten(listen, retry_policy, honest_match):
    match, events = played(honest_match, 7)
    _, coming = played(honest_match, 8)
    server = WatchedServer(under_way={match: events[:2]}, cuts=1)

    def lose_it():
        server.under_way, server.coming = {}, coming

    server.before_next = lose_it
    found = await first_events(listen, retry_policy, server, Watched(ladder="tiny", pasts=3), 3)
    assert found == [(7, 1), (7, 2), (8, 1)]


async def test_notice_is_reported(listen, retry_policy, honest_match):
    news, server = [], WatchedServer(coming=[NOTICE, *played(honest_match, 7)[1]])
    await first_events(listen, retry_policy, server, Watched(ladder="tiny"), 1, news)
    assert [type(event) for event in news] == [Notice]


@pytest.mark.parametrize("watched", [Watched(match="f" * 16), Watched(ladder="none")])
async def test_unknown_target_is_refused(listen, retry_policy, watched):
    with pytest.raises(ServerRefusedError):
        await first_events(listen, retry_policy, WatchedServer(), watched, 1)
