"""Answers about positions without a match: the same as on the command line, kept, and limited by address."""

import asyncio
import re
from random import Random

import orjson
import pytest

from evilpegs_clients.daily import seeded_evil
from evilpegs_game.analysis.advice import Adviser, AssistHistory
from evilpegs_game.analysis.turns import USUAL, analyze_games
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import parse_turns
from evilpegs_game.rules import PRESETS, Rules
from evilpegs_server.site.analysis import PATIENCE_SECONDS, PositionAnswers, parse_position
from evilpegs_server.site.routes import RULES_PATTERN, TURNS_PATTERN
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.work.pool import UnwantedError
from evilpegs_server.work.tasks import AdviseOnPosition
from support.analyzed_turns import analyze
from support.fake_server import FakePool
from support.waiting import loop_turns, until
from support.workspaces import Call, new_workspace

PATH = "/api/v1/position"
TINY = Rules(2, 3)
ADDRESS = "192.0.2.7"


@pytest.fixture
def pool():
    return FakePool(new_workspace())


@pytest.fixture
async def answers(pool):
    answers = PositionAnswers(pool, 128, 32)
    yield answers
    answers.close()


def ask(answers, turns="", address=None):
    return asyncio.create_task(answers.text(AdviseOnPosition(TINY, parse_turns(turns.split(), TINY), None), address))


async def submitted(pool, tasks):
    await until(lambda: len(pool.submitted) >= tasks)


def as_json(value):
    return orjson.loads(orjson.dumps(value))


@pytest.mark.parametrize("turns", ["", "11:1,0", "11:0,0 22:2,0", "11:1,0 11:0,0", "11:1,0 11:0,0 23:0,1"])
async def test_answer_is_that_of_the_command_line(answers, turns):
    history = parse_turns(turns.split(), TINY)
    document = orjson.loads(await ask(answers, turns))
    assert document.pop("analyses") == as_json([turn.to_json() for turn in analyze(TINY, history)])
    assert document == as_json(Adviser(TINY, Random).advise(AssistHistory(TINY, history)).to_json())


async def test_answer_is_computed_once_and_kept(answers, pool):
    pool.paused = True
    waiting = [ask(answers, "11:1,0") for _ in range(3)]
    await submitted(pool, 1)
    waiting[0].cancel()
    pool.run_pending()
    assert await waiting[1] == await waiting[2] == await ask(answers, "11:1,0")
    assert len(pool.submitted) == 1


async def test_addresses_take_turns(answers, pool):
    """The pool runs one task of a player at a time, and a player is an address."""
    await ask(answers, "11:1,0", ADDRESS)
    await ask(answers, "11:0,0", ADDRESS)
    await ask(answers, "11:1,1", "192.0.2.8")
    first, second, third = (player for player, _ in pool.submitted)
    assert first == second != third


@pytest.mark.parametrize("address", [ADDRESS, None])
async def test_address_with_too_many_waiting_is_refused(pool, address):
    answers = PositionAnswers(pool, 128, 1)
    pool.paused = True
    first = ask(answers, "11:1,0", address)
    again, refused, other = (
        ask(answers, "11:1,0", address),
        ask(answers, "11:0,0", address),
        ask(answers, "", "192.0.2.8"),
    )
    await submitted(pool, 2 if address else 3)
    pool.run_pending()
    assert await first == await again
    assert orjson.loads(await other)["candidates"] == 9
    if address is None:
        await refused
    else:
        with pytest.raises(BusyError):
            await refused
    pool.paused = False
    await ask(answers, "11:0,0", address)  # nothing waits any more
    answers.close()


async def test_all_together_are_limited(pool):
    answers = PositionAnswers(pool, 1, 32)
    pool.paused = True
    first, refused = ask(answers, "11:1,0"), ask(answers, "11:0,0")
    with pytest.raises(BusyError):
        await refused
    pool.run_pending()
    await first
    answers.close()


async def leave(waiting):
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)


@pytest.mark.parametrize("seconds", [PATIENCE_SECONDS - 1, PATIENCE_SECONDS])
async def test_position_whose_visitors_have_left_is_dropped_after_a_pause(answers, pool, seconds):
    pool.paused = True
    left, asked = ask(answers, "11:1,0", ADDRESS), ask(answers, "11:0,0", ADDRESS)
    returned = ask(answers, "11:1,1", ADDRESS)
    await submitted(pool, 3)
    await leave([left, returned])
    returned = ask(answers, "11:1,1", ADDRESS)
    await loop_turns(3)
    pool.seconds += seconds
    pool.run_pending()
    assert await asked
    assert await returned
    await ask(answers, "11:0,0", ADDRESS)
    assert len(pool.submitted) == 3
    pool.paused = False
    assert await ask(answers, "11:1,0", ADDRESS)
    assert len(pool.submitted) == (3 if seconds < PATIENCE_SECONDS else 4)


async def test_dropped_position_gives_its_place_back(pool):
    answers = PositionAnswers(pool, 1, 1)
    pool.paused = True
    left = ask(answers, "11:1,0", ADDRESS)
    await submitted(pool, 1)
    await leave([left])
    pool.seconds += PATIENCE_SECONDS
    pool.run_pending()
    late = ask(answers, "11:1,0", ADDRESS)  # before the loop has turned
    with pytest.raises(UnwantedError):
        await late
    pool.paused = False
    assert await ask(answers, "11:0,0", ADDRESS)
    answers.close()


