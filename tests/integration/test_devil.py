"""A bot against the devil over a real socket: the server is killed during the match, which is verified twice."""

import asyncio
import json
import signal
from pathlib import Path
from random import Random

from evilpegs.main import main
from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.bot.summary import GameSummary
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.strategies.heuristics import Minimax
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.log.archive import load_match
from evilpegs_server.storage.queries import closing_engine
from support.patience import PATIENCE
from support.patient_server import PROGRAM
from support.servers import Child, child_server, dial


def solved_beside(database):
    """Return the path of the solved positions that belong to a database."""
    return Path(database.removeprefix("sqlite:///") + ".solved")


async def test_devil_match_survives_killed_server(database, tmp_path, capsys):
    matches, games, killed = [], [], asyncio.Event()

    def note(event):
        if isinstance(event, MatchStarted):
            matches.append(event.match)
        if isinstance(event, GameSummary):
            games.append(event)
            killed.set()

    def play(url):
        return play_matches(
            server=url,
            ladder="classic-devil",
            strategy=Minimax(),
            name="mini",
            token_file=tmp_path / "tokens.json",
            on_event=note,
            retry_policy=RetryPolicy(Random(1)),
        )

    port = None
    async with child_server(database, PROGRAM) as child:
        port = child.url.rpartition(":")[2].partition("/")[0]
        playing = asyncio.create_task(play(child.url))
        async with asyncio.timeout(PATIENCE):
            await killed.wait()
        await child.stop(signal.SIGKILL)
        assert len(games) < 4
        again = Child(database, PROGRAM)
        again.command[again.command.index("--port") + 1] = port
        await again.start()
        try:
            async with asyncio.timeout(PATIENCE):
                summary = await playing
        finally:
            status, errors = await again.stop(signal.SIGTERM)
    assert status == 0, errors
    assert summary.verified
    assert [game.outcome for game in games] == ["solved"] * 4
    [match] = set(matches)
    record = tmp_path / "record.jsonl"
    with closing_engine(open_existing_database(database)) as engine:
        stored = load_match(engine, match)
    record.write_text("".join(entry.text + "\n" for entry in stored.entries))
    assert main(["verify", str(record), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["codemaker"], found["holds"], found["findings"], found["not_checked"]) == ("devil", True, [], [])
    assert len(SolvedPositions.from_bytes(solved_beside(database).read_bytes())) > 0


async def test_damaged_solved_file_is_replaced(database):
    solved_beside(database).write_bytes(b"evilpegs solved positions 1\nnot really")
    async with child_server(database, PROGRAM) as child:
        async with dial(child.url) as player:
            await player.hello()
            match = await player.play("classic-devil")
            await player.guess(match, 1, 1, "1122")
        status, errors = await child.stop(signal.SIGTERM)
    assert status == 0
    [line] = [line for line in errors.splitlines() if str(solved_beside(database)) in line]
    assert "warning" in line
    assert len(SolvedPositions.from_bytes(solved_beside(database).read_bytes())) > 0
