"""`evilpegs.events` and `evilpegs.events_async`."""

import asyncio
import json
import select
import signal
import subprocess
import sys
from contextlib import aclosing, closing
from functools import partial
from pathlib import Path
from random import Random

import pytest

import evilpegs
from evilpegs.kit import match_events
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.server_reader import EventsMissed
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from support.patience import PATIENCE
from support.scripted_site import ScriptedSite, Stream, event, running_site
from support.waiting import until, wait_until

RECORD = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evil.jsonl"
STORED = [json.loads(line) for line in RECORD.read_text().splitlines()]
MATCH = STORED[0]["match"]
UNFINISHED = """
import evilpegs, sys
stream = evilpegs.events(*[word or None for word in sys.argv[1:]])
for event in stream:
    print(event.type, flush=True)
    if len(sys.argv) > 3:
        break
"""


def documents(events):
    return [each.model_dump(mode="json") for each in events]


def test_events_of_a_match_are_its_record_and_lines_of_feed(run, server, evil_match):
    run("replay", evil_match, "--server", server.url, "--record", "match.jsonl")
    found = documents(evilpegs.events(server.url, match=evil_match.upper()))
    assert found == [json.loads(line) for line in Path("match.jsonl").read_text().splitlines()]
    watched = run("watch", evil_match, "--server", server.url, "--json").out
    assert found == [json.loads(line) for line in watched.splitlines()]


async def test_events_of_a_ladder_come_as_they_happen(server):
    play = partial(evilpegs.play_matches, server=server.url, ladder="classic-practice", strategy="minimax")
    async with aclosing(evilpegs.events_async(server.url, "classic-practice")) as stream:
        first = asyncio.ensure_future(anext(stream))

        async def has_come():
            await play()
            return first.done()

        await until(has_come)
        assert first.result().match
        assert (await anext(stream)).match


@pytest.mark.parametrize("is_plain", [True, False], ids=["plain", "async"])
async def test_events_go_on_after_a_cut_and_come_once(monkeypatch, is_plain):
    async def no_sleep(_seconds):
        pass

    monkeypatch.setattr(match_events, "retry_policy", lambda: RetryPolicy(Random(1), no_sleep))
    texts = [event(each["seq"], each) for each in STORED]
    path = f"/api/v1/matches/{MATCH}/events"
    site = ScriptedSite({path: [Stream(*texts[:9]), Stream(event(9, "{}", "reset"), *texts[5:])]})
    news = []
    async with running_site(site) as url:
        arguments = {"match": MATCH, "on_connection": news.append}
        if is_plain:
            found = await asyncio.to_thread(lambda: documents(evilpegs.events(url, **arguments)))
        else:
            found = documents([each async for each in evilpegs.events_async(url, **arguments)])
    assert found == STORED
    assert [type(each) for each in news] == [Reconnecting, Reconnected, EventsMissed]
    assert site.resumed == ["", "log-9"]


def test_loop_that_ends_closes_the_connection(server, evil_match):
    with closing(evilpegs.events(server.url, match=evil_match)) as stream:
        for each in stream:
            if each.type == "feedback":
                break
    assert next(stream, None) is None


def follow(*arguments):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", UNFINISHED, *arguments], **pipes)


def test_program_ends_within_a_stream(server, evil_match):
    with follow(server.url, "", evil_match) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "match_started\n", "")


def test_program_is_interrupted_within_a_stream(server):
    with follow(server.url, "classic-practice") as process:

        def follows():
            evilpegs.play(server=server.url, ladder="classic-practice", strategy="minimax")
            return select.select([process.stdout], [], [], 0)[0]

        wait_until(follows)
        while (line := process.stdout.readline()) != "match_over\n":
            assert line
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGINT, err
    assert err.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.parametrize("wrong", [{"ladder": "clasic"}, {"match": "0" * 16}])
async def test_events_refuse_what_the_server_has_not(server, wrong):
    with pytest.raises(evilpegs.MalformedError):
        await anext(evilpegs.events_async(server.url, **wrong))


async def test_plain_events_name_the_other_in_a_running_loop(server):
    with pytest.raises(evilpegs.MalformedError, match="events_async"):
        evilpegs.events(server.url)


@pytest.mark.parametrize("function", [evilpegs.events, evilpegs.events_async])
@pytest.mark.parametrize("wrong", [{"ladder": "classic", "match": "0" * 16}, {"match": "../../live"}, {"server": 8765}])
def test_wrong_arguments_are_refused_before_the_first_event(function, wrong):
    with pytest.raises(evilpegs.MalformedError):
        function(**{"server": "ws://127.0.0.1:1"} | wrong)