@pytest.mark.parametrize(("most", "per_address"), [(1, 32), (128, 1)])
async def test_abandoned_positions_refuse_nobody_for_long(pool, most, per_address):
    """The one who finds all places taken is refused, but abandoned ones are free when they ask again."""
    answers = PositionAnswers(pool, most, per_address)
    pool.paused = True
    left = ask(answers, "11:1,0", ADDRESS)
    await submitted(pool, 1)
    await leave([left])
    for seconds, count in ((0.0, 1), (PATIENCE_SECONDS, 1), (0.0, 2)):
        pool.seconds += seconds
        refused = ask(answers, "11:0,0", ADDRESS)
        await loop_turns(3)
        assert len(pool.submitted) == count
    pool.run_pending()
    assert await refused
    answers.close()


async def test_failed_answer_is_tried_again(answers, pool):
    def fail():
        raise MemoryError

    pool.replacements = {AdviseOnPosition: Call(fail)}
    with pytest.raises(MemoryError):
        await ask(answers)
    pool.replacements = {}
    assert await ask(answers)


@pytest.mark.parametrize(
    ("rules", "turns", "quoted"),
    [
        ("4y6", "", "'4y6'"),
        ("9x9", "", "387,420,489"),
        ("4x6", "1122", "'1122'"),
        ("4x6", "11:1,0", "'11'"),
        ("4x6", "1122:3,2", "3,2"),
        ("4x6", ";".join(["1122:1,0"] * 21), "21"),
    ],
)
def test_wrong_position_is_named(rules, turns, quoted):
    with pytest.raises(GameError) as caught:
        parse_position(rules, turns)
    assert quoted in str(caught.value)
    assert "\n" not in str(caught.value)


def test_largest_positions_are_read():
    position = parse_position("6x10", ";".join(["112233:1,0"] * 20))
    assert (position.rules.size, len(position.history)) == (1_000_000, 20)


@pytest.mark.parametrize(("seed", "ties"), [(None, "worst"), ("t1", seeded_evil("t1").tie_break)])
async def test_position_against_evil_is_judged_by_par(answers, seed, ties):
    position = parse_position("3x4", "112:0,1;334:1,0", "evil", seed)
    document = orjson.loads(await answers.text(position, None))
    assert document == document | as_json(
        Adviser(position.rules, Random, ties=ties).advise(AssistHistory(position.rules, position.history)).to_json()
    )
    assert document["par"]["at_least"] == document["par"]["at_most"] > 1
    assert document["keeping"][0] == document["guesses"][0]["code"]
    (analyses,) = analyze_games(position.rules, [position.history], USUAL, ties=[ties])
    assert document["analyses"] == as_json([turn.to_json() for turn in analyses])
    assert document["analyses"][-1]["needed"] == document["par"]


async def test_seeds_and_codemakers_are_answered_apart(answers, pool):
    for terms in (("fixed", None), ("evil", None), ("evil", "1"), ("evil", "2"), ("evil", "1")):
        await answers.text(parse_position("2x3", "11:1,0", *terms), None)
    assert len(pool.submitted) == 4


@pytest.mark.parametrize(
    "query",
    [
        "rules=9x9",
        "turns=1122:9,9",
        "turns=nothing",
        "matches=1",
        "seed=t1",
        "codemaker=devil",
        "codemaker=evil&seed=a/b",
    ],
)
def test_site_refuses_wrong_queries(web, query):
    answer = web.get(f"{PATH}?{query}")
    assert (answer.status_code, answer.headers["cache-control"]) == (400, "no-store")
    assert answer.json()["detail"]


@pytest.mark.parametrize("rules", ["4x6", "4x10-distinct", "12x14", *PRESETS])
def test_pattern_of_rules_allows_what_is_read(rules):
    assert re.search(RULES_PATTERN, rules)
    Rules.parse(rules)


@pytest.mark.parametrize("turns", ["", "1122:1,0", "1122:1,0;3344:0,2", "1122:1,0;", "a0:10,2"])
def test_pattern_of_turns_allows_what_is_read(turns):
    assert re.search(TURNS_PATTERN, turns)


@pytest.mark.parametrize("turns", ["1122", "1122:1", "1122:1,0,3344:0,2", "1122:1,0;;3344:0,2", ":1,0"])
def test_pattern_of_turns_forbids_what_is_refused(turns):
    assert not re.search(TURNS_PATTERN, turns)


@pytest.mark.parametrize(
    ("query", "allowed"),
    [
        ("matches?over=maybe", "true or false"),
        ("matches?cursor=1", "[0-9a-f]{1,12}-[0-9a-f]{16}"),
        ("matches?codemaker=good", "'fixed', 'evil' or 'devil'"),
        ("matches?limit=0", "1 or more"),
    ],
)
def test_refusal_names_what_is_allowed(web, query, allowed):
    answer = web.get(f"/api/v1/{query}")
    assert answer.status_code == 400
    assert allowed in answer.json()["detail"]
