"""While a round is sealed, nothing that others can read changes with what is played in it.

sealed_outputs.toml lists the outputs. Each test has a control, the same round without a seal.
"""

import asyncio
import contextlib
import inspect
import json
import re
import sqlite3
import time
import tomllib
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import httpx
import pytest
import structlog
from structlog.stdlib import BoundLogger

from evilpegs.commands import COMMANDS, GROUPS
from evilpegs_game.codes import all_codes, format_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.feedback import feedback as feedback_of
from evilpegs_game.rules import Rules
from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.leaderboard import round_results
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.settings import Settings
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.log.rounds import Round, open_round, set_closing
from support.brokers import Mosquitto, Proxy, Subscriber
from support.in_process import running_server
from support.named_players import given_names
from support.patience import PATIENCE
from support.patient_server import PATIENT
from support.servers import dial, run_command
from support.waiting import until

OUTPUTS = tomllib.loads(Path(__file__).with_name("sealed_outputs.toml").read_text())
UNKNOWN = "0" * 16
LADDERS = ("final", "classic")
QUERIES = {
    "/api/v1/matches": [
        "",
        "?ladder=final",
        "?player=anna",
        "?player=anna&games=lost",
        "?player=anna&games=longest",
        "?version=raw+1",
        "?limit=1",
        "?over=true",
        "?since=0",
    ],
    "/api/v1/live": ["", "?ladder=final", "?limit=1"],
    "/api/v1/position": ["", "?rules=4x6&turns=1122:1,0", "?turns=1111:4,0;1122:0,0"],
    "/api/v1/ladders/{ladder}/leaderboard": ["", "?kind=bot", "?between=anna,bert"],
}
"""The queries of paths that have some."""
LINES = {
    "ladders": [["ladders"]],
    "leaderboard": [["leaderboard", "classic"], ["leaderboard", "classic", "--csv", "--each", "game"]],
    "players list": [["players", "list", "--csv"], ["players", "list", "--ladder", "classic"]],
    "publish": [["publish", "--no-analyses", "--json", "--out"]],
    "replay": [["replay", UNKNOWN], ["replay", "latest"]],
    "round status": [["round", "status", "final", "--json"], ["round", "status"]],
}
OPERATORS = {
    *("serve", "show", "database backup", "database check", "database follow", "database upgrade"),
    *(f"players {act}" for act in ("add", "token", "ban", "unban", "kick", "hide", "show", "rename", "forget")),
    *("players open", "players close"),
    *(f"round {act}" for act in ("open", "admit", "close", "extend", "exclude")),
}
"""Commands with a database that print nothing of games."""
COUNTERS = ("guess", "game", "match", "repl", "cache", "luck", "task", "move")
"""What the names of metrics contain that could count what is played."""

