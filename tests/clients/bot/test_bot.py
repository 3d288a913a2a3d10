import asyncio
import json
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import pytest

import evilpegs
from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.bot.summary import GameSummary, MatchSummary, StrategyFailure
from evilpegs_clients.connection.session import Reconnecting
from evilpegs_clients.connection.tokens import sole_user
from evilpegs_clients.errors import (
    ClientError,
    SeatTakenError,
    ServerRefusedError,
    ServerUnreachableError,
)
from evilpegs_clients.strategies.consistent import FirstConsistent
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_clients.verification.violation import Subject
from evilpegs_game.errors import OverBudgetError
from evilpegs_protocol.server_messages import MatchStarted, Welcome
from support.patience import PATIENCE

CLOCK = {"base_ms": 60_000, "increment_ms": 0}


@dataclass(frozen=True)
class Doing:
    """A strategy that calls ``do``."""

    do: Any
    name: str = "doing"
    uses_rng: bool = False

    def choose(self, position, rng):
        return self.do(position)


@pytest.fixture
def play(tokens, retry_policy, listen):
    """Run a bot against a tiny server."""

    async def run(server, strategy=None, **options):
        options = {"name": "ann", "ladder": "tiny", "seed": 1} | options
        async with listen(server.converse) as url:
            return await play_matches(
                server=url,
                strategy=strategy or FirstConsistent(),
                token_file=tokens.path,
                retry_policy=retry_policy,
                **options,
            )

    return run


@pytest.mark.parametrize(
    "kind", [{"codemaker": "fixed"}, {"codemaker": "evil", "tie": "largest/seeded"}, {"practice": True}]
)
async def test_bot_plays_and_verifies_matches(tiny_server, play, kind):
    server, events = tiny_server(games=3, clock=CLOCK, **kind), []
    summary = await play(server, matches=2, on_event=events.append)
    assert summary.player == "ann"
    assert summary.verified
    assert [game.outcome for game in summary.games] == ["solved"] * 6
    for match in summary.matches:
        truth = server.matches[match.match]
        assert [(game.outcome, game.guesses) for game in match.games] == [end[:2] for end in truth.ends]
        assert [len(game.history) for game in match.games] == [game.guesses for game in match.games]
        assert all(game.history[-1].feedback.black == len(game.history[-1].guess) for game in match.games)
    one_match = [MatchStarted, GameSummary, GameSummary, GameSummary, MatchSummary]
    assert [type(event) for event in events] == [Welcome, *one_match, *one_match]


async def test_bot_nonces_are_fresh(tiny_server, play):
    server = tiny_server(games=3)
    await play(server)
    nonces = {request["nonce"] for request in server.sent("ready")}
    assert len(nonces) == 3


async def test_bot_finds_lie_at_game_over(tiny_server, play):
    server, events = tiny_server(games=2), []

    def cheat(event):
        lie = {"secret": "444", "nonce": "0" * 64}
        return event | lie if event.get("seq") and event["type"] == "game_over" else event

    server.cheat = cheat
    summary = await play(server, on_event=events.append)
    assert not summary.verified
    games = [event for event in events if isinstance(event, GameSummary)]
    assert [game.verified for game in games] == [False, False]
    assert (1, Subject.COMMITMENT) in [(violation.game, violation.subject) for violation in games[0].violations]
    assert [violation.subject for violation in summary.matches[0].violations] == [Subject.HEAD]


async def test_bot_survives_cuts(tiny_server, play):
    server, events = tiny_server(games=2), []
    faults = iter([None, None, None, "swallow", None, None, None, "lose"])
    server.fault = lambda request: next(faults, None)
    summary = await play(server, on_event=events.append)
    assert summary.verified
    assert [game.outcome for game in summary.games] == ["solved"] * 2
    assert sum(isinstance(event, Reconnecting) for event in events) == 2
    truth = [event["code"] for event in next(iter(server.matches.values())).events if event["type"] == "feedback"]
    assert len(truth) == sum(game.guesses for game in summary.games)


async def test_bot_thinks_once_per_turn(tiny_server, play):
    server, thoughts = tiny_server(), []
    lost = []

    def lose_first(request):
        if request["type"] == "guess" and not lost:
            lost.append(request)
            return "lose"
        return None

    def choose(position):
        thoughts.append(position.turn)
        return position.first_candidate

    server.fault = lose_first
    await play(server, Doing(choose))
    assert thoughts == sorted(set(thoughts))


