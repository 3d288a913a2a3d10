"""The texts of the terminal client at the main moments of a match, compared with the transcripts in `snapshots`.

Each function below is a scenario and is named after its transcript.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from evilpegs_clients.errors import ClientError
from support.devil_matches import devil
from support.person import first_candidate, flag, notify
from tools.snapshots import REWRITING, TERMINAL_SNAPSHOTS, normalized, settle

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}


@dataclass(frozen=True)
class Stage:
    """The parts of a scenario: server and match to build, and ``run`` to play one match for each script."""

    server: Any
    match: Any
    run: Any


@pytest.fixture
def stage(tiny_server, honest_match, terminal_at, output):
    async def run(server, *scripts, name="ann"):
        async with terminal_at(server, width=100) as play:
            for script in scripts:
                try:
                    await play(*script, name=name)
                except ClientError as error:
                    output.write(f"[{type(error).__name__}]\n{error}\n")

    return Stage(tiny_server, honest_match, run)


async def practice_game(stage):
    server = stage.server(practice=True)
    await stage.run(server, ["help", "hint", "112", "", "parts", *[first_candidate(server)] * 8])


async def evil_game(stage):
    server = stage.server(practice=True, codemaker="evil", tie="largest")
    await stage.run(server, ["parts", "112", "parts", "resign"])


async def devil_game(stage):
    """The first reply is greedy, the second exact."""
    server = stage.server(devil(stage.match), practice=True, codemaker="devil", tie="largest", exact_up_to=17)
    await stage.run(server, ["112", "134", "resign"])


async def timed_match(stage):
    server = stage.server(games=2, clock=CLOCK)
    first_game = ["112", "hint", "", "112", "11", "resign", "y"]
    await stage.run(server, [*first_game, "", "112", flag(server)])


async def rated_match(stage):
    """One game is not solved, and the others are resigned together."""
    server = stage.server(games=3, guess_limit=2)
    await stage.run(server, ["112", "111", "112", "parts", "resign", "maybe", "n", "resign match", "y"])


async def refused_codes(stage):
    server = stage.server(rules="3x5-distinct")
    await stage.run(server, ["11", "119", "hlep", "112", "hint", "1 2 3", "resign", "y"])


async def lost_connection(stage):
    server = stage.server()
    faults = iter([None, None, None, "swallow"])
    server.fault = lambda request: next(faults, None)
    await stage.run(server, ["112", notify(server, "Restart at noon."), "resign", "y"])


async def lost_server(stage):
    server = stage.server()
    server.fault = lambda request: "lose" if server.sent("guess") else None
    await stage.run(server, ["112"])


async def left_match(stage):
    await stage.run(stage.server(), ["112", "quit"], ["maybe", "y", "quit"], ["n", "resign", "y"])


async def left_timed_match(stage):
    await stage.run(stage.server(clock=CLOCK), ["", "112", "quit"], [])


async def left_by_guest(stage):
    await stage.run(stage.server(practice=True), ["112"], name=None)


async def dishonest_server(stage):
    server = stage.server()
    server.cheat = lambda event: event | {"nonce": "0" * 64} if event["type"] == "game_over" else event
    await stage.run(server, ["112", "resign", "y"])


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (
        *(practice_game, evil_game, devil_game, timed_match, rated_match, refused_codes, lost_connection),
        *(lost_server, left_match, left_timed_match, left_by_guest, dishonest_server),
    )
}


@pytest.mark.parametrize("name", SCENARIOS)
async def test_terminal_snapshot(request, stage, output, name):
    await SCENARIOS[name](stage)
    is_rewriting = request.config.pluginmanager.has_plugin(REWRITING)
    settle(TERMINAL_SNAPSHOTS / f"{name}.txt", normalized(output.getvalue()), is_rewriting)


def test_terminal_snapshots_match_scenarios():
    assert {path.name for path in TERMINAL_SNAPSHOTS.iterdir()} == {f"{name}.txt" for name in SCENARIOS}
