"""Rounds on a real server: who enters, when no game begins any more, and what others see of a sealed one."""

import json
from contextlib import AsyncExitStack

import httpx
import pytest
import structlog

from evilpegs_clients.verification.verify import verify_match
from evilpegs_server.sealing import hides_metrics
from evilpegs_server.settings import Settings
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log import rounds
from evilpegs_server.storage.log.acts import forget_player
from evilpegs_server.timing import Timing
from support.fake_server import SERVER_LADDERS
from support.in_process import running_server
from support.named_players import given_names
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

NOW = 1_795_000_000_000
HOUR = 3_600_000
GAMES = 3
CODE = "1" * 16


class Wall:
    """A wall clock that only a test moves."""

    now = NOW

    def __call__(self):
        return self.now


class Contest:
    """A server with a round, and the names of its entrants; `start` may be called again after `stop`."""

    def __init__(self, database):
        self.database, self.wall = database, Wall()
        self.engine = open_database(database)
        self.tokens = given_names(database, ["anna", "bert", "carl"])
        self._stack = AsyncExitStack()

    def open(self, *names, name="final", closes=NOW + HOUR, opens=NOW, sealed=False, base="long"):
        wanted = rounds.Round(name, base, GAMES, sealed, opens, closes, None)
        rounds.open_round(self.engine, wanted, names or None)

    async def start(self):
        settings = Settings(port=0, site=True, site_port=0, database=self.database)
        given = {"ladders": dict(SERVER_LADDERS), "wall_ms": self.wall, "timing": Timing(look_seconds=0.01)}
        running = running_server(settings, structlog.get_logger(), **given)
        self.server = await self._stack.enter_async_context(running)
        web = httpx.AsyncClient(base_url=self.server.site_url, timeout=PATIENCE)
        self.web = await self._stack.enter_async_context(web)

    async def stop(self):
        await self._stack.aclose()

    async def get(self, path):
        answer = await self.web.get(f"/api/v1/{path}")
        return answer.json() if answer.headers["content-type"].startswith("application") else answer.text

    async def until_state(self, state, name="final"):
        """Return the round as the site shows it, once it has this state and, if it is over, its results."""

        async def shown_so():
            shown = await self.get(f"rounds/{name}")
            if shown.get("state") == state:
                return shown
            assert shown.get("status", 503) in {404, 503} or shown["state"] != "over", shown
            return None

        return await until(shown_so)

    async def log_in(self, stack, name):
        player = await stack.enter_async_context(dial(self.server.url))
        await player.hello(token=self.tokens[name])
        return player


@pytest.fixture
async def contest(database):
    contest = Contest(database)
    yield contest
    await contest.stop()
    contest.engine.dispose()


async def begin(player, name="final"):
    """Begin to play; the first game waits for `ready`."""
    started = await player.ask("match_started", "error", type="play", ladder=name)
    return started["match"] if started["type"] == "match_started" else started


async def until_begun(player, code):
    """Begin to play as soon as the server has looked; until then it refuses with ``code``."""

    async def has_begun():
        answer = await begin(player)
        return isinstance(answer, str) or (answer["code"] != code and pytest.fail(str(answer)))

    await until(has_begun)


async def play_one(player, match, game):
    """Play a game of one wrong guess, which no code of 34**16 can meet by chance."""
    await player.ready(match, game)
    await player.guess(match, game, 1, CODE)
    await player.ask("game_over", type="resign", match=match, game=game)