async def test_bot_counts_turns_over_budget(tiny_server, play):
    def choose(position):
        raise OverBudgetError("too much")

    summary = await play(tiny_server(games=2), Doing(choose))
    assert summary.verified
    assert summary.over_budget == sum(game.guesses for game in summary.games)


@pytest.mark.parametrize(
    ("do", "named"),
    [
        (lambda position: 1 / 0, ["doing", "turn 1", "ZeroDivisionError: division by zero"]),
        (lambda position: (7,), ["doing", "(7,)", "'8'", "3x4"]),
    ],
)
async def test_second_failure_begins_no_further_game(tiny_server, play, do, named):
    server, events = tiny_server(games=4), []
    with pytest.raises(StrategyError) as caught:
        await play(server, Doing(do), on_event=events.append)
    [match] = server.matches.values()
    assert [text for text in [*named, match.match] if text not in str(caught.value)] == []
    assert "\n" not in str(caught.value)
    assert [outcome for outcome, *_ in match.ends] == ["resigned"] * 2
    assert (len(server.sent("ready")), match.game, match.state) == (2, 3, "ready")
    failures = [event for event in events if isinstance(event, StrategyFailure)]
    assert [(failure.match, failure.game, failure.position.turn) for failure in failures] == [
        (match.match, 1, 1),
        (match.match, 2, 1),
    ]


class FailingOnce:
    """A strategy that fails once, at a second turn."""

    def __init__(self):
        self.positions = []

    def choose(self, position):
        if position.turn == 2 and not self.positions:
            self.positions.append(position)
            raise ZeroDivisionError
        return position.first_candidate


@pytest.mark.parametrize("lost", [(), (5,), (6,)], ids=["kept", "cut before", "cut after"])
async def test_one_failure_costs_one_game(tiny_server, play, lost):
    server, strategy = tiny_server(games=3), FailingOnce()

    def cut_resignation(request):
        is_first = len(server.sent("resign")) == 1
        return ("lose" if lost == (5,) else "swallow") if lost and request["type"] == "resign" and is_first else None

    server.fault = cut_resignation
    summary = await play(server, Doing(strategy.choose))
    assert sorted(game.outcome for game in summary.games) == ["resigned", "solved", "solved"]
    assert summary.verified
    [failure] = summary.failures
    [match] = server.matches.values()
    [over] = [event for event in match.events if event.get("outcome") == "resigned"]
    assert (failure.match, failure.game, failure.secret) == (match.match, over["game"], over["secret"])
    assert failure.position.history == strategy.positions[0].history
    assert isinstance(failure.error.__cause__, ZeroDivisionError)


async def test_failures_of_two_matches_end_run(tiny_server, play):
    server, failed = tiny_server(games=1), []

    def choose(position):
        if len(server.matches) in (1, 3) and len(server.matches) not in failed:
            failed.append(len(server.matches))
            raise ZeroDivisionError
        return position.first_candidate

    with pytest.raises(StrategyError, match=r"ZeroDivisionError.* 2 times"):
        await play(server, Doing(choose), matches=5)
    assert [match.ends[0][0] for match in server.matches.values()] == ["resigned", "solved", "resigned"]


def offer(server, **kind):
    """Make a tiny server list its ladder, rated and timed like its matches."""
    info = {"id": "tiny", "rules": "3x4", "codemaker": "fixed", "tie": None, "clock": CLOCK, "guess_limit": 8}
    ladder = info | {"games": 3, "rated": True} | kind
    server.cheat = lambda event: event | {"ladders": [ladder]} if event["type"] == "welcome" else event
    return server


@pytest.mark.parametrize("rated", [True, False])
async def test_match_is_not_begun_by_strategy_that_fails(tiny_server, play, rated):
    server, events = offer(tiny_server(games=3), rated=rated), []
    with pytest.raises(StrategyError, match="ZeroDivisionError"):
        await play(server, Doing(lambda position: 1 / 0), on_event=events.append)
    assert server.matches == {}
    assert next(event.position.budget > 1 for event in events if isinstance(event, StrategyFailure))