QUICK = replace(PATIENT, look_seconds=0.01, luck_look_seconds=0.01)
"""The server looks at the rounds all the time."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(round_results, "MINUTE_MS", 10**15)  # no full minute is over


class Contest:
    """A server with a broker behind a proxy, the round `final`, and a match on another ladder that anybody may see."""

    def __init__(self, database, sealed, proxy):
        self.database, self.sealed, self.proxy, self.log = database, sealed, proxy, []
        self.tokens = given_names(database, ["anna", "bert", "carl"])
        self.matches = []
        self.engine = open_database(database)
        wanted = Round("final", "classic", 2, sealed=sealed, opens=0, closes=None, published=None)
        open_round(self.engine, wanted, ["anna", "bert"])

    def _keep(self, _logger, level, line):
        self.log.append({"level": level, **line})
        raise structlog.DropEvent

    @asynccontextmanager
    async def running(self):
        settings = Settings(
            port=0,
            site=True,
            site_port=0,
            database=self.database,
            mqtt=f"mqtt://127.0.0.1:{self.proxy.port}",
            hello_seconds=PATIENCE,
        )
        log = structlog.wrap_logger(None, processors=[self._keep], wrapper_class=BoundLogger)
        async with (
            running_server(settings, log, ladders=load_ladders(), timing=QUICK) as self.server,
            httpx.AsyncClient(base_url=self.server.site_url, timeout=PATIENCE) as self.web,
        ):
            yield self
        self.engine.dispose()

    @asynccontextmanager
    async def player(self, name):
        async with dial(self.server.url) as player:
            await player.hello(token=self.tokens[name])
            yield player

    async def play_sealed(self, stack):
        """Play the match of anna to its end, and let that of bert wait for its second guess."""
        async with self.player("anna") as anna:
            match = await anna.play("final")
            await solve(anna, match)
            await anna.ask("match_over", type="resign", match=match)
        bert = await stack.enter_async_context(self.player("bert"))
        other = await bert.play("final")
        await bert.guess(other, 1, 1, "1122")
        self.matches = [match, other]

    async def play_open(self):
        """Play a match that anybody may see."""
        async with self.player("carl") as carl:
            match = await carl.play("classic")
            await carl.ask("match_over", type="resign", match=match)
        return match

    async def followed(self, path, mark, started):
        """Return what a stream sends until a line has ``mark``, and set the event when it begins."""
        lines = []
        async with self.web.stream("GET", path) as stream:
            async for line in stream.aiter_lines():
                started.set()
                lines.append(line)
                if mark in line:
                    return lines
        return [str(stream.status_code), *lines]


async def solve(player, match):
    """Play the first game until it is solved, with the first candidate each time."""
    rules, turn = Rules.parse("4x6"), 0
    left = [tuple(map(int, column)) for column in all_codes(rules).T]
    while True:
        turn, guess = turn + 1, left[0]
        answer = await player.guess(match, 1, turn, format_code(guess))
        given = Feedback(answer["black"], answer["white"])
        if given.black == rules.pegs:
            return
        left = [code for code in left if feedback_of(code, guess) == given]


@pytest.fixture(params=[True, False], ids=["sealed", "open"])
async def contest(request, database, tmp_path):
    broker = Mosquitto(tmp_path)
    await broker.start()
    async with Proxy(broker.port) as proxy:
        contest = Contest(database, request.param, proxy)
        contest.broker = broker
        async with contest.running():
            yield contest
    broker.kill()


def plain(text, contest):
    """Return the text without the ids of the round's matches, as an answer about an unknown match would be."""
    for match in contest.matches:
        text = text.replace(match, UNKNOWN)
    return text


async def read_http(contest, path, match):
    """Return the answers of a path for each parameter and query, as others get them."""
    places = [path]
    for name, values in {"{ladder}": LADDERS, "{player}": ("anna", "carl"), "{match}": (match,)}.items():
        places = [place.replace(name, value) for place in places for value in (values if name in place else ("",))]
    answers = []
    for place in places:
        for query in QUERIES.get(path, [""]):
            answer = await computed(contest, place.replace("{round}", "final") + query)
            headers = [answer.headers.get(name) for name in ("etag", "content-length", "content-type", "cache-control")]
            answers.append((place.replace(match, UNKNOWN), answer.status_code, plain(answer.text, contest), headers))
    return answers


async def computed(contest, url):
    """Return the answer of a path; one that takes too long is asked for again."""

    async def answer():
        answer = await contest.web.get(url)
        return answer if answer.status_code != 503 else None

    return await until(answer)


def has_streams(path):
    return path.endswith("/events")


def changed(before, after):
    return [path for path in before if before[path] != after[path]]


def expected(group, contest, control):
    """Return the outputs of a group that change before the minute is over: none, but in the control."""
    return set() if contest.sealed else control | {name for name, how in OUTPUTS[group].items() if how == "progress"}


async def wait_until_counted(contest):
    """Wait until the match that anybody may see is on the leaderboard, with its luck."""

    async def is_counted():
        rows = (await contest.web.get("/api/v1/ladders/classic/leaderboard")).json()["rows"]
        return rows and rows[0]["adjusted_games"]

    await until(is_counted)