class TestEntry:
    async def test_only_entrants_play_and_each_once(self, contest):
        contest.open("anna", "bert")
        await contest.start()
        async with AsyncExitStack() as stack:
            anna, carl = [await contest.log_in(stack, name) for name in ("anna", "carl")]
            refused = await begin(carl)
            assert (refused["code"], "list of entrants" in refused["message"]) == ("not_an_entrant", True)
            match = await begin(anna)
            assert (await begin(anna))["code"] == "already_entered"
            await anna.ask("match_over", type="resign", match=match)
            assert (await begin(anna))["code"] == "already_entered"
            rounds.admit(contest.engine, "final", ["carl"], NOW)
            await until_begun(carl, "not_an_entrant")

    async def test_entry_counts_after_restart(self, contest):
        contest.open("anna")
        await contest.start()
        async with AsyncExitStack() as stack:
            anna = await contest.log_in(stack, "anna")
            await anna.ask("match_over", type="resign", match=await begin(anna))
        await contest.stop()
        await contest.start()
        async with AsyncExitStack() as stack:
            assert (await begin(await contest.log_in(stack, "anna")))["code"] == "already_entered"

    @pytest.mark.parametrize(("at", "words"), [(NOW - 1, "opens at 2026-11-1"), (NOW + HOUR, "is closed")])
    async def test_nobody_enters_before_it_opens_or_after_it_closed(self, contest, at, words):
        contest.open("anna", "bert")
        await contest.start()
        async with AsyncExitStack() as stack:
            anna = await contest.log_in(stack, "anna")
            contest.wall.now = at
            refused = await begin(anna)
            assert (refused["code"], words in refused["message"]) == ("round_closed", True)
            contest.wall.now = NOW + HOUR - 1
            if "opens" in words:
                assert isinstance(await begin(anna), str)


class TestClose:
    async def test_open_game_ends_and_no_other_begins(self, contest):
        contest.open("anna", "bert", "carl")
        await contest.start()
        async with AsyncExitStack() as stack:
            anna, bert = [await contest.log_in(stack, name) for name in ("anna", "bert")]
            first, second = await begin(anna), await begin(bert)
            await play_one(anna, first, 1)
            await anna.hear("game_started")
            await bert.ready(second, 1)
            contest.wall.now += HOUR
            over = await anna.hear("match_over")
            assert over["outcomes"][1:] == ["forfeit", "forfeit"]
            shown = await contest.until_state("closing")
            assert [each["result"] for each in shown["entrants"]] == [None, None, None]
            assert (await bert.guess(second, 1, 1, CODE))["type"] == "feedback", "the open game goes on"
            await bert.say(type="resign", match=second, game=1)
            ended = await bert.hear("match_over")
            assert ended["outcomes"][1:] == ["forfeit", "forfeit"]
            results = {each["player"]: each["result"] for each in (await contest.until_state("over"))["entrants"]}
        assert {name: (each["games"], each["not_played"]) for name, each in results.items()} == {
            "anna": (GAMES, 2),
            "bert": (GAMES, 2),
            "carl": (GAMES, GAMES),
        }
        assert results["carl"]["mean"] == SERVER_LADDERS["long"].guess_limit + 1
        for match in (first, second):
            record = (await contest.web.get(f"/api/v1/matches/{match}/record")).text
            assert verify_match([json.loads(line) for line in record.splitlines()]) == []

    async def test_deadline_passes_while_the_server_is_down(self, contest):
        contest.open("anna", "bert")
        await contest.start()
        async with AsyncExitStack() as stack:
            anna, bert = [await contest.log_in(stack, name) for name in ("anna", "bert")]
            first, second = await begin(anna), await begin(bert)
            await play_one(anna, first, 1)
            await anna.hear("game_started")
            await bert.ready(second, 1)
            await bert.guess(second, 1, 1, CODE)
        await contest.stop()
        contest.wall.now += HOUR
        await contest.start()
        async with AsyncExitStack() as stack:
            anna, bert = [await contest.log_in(stack, name) for name in ("anna", "bert")]
            assert (await begin(anna))["code"] == "round_closed"
            await bert.ask("resumed", type="resume", match=second, seq=0)
            await bert.say(type="resign", match=second, game=1)
            assert (await bert.hear("match_over"))["outcomes"][1:] == ["forfeit", "forfeit"]
            results = {each["player"]: each["result"] for each in (await contest.until_state("over"))["entrants"]}
        assert [results[name]["not_played"] for name in ("anna", "bert")] == [2, 2]

    async def test_extended_round_closes_later(self, contest):
        contest.open("anna")
        await contest.start()
        rounds.set_closing(contest.engine, "final", NOW + 2 * HOUR)
        async with AsyncExitStack() as stack:
            anna = await contest.log_in(stack, "anna")

            async def is_extended():
                return (await contest.get("rounds/final"))["closes"] == NOW + 2 * HOUR

            await until(is_extended)
            contest.wall.now = NOW + HOUR
            await until_begun(anna, "round_closed")
            rounds.set_closing(contest.engine, "final", NOW + HOUR)  # by command
            assert (await anna.hear("match_over"))["outcomes"] == ["forfeit"] * GAMES

    async def test_excluded_and_forgotten_entrants_have_no_result(self, contest):
        contest.open("anna", "bert", "carl")
        rounds.exclude(contest.engine, "final", "bert", "copied", NOW)
        rounds.exclude(contest.engine, "final", "carl", "a reason that names bert", NOW)
        forget_player(contest.engine, "carl", NOW, with_open=False)
        contest.wall.now += HOUR
        await contest.start()
        shown = (await contest.until_state("over"))["entrants"]
        assert [(each["player"], each["excluded"], each["result"] is None) for each in shown] == [
            ("anna", None, False),
            (None, None, True),
            ("bert", "copied", True),
        ]