async def test_strategy_that_fails_claims_no_name(tiny_server, play, tokens):
    server = offer(tiny_server())
    with pytest.raises(StrategyError, match="ZeroDivisionError"):
        await play(server, Doing(lambda position: 1 / 0))
    assert [request.get("name") for request in server.sent("hello")] == [None]
    assert tokens.servers_with("ann") == ()


class TestUnknownToken:
    """The server has forgotten the name whose token is stored, for example because its database is new."""

    @pytest.fixture
    def play(self, tokens, retry_policy, listen):
        async def run(server, choose):
            options = {"ladder": "tiny", "name": "ann", "token_file": tokens.path, "retry_policy": retry_policy}
            async with listen(server.converse) as url:
                tokens.add(url, "ann", "0" * 64)
                return await play_matches(server=url, strategy=Doing(choose), **options)

        return run

    async def test_strategy_that_fails_claims_no_name_again(self, tiny_server, play):
        server = offer(tiny_server())
        with pytest.raises(StrategyError, match="ZeroDivisionError"):
            await play(server, lambda position: 1 / 0)
        assert [hello.get("name") for hello in server.sent("hello")] == [None, None]

    async def test_strategy_is_tried_once(self, tiny_server, play):
        server, turns = offer(tiny_server()), []

        def choose(position):
            turns.append(position.turn)
            return position.first_candidate

        summary = await play(server, choose)
        assert [hello.get("name") for hello in server.sent("hello")] == [None, None, "ann"]
        assert len(turns) == 1 + sum(game.guesses for game in summary.games)


async def test_name_with_token_needs_no_guest(tiny_server, tokens, retry_policy, listen):
    server, turns = offer(tiny_server()), []

    def choose(position):
        turns.append(position.turn)
        return position.first_candidate

    options = {"strategy": Doing(choose), "ladder": "tiny", "name": "ann", "seed": 1}
    async with listen(server.converse) as url:
        for hellos in (2, 3):
            turns.clear()
            summary = await play_matches(server=url, token_file=tokens.path, retry_policy=retry_policy, **options)
            assert len(server.sent("hello")) == hellos
            assert len(turns) == 1 + sum(game.guesses for game in summary.games)


async def test_strategy_is_tried_after_login_where_guests_are_refused(tiny_server, play):
    server, turns = offer(tiny_server()), []
    refusal = [{"type": "error", "code": "rate_limited", "message": "no guests", "fatal": True}]
    server.fault = lambda request: refusal if request["type"] == "hello" and "name" not in request else None

    def choose(position):
        turns.append(position.turn)
        return position.first_candidate

    summary = await play(server, Doing(choose))
    assert len(turns) == 1 + sum(game.guesses for game in summary.games)


async def test_rules_too_large_for_strategy_name_remedy_on_server(tiny_server, play):
    server = offer(tiny_server(), id="monster", rules="10x12")
    with pytest.raises(StrategyError) as caught:
        await play(server, load_strategy("minimax"), ladder="monster")
    assert "; play sampled there, or choose a smaller ladder; no match was started on monster" in str(caught.value)
    assert "smaller rules" not in str(caught.value)


async def test_rehearsal_is_no_guess(tiny_server, play):
    server, turns = offer(tiny_server(games=2)), []

    def choose(position):
        turns.append(position.turn)
        if len(turns) == 1:
            raise OverBudgetError("too much")
        return position.first_candidate

    summary = await play(server, Doing(choose))
    assert len(turns) == 1 + sum(game.guesses for game in summary.games)
    assert summary.over_budget == 0


async def test_failed_resignation_is_reported(tiny_server, play):
    server = tiny_server()
    server.fault = lambda request: (
        [{"type": "error", "code": "not_your_match", "message": "moved"}] if request["type"] == "resign" else None
    )
    with pytest.raises(StrategyError, match=r"ZeroDivisionError.*moved$"):
        await play(server, Doing(lambda position: 1 / 0))


class Pause:
    """The first thought of a strategy: a test can wait for its beginning and decide its end."""

    def __init__(self):
        self.begun = asyncio.Event()
        self.release = threading.Event()
        self._loop = asyncio.get_running_loop()

    def choose(self, position):
        if not self.begun.is_set():
            self._loop.call_soon_threadsafe(self.begun.set)
            assert self.release.wait(PATIENCE)
        return position.first_candidate