class TestHttp:
    def test_list_names_every_path(self):
        assert sorted(OUTPUTS["http"]) == sorted(json.loads(openapi_text())["paths"])

    async def test_answers_do_not_change(self, contest):
        await contest.play_open()
        paths = [path for path in OUTPUTS["http"] if not has_streams(path) and path != "/metrics"]
        await wait_until_counted(contest)
        before = {path: await read_http(contest, path, UNKNOWN) for path in paths}
        async with AsyncExitStack() as stack:
            await contest.play_sealed(stack)
            after = {path: await read_http(contest, path, contest.matches[0]) for path in paths}
            answers = ["/api/v1/live", "/api/v1/matches", "/api/v1/matches/{match}", "/api/v1/matches/{match}/record"]
            control = {*answers, "/api/v1/matches/{match}/analysis"}
            assert set(changed(before, after)) == expected("http", contest, control)

    async def test_who_plays_is_told_at_full_minutes(self, contest, monkeypatch):
        async def progress():
            shown = (await contest.web.get("/api/v1/rounds/final")).json()["entrants"]
            assert all(each["result"] is None for each in shown)
            return [(each["progress"], each["ended"]) for each in shown]

        async with AsyncExitStack() as stack:
            await contest.play_sealed(stack)
            ended = [None, None] if contest.sealed else [2, 0]
            early = ["not_started", "not_started"] if contest.sealed else ["finished", "playing"]
            assert await until(partial(self._has_ended, progress, ended)) == list(zip(early, ended, strict=True))
            monkeypatch.setattr(round_results, "MINUTE_MS", 1)
            monkeypatch.setattr(round_results, "SETTLED_MS", -1000)
            assert await progress() == list(zip(["finished", "playing"], ended, strict=True))

    async def _has_ended(self, progress, ended):
        shown = await progress()  # games are counted a moment after they end
        return shown if [each for _, each in shown] == ended else None

    @pytest.mark.parametrize("ladder", [None, "final"])
    async def test_streams_say_nothing(self, contest, ladder):
        path, started = "/api/v1/events" if ladder is None else f"/api/v1/ladders/{ladder}/events", asyncio.Event()
        following = asyncio.create_task(contest.followed(path, "match_over", started))
        async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
            await started.wait()
            await contest.play_sealed(stack)
            other = await contest.play_open()
            if ladder is None:
                seen = str(await following)
                assert (other in seen) is contest.sealed, "which is over later"
            elif contest.sealed:
                following.cancel()
                seen = str((await asyncio.gather(following, return_exceptions=True))[0])
            else:
                seen = str(await following)
        assert (contest.matches[0] in seen) is not contest.sealed

    async def test_stream_of_a_match_is_like_that_of_an_unknown_one(self, contest):
        async with AsyncExitStack() as stack:
            await contest.play_sealed(stack)
            streams = [
                plain(
                    str(await contest.followed(f"/api/v1/matches/{match}/events", "match_over", asyncio.Event())),
                    contest,
                )
                for match in (contest.matches[0], UNKNOWN)
            ]
        assert (streams[0] == streams[1]) is contest.sealed

    async def test_counters_do_not_count(self, contest):
        await contest.server.warm  # its tasks count in the worker's cache
        await contest.play_open()
        await wait_until_counted(contest)
        before = await self._counted(contest)
        async with AsyncExitStack() as stack:
            await contest.play_sealed(stack)
            after = await self._counted(contest)
        names = {name for name in after if before.get(name) != after[name]}
        assert bool(names) is not contest.sealed, names

    async def _counted(self, contest):
        game = contest.server.url.replace("ws:", "http:").replace("/v1", "/metrics")
        texts = [(await contest.web.get(path)).text for path in (game, "/metrics")]
        lines = [line.rpartition(" ") for text in texts for line in text.splitlines() if not line.startswith("#")]
        return {name: value for name, _, value in lines if any(word in name for word in COUNTERS)}


async def test_nobody_resumes_the_match_of_another(contest):
    """With a seal or without one, its id is like an unknown one."""
    async with AsyncExitStack() as stack:
        await contest.play_sealed(stack)
        carl = await stack.enter_async_context(contest.player("carl"))
        refused = []
        for match in (*contest.matches, UNKNOWN):
            error = await carl.ask("error", type="resume", match=match, seq=0)
            refused.append((error["code"], plain(error["message"], contest)))
    assert OUTPUTS["game"] == {"resume": "nothing"}
    assert len(set(refused)) == 1