SHOWN = [
    "matches?ladder=final",
    "matches?player=anna",
    "live?ladder=final",
    "matches/{match}",
    "matches/{match}/record",
]
FINISHED = [path for path in SHOWN if "live" not in path]


class TestSealed:
    @pytest.mark.parametrize("sealed", [True, False])
    async def test_nothing_is_shown_before_the_round_is_over(self, contest, sealed):
        """The control is a round that is not sealed: each of the places shows its match."""
        contest.open("anna", "bert", sealed=sealed)
        await contest.start()
        async with AsyncExitStack() as stack:
            anna = await contest.log_in(stack, "anna")
            assert hides_metrics(contest.server.registry.ladders.offered) is sealed
            before = await self._counters(contest)
            stream = await stack.enter_async_context(contest.web.stream("GET", "/api/v1/events"))
            lines = stream.aiter_lines()
            assert "place" in await anext(lines)
            match = await begin(anna)
            await play_one(anna, match, 1)
            counters = await self._counters(contest)
            assert (counters == before) is sealed
            other = (await anna.ask("match_started", type="play", ladder="tiny-practice"))["match"]
            followed = ""
            while other not in followed:  # which began later
                followed += await anext(lines)
            assert (match in followed) is not sealed
            assert await self._showing(contest, match) == ([] if sealed else SHOWN)
            analysis = await contest.web.get(f"/api/v1/matches/{match}/analysis")
            assert analysis.status_code == (404 if sealed else 409)
            refused = [await self._resume(stack, contest, known) for known in (match, "0" * 16)]
            assert refused[0] == refused[1], "an id is like an unknown one for others"
            await anna.ask("match_over", type="resign", match=match)

            async def is_over():
                return match not in json.dumps(await contest.get("live"))

            await until(is_over)
            assert await self._showing(contest, match) == (
                [] if sealed else [each for each in SHOWN if "live" not in each]
            )
            contest.wall.now += HOUR
            await contest.until_state("over")
            while "round_closed" not in followed:
                followed += await anext(lines)
        assert await self._showing(contest, match) == FINISHED
        assert not hides_metrics(contest.server.registry.ladders.offered)

    async def test_unknown_and_sealed_matches_are_refused_with_equal_answers(self, contest):
        contest.open("anna", "bert", sealed=True)
        await contest.start()
        async with AsyncExitStack() as stack:
            anna = await contest.log_in(stack, "anna")
            match = await begin(anna)
            for path in ("matches/{}", "matches/{}/record", "matches/{}/analysis", "matches/{}/events"):
                known, unknown = [await contest.web.get("/api/v1/" + path.format(each)) for each in (match, "0" * 16)]
                assert (known.status_code, known.text) == (404, unknown.text.replace("0" * 16, match))
                assert known.headers.get("etag") == unknown.headers.get("etag")

    async def _showing(self, contest, match):
        answers = [await contest.web.get("/api/v1/" + path.format(match=match)) for path in SHOWN]
        return [
            path
            for path, answer in zip(SHOWN, answers, strict=True)
            if answer.status_code == 200 and match in answer.text
        ]

    async def _counters(self, contest):
        text = (await contest.web.get(contest.server.url.replace("ws:", "http:").replace("/v1", "/metrics"))).text
        names = ("evilpegs_guesses_total", "evilpegs_games_total", "evilpegs_guess_seconds_count")
        found = [line for line in text.splitlines() if line.startswith(names)]
        assert found
        return found

    async def _resume(self, stack, contest, match):
        bert = await contest.log_in(stack, "bert")
        error = await bert.ask("error", type="resume", match=match, seq=0)
        return error["code"], error["message"]