async def test_flag_during_thought_delays_next_game(tiny_server, play):
    """Game 2 begins only when the first thought has ended, although the flag fell before."""
    server, pause = tiny_server(games=2, clock=CLOCK), Pause()

    async def flag():
        await pause.begun.wait()
        [match] = server.matches.values()
        seen = len(match.events)
        match.end("flagged")
        for event in match.events[seen:]:
            await server.sockets[-1].send(json.dumps(event))
        await (await server.sockets[-1].ping())  # all that was seen
        assert len(server.sent("ready")) == 1
        pause.release.set()

    flagging = asyncio.create_task(flag())
    summary = await play(server, Doing(pause.choose))
    await flagging
    assert [game.outcome for game in summary.games] == ["flagged", "solved"]
    assert len(server.sent("guess")) == summary.games[1].guesses
    assert summary.verified


async def test_forfeit_during_thought_skips_ready(tiny_server, play):
    """The `ready` of a game that was forfeited meanwhile is not sent."""
    server, pause = tiny_server(games=3, clock=CLOCK), Pause()

    async def happen(outcome):
        [match] = server.matches.values()
        seen = len(match.events)
        match.end(outcome)
        for event in match.events[seen:]:
            await server.sockets[-1].send(json.dumps(event))
        await (await server.sockets[-1].ping())

    async def lose_two():
        await pause.begun.wait()
        await happen("flagged")
        await happen("forfeit")
        pause.release.set()

    losing = asyncio.create_task(lose_two())
    summary = await play(server, Doing(pause.choose))
    await losing
    assert [game.outcome for game in summary.games] == ["flagged", "forfeit", "solved"]
    assert [request["game"] for request in server.sent("ready")] == [1, 3]
    assert summary.verified


async def test_pings_are_answered_during_thought(tiny_server, play):
    server, pause = tiny_server(), Pause()

    async def ping():
        await pause.begun.wait()
        await (await server.sockets[-1].ping())
        pause.release.set()

    pinging = asyncio.create_task(ping())
    assert (await play(server, Doing(pause.choose))).verified
    await pinging


async def test_bot_yields_taken_seat(tiny_server, play):
    server = tiny_server()

    def choose(position):
        asyncio.run_coroutine_threadsafe(server.sockets[-1].close(4003, ""), loop).result()
        return position.first_candidate

    loop = asyncio.get_running_loop()
    with pytest.raises(SeatTakenError):
        await play(server, Doing(choose))
    assert server.connections == 2  # those of the guest who asks for the ladders and of the player


async def test_bot_finishes_open_match_first(tiny_server, tokens, retry_policy, listen):
    server = tiny_server(games=2)
    async with listen(server.converse) as url:
        options = {"server": url, "ladder": "tiny", "strategy": FirstConsistent(), "name": "ann"}
        options |= {"token_file": tokens.path, "retry_policy": retry_policy}
        server.fault = lambda request: "lose" if request["type"] in ("guess", "resume") else None
        with pytest.raises(ServerUnreachableError):
            await play_matches(**options)
        server.fault = lambda request: None
        [left] = server.matches
        with sole_user(tokens, url, "ann"):
            another = await play_matches(**options)
        assert [match.match for match in another.matches] == [list(server.matches)[1]]
        summary = await play_matches(**options, matches=0)
    assert [match.match for match in summary.matches] == [left]
    assert summary.verified
    assert [game.outcome for game in summary.games] == ["solved"] * 2


@pytest.fixture
def left_open(tiny_server, tokens, retry_policy, listen):
    """A server on which ann left a match open in her first turn, and a function that plays on under her name."""

    @asynccontextmanager
    async def left_open(strategy):
        server = tiny_server(games=2)
        async with listen(server.converse) as url:
            options = {"server": url, "ladder": "tiny", "name": "ann", "token_file": tokens.path, "seed": 1}
            play_on = partial(play_matches, **options, retry_policy=retry_policy)
            server.fault = lambda request: "lose" if request["type"] in ("guess", "resume") else None
            with pytest.raises(ServerUnreachableError):
                await play_on(strategy=strategy)
            server.fault, server.requests = lambda request: None, []
            yield server, url, play_on

    return left_open