class TestFeed:
    def test_list_names_every_topic(self):
        topics = {name for name, value in vars(FeedTopics).items() if callable(value) or isinstance(value, property)}
        assert set(OUTPUTS["mqtt"]) == {name for name in topics if not name.startswith("_")}

    @pytest.mark.parametrize("is_away", [False, True], ids=["live", "backlog"])
    async def test_no_topic_names_a_match(self, contest, is_away):
        """Also none of what the feed sends later, because the broker was away."""
        async with Subscriber(contest.broker.port) as subscriber, AsyncExitStack() as stack:
            await subscriber.wait_for(lambda seen: seen.payloads("state"))
            if is_away:
                contest.proxy.accepts = False
                contest.broker.kill()
                await subscriber.wait_offline()
            await contest.play_sealed(stack)
            other = await contest.play_open()
            if is_away:
                await contest.broker.start()
                contest.proxy.accepts = True
            await subscriber.wait_for(lambda seen: any(t.endswith(f"{other}/result") for t, _, _ in seen.received))
            await subscriber.wait_for(lambda seen: self._is_newest(seen, "classic/result", other))
            async with Subscriber(contest.broker.port) as late:  # who gets what is retained
                await late.wait_for(lambda seen: self._is_newest(seen, "classic/result", other))
                seen = [*subscriber.received, *late.received]
        named = {topic for topic, payload, _ in seen for match in contest.matches if match in f"{topic} {payload}"}
        assert bool(named) is not contest.sealed, named

    def _is_newest(self, subscriber, ending, match):
        payloads = [payload for topic, payload, _ in subscriber.received if topic.endswith(ending)]
        return payloads and json.loads(payloads[-1])["match"] == match


class TestDatabase:
    """What commands that read a database print, without `--operator`."""

    def test_list_names_every_command(self):
        members = [(group, function) for group, functions in GROUPS.items() for function in functions]
        reading = set()
        for module, function in [*([name.replace("-", "_")] * 2 for name in COMMANDS), *members]:
            command = getattr(import_module(f"evilpegs.commands.{module}"), function)
            if "database" in inspect.signature(command).parameters:
                reading.add(module if module == function else f"{module} {function.partition('_')[0]}")
        assert OUTPUTS["database"].keys() <= reading
        assert reading - OUTPUTS["database"].keys() == OPERATORS

    async def test_commands_print_nothing(self, contest):
        await contest.play_open()
        await wait_until_counted(contest)
        before = await self._printed(contest)
        async with AsyncExitStack() as stack:
            await contest.play_sealed(stack)
            after = await self._printed(contest)
        control = {"replay", "players list", "publish"}
        assert set(changed(before, after)) == expected("database", contest, control)

    async def _printed(self, contest):
        match = contest.matches[0] if contest.matches else UNKNOWN
        found = {}
        for name, lines in LINES.items():
            texts = [await printed(contest, [word.replace(UNKNOWN, match) for word in words]) for words in lines]
            found[name] = [plain(text, contest) for text in texts]
        return found


async def test_log_says_nothing_of_games(contest):
    await contest.play_open()
    before = len(contest.log)
    async with AsyncExitStack() as stack:
        await contest.play_sealed(stack)
        said = contest.log[before:]
    assert before > 0
    known = (*contest.matches, "anna", "bert")
    assert [line for line in said if any(word in str(line) for word in known)] == []


async def test_luck_is_measured_when_the_round_is_over(contest):
    def measured():
        derived = f"file:{database_file(contest.database)}.derived?mode=ro"
        with contextlib.closing(sqlite3.connect(derived, uri=True)) as connection:
            rows = connection.execute("SELECT count(*) FROM games WHERE luck IS NOT NULL AND outcome = 'solved'")
            return rows.fetchone()[0]

    async with AsyncExitStack() as stack:
        await contest.play_sealed(stack)
        await contest.play_open()
        await wait_until_counted(contest)  # the luck of a later match is measured after that of earlier ones
        assert measured() == (0 if contest.sealed else 1)
        set_closing(contest.engine, "final", time.time_ns() // 1_000_000)
    async with contest.player("bert") as bert:
        await bert.ask("resumed", type="resume", match=contest.matches[1], seq=0)
        await bert.ask("match_over", type="resign", match=contest.matches[1])
    await until(measured)


async def printed(contest, words):
    """Return what a command prints and writes, and its status, without the progress: a full minute may be over."""
    site = database_file(contest.database).with_name("site")
    is_written = words[0] == "publish"
    if is_written:
        words = [*words, site]
    text = " ".join(map(str, await run_command(*words, "--database", contest.database)))
    if is_written:
        text += " ".join(sorted(path.name for path in site.glob("data/??/*")))
    return re.sub("not_started|playing|finished", "progress", text) if contest.sealed else text
