"""`watch_matches` at a site that a test scripts: pasts, cuts, and the end of a single match."""

import json
from contextlib import aclosing

import pytest

from evilpegs_clients.connection.server_reader import EventsMissed, NotFoundError
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_clients.errors import ServerUnreachableError
from evilpegs_clients.feed.watch_feed import Watched, watch_matches
from evilpegs_game.errors import MalformedError
from support.scripted_site import ScriptedSite, Stream, event, running_site

LADDER, ALL = "/api/v1/ladders/tiny/events", "/api/v1/events"
PLACE = event(0, "{}", "place")


@pytest.fixture(autouse=True)
def own_tokens(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def played(honest_match, number, *, is_over=True):
    match = honest_match(match=f"{number:016x}")
    match.ready()
    match.guess("112")
    if is_over and match.state != "over":
        match.give_up()
    return match.match, match.events


def record(events):
    return "".join(f"{json.dumps(each)}\n" for each in events)


async def first_events(retry_policy, site, watched, count=10_000, news=None):
    """Return the numbers of the matches and of the first events that are yielded."""
    found = []
    async with running_site(site) as url:
        append = (news if news is not None else []).append
        async with aclosing(watch_matches(url, watched, retry_policy, append)) as events:
            async for each in events:
                found.append((int(each.match, 16), each.seq))
                if len(found) == count:
                    break
    return found


async def test_single_match_ends_with_its_last_event(retry_policy, honest_match):
    match, events = played(honest_match, 7)
    path = f"/api/v1/matches/{match}/events"
    stream = [Stream(*(event(each["seq"], each) for each in half)) for half in (events[:2], events[2:])]
    site = ScriptedSite({path: stream})
    assert await first_events(retry_policy, site, Watched(match=match)) == [(7, each["seq"]) for each in events]
    assert site.resumed == ["", "log-2"]


async def test_without_target_all_matches_are_watched(retry_policy, honest_match):
    _, events = played(honest_match, 7)
    site = ScriptedSite({ALL: Stream(PLACE, *(event(each["seq"], each) for each in events))})
    assert await first_events(retry_policy, site, Watched(), 2) == [(7, 1), (7, 2)]
    assert site.requests == [ALL]


async def test_pasts_of_newest_matches_come_first(retry_policy, honest_match):
    pasts = dict(played(honest_match, number, is_over=False) for number in (8, 9))
    answers = {f"/api/v1/matches/{match}/record": record(events) for match, events in pasts.items()}
    answers["/api/v1/live?limit=2&ladder=tiny"] = {"matches": [{"match": match} for match in reversed(pasts)]}
    answers[LADDER] = Stream(PLACE, event(1, played(honest_match, 10)[1][0]))
    found = await first_events(retry_policy, ScriptedSite(answers), Watched(ladder="tiny", pasts=2), 7)
    assert found == [*((9, seq) for seq in (1, 2, 3)), *((8, seq) for seq in (1, 2, 3)), (10, 1)]


async def test_missed_events_are_reported_and_matches_read_again(retry_policy, honest_match):
    match, events = played(honest_match, 7)
    answers = {f"/api/v1/matches/{match}/record": record(events)}
    answers["/api/v1/live?limit=3&ladder=tiny"] = [{"matches": []}, {"matches": [{"match": match}]}]
    answers[LADDER] = [Stream(PLACE), Stream(event(90_000, "{}", "reset"))]
    news = []
    found = await first_events(retry_policy, ScriptedSite(answers), Watched(ladder="tiny", pasts=3), len(events), news)
    assert found == [(7, each["seq"]) for each in events]
    assert [type(each) for each in news] == [Reconnecting, Reconnected, EventsMissed]


async def test_unreadable_event_is_refused(retry_policy):
    site = ScriptedSite({ALL: Stream(event(1, "{}"))})
    with pytest.raises(ServerUnreachableError) as caught:
        await first_events(retry_policy, site, Watched())
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("watched", "kind"), [(Watched(match="f" * 16), NotFoundError), (Watched(ladder="none"), MalformedError)]
)
async def test_unknown_target_is_refused(retry_policy, watched, kind):
    with pytest.raises(kind):
        await first_events(retry_policy, ScriptedSite(), watched, 1)