def check_untouched(server):
    """Check that the open match was looked at and neither resumed nor played; return its id."""
    [match] = server.matches.values()
    assert (match.state, match.game, match.turn) == ("turn", 1, 1)
    assert {request["type"] for request in server.requests} == {"hello"}
    return match.match


@pytest.mark.parametrize("do", [lambda position: 1 / 0, lambda position: position.first_candidate])
async def test_bot_leaves_match_that_other_client_began(left_open, do):
    person = Doing(lambda position: position.first_candidate, name="evilpegs play")
    async with left_open(person) as (server, url, play_on):
        with pytest.raises(ClientError) as caught:
            await play_on(strategy=Doing(do))
        match = check_untouched(server)
    assert str(caught.value) == (
        f"ann has an open match {match} on tiny that evilpegs play began; finish it with: "
        f"evilpegs play --name ann --server {url}, or choose another --name"
    )


@pytest.mark.parametrize("matches", [0, 1])
async def test_strategy_is_tried_before_open_match(left_open, matches):
    async with left_open(Doing(lambda position: position.first_candidate)) as (server, _url, play_on):
        with pytest.raises(StrategyError) as caught:
            await play_on(strategy=Doing(lambda position: 1 / 0), matches=matches)
        match = check_untouched(server)
    message = str(caught.value)
    assert [fact for fact in ("ZeroDivisionError", match, "tiny", "stays open") if fact not in message] == []
    assert "\n" not in message


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("auth_required", r"^no\b.*--name NAME"),
        ("unknown_ladder", r"'tiny'.*ws://"),
        ("too_many_matches", r"^no$"),
    ],
)
async def test_play_refusal_names_remedy(tiny_server, play, code, named):
    server = tiny_server()
    refuse = {"type": "error", "message": "no", "code": code}
    server.fault = lambda request: [refuse] if request["type"] == "play" else None
    with pytest.raises(ServerRefusedError, match=named) as caught:
        await play(server, name=None)
    assert caught.value.code == code


@pytest.mark.parametrize(("name", "label"), [("minimax", "minimax"), ("é" * 90, "?" * 64), ("", "strategy")])
async def test_client_is_named_after_strategy(tiny_server, play, name, label):
    server = tiny_server()
    await play(server, Doing(lambda position: position.first_candidate, name=name))
    assert server.sent("hello")[0]["client"]["name"] == label


async def test_bot_plays_tree(tiny_server, play):
    server, tree = tiny_server(games=3), evilpegs.tree("minimax", "3x4")
    summary = await play(server, tree)
    assert summary.verified
    assert [game.outcome for game in summary.games] == ["solved"] * 3
    assert {game.history[0].guess for game in summary.games} == {tree.root.guess}


async def test_bot_refuses_tree_of_other_rules(tiny_server, play):
    server = tiny_server(games=3)
    with pytest.raises(StrategyError, match="tree of 2x3 and cannot play"):
        await play(server, evilpegs.tree("minimax", "2x3"))
    assert server.sent("guess") == []


async def test_client_version_is_hash_of_strategy_file(tiny_server, play, tmp_path):
    versions, sent = [], []

    async def play_as(strategy=None, **options):
        server = tiny_server()
        await play(server, strategy, name=f"bot{len(sent)}", **options)
        sent.append(server.sent("hello")[0]["client"]["version"])

    for text in ("# one\n", "# two\n"):
        (tmp_path / "mine.py").write_text(f"{text}def choose(position, rng):\n    return position.first_candidate\n")
        strategy = load_strategy(str(tmp_path / "mine.py"))
        await play_as(strategy)
        versions.append(strategy.version)
    await play_as(strategy, client_version="2.0 beta")
    await play_as()
    assert len(set(versions)) == 2
    assert sent == [*versions, "2.0 beta", version("evilpegs")]


@pytest.mark.parametrize("text", ["", "x" * 65, "1\x1b[31m"])
async def test_invalid_client_version_is_refused(tiny_server, play, text):
    server = tiny_server()
    with pytest.raises(ClientError, match="64") as caught:
        await play(server, client_version=text)
    assert "\x1b" not in str(caught.value)
    assert server.connections == 0
