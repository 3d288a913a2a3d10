"""Accidents of the database of a running server, in child processes: links, moves, locks, limits of the system.

Each limit is lowered for the running child alone and raised again. Whatever happens, a player sees
`storage_unavailable` and no event that is not stored, the log gets a line per second, and the server recovers.
"""

import asyncio
import contextlib
import json
import resource
import shutil
import signal
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.log.archive import load_match
from support.patience import PATIENCE
from support.servers import ChildNotStartedError, child_server, dial, run_command

LADDER = "classic-evil-practice"
in_full = partial(pytest.param, marks=pytest.mark.abuse)
"""A parameter that is only tried by `make abuse`; each starts a server, which takes seconds."""
POOLLESS = (str(Path(__file__).with_name("server_without_pool.py")),)
"""A server whose reads never find an idle connection; with one, they need no descriptor."""
FORGETFUL = (str(Path(__file__).with_name("server_without_checks.py")),)
"""The program of the control: a server that does not look whether its file is in its place."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "test.sqlite3"


@pytest.fixture
def database(path):
    return f"sqlite:///{path}"


async def dial_once(url):
    """Connect and leave. A server without descriptors lets the client wait."""
    async with dial(url) as raw:
        await raw.hello()


@contextlib.contextmanager
def limited(child, kind, soft):
    """Lower a limit of the running child within the block."""
    before = resource.prlimit(child.process.pid, kind)
    resource.prlimit(child.process.pid, kind, (soft, before[1]))
    try:
        yield
    finally:
        resource.prlimit(child.process.pid, kind, before)


async def play(raw):
    """Begin a match; return its id, or None if the server cannot store it."""
    answer = await raw.ask("match_started", "error", type="play", ladder=LADDER)
    if answer["type"] == "error":
        assert answer["code"] == "storage_unavailable"
        return None
    await raw.hear("game_started")
    await raw.ready(answer["match"], 1)
    return answer["match"]


async def play_again(url, token):
    """Connect until a match can begin."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with dial(url) as raw:
                await raw.hello(token=token)
                if (match := await play(raw)) is not None:
                    return match


def stored_feedbacks(database, match):
    engine = open_existing_database(database)
    found = [json.loads(entry.text) for entry in load_match(engine, match).entries if entry.type == "feedback"]
    engine.dispose()
    return found


@pytest.mark.parametrize("link", ["symlink_to", in_full("hardlink_to"), in_full(None)])
async def test_second_server_on_database_is_refused(path, database, link):
    async with child_server(database):
        other = path
        if link:
            other = path.with_name("other")
            getattr(other, link)(path)
        path.with_name(path.name + ".lock").unlink(missing_ok=True)
        with pytest.raises(ChildNotStartedError) as refused:
            async with child_server(f"sqlite:///{other}"):
                pass
    assert refused.value.status == 2
    assert "another server is running" in refused.value.errors


class TestMovedDatabase:
    @pytest.mark.parametrize("how", ["moved", in_full("deleted"), in_full("replaced")])
    async def test_nothing_is_revealed_while_file_is_away(self, path, database, how):
        away = path.with_name("away")
        async with child_server(database) as child, dial(child.url) as raw:
            await raw.hello("ann")
            match = await play(raw)
            await raw.guess(match, 1, 1, "1122")
            path.rename(away)
            if how == "replaced":
                path.touch()
            answer = await raw.guess(match, 1, 2, "3344")
            assert (answer["type"], answer["code"]) == ("error", "storage_unavailable")
            async with dial(child.url) as other:
                hello = {"type": "hello", "client": {"name": "a", "version": "1"}, "name": "bob", "kind": "bot"}
                assert (await other.ask("error", **hello))["code"] == "storage_unavailable"
            if how != "deleted":
                away.replace(path)
                await play_again(child.url, raw.token)
            assert how != "deleted" or not path.exists()
            assert (await child.stop(signal.SIGTERM))[0] == 0
        if how != "deleted":
            assert [feedback["code"] for feedback in stored_feedbacks(database, match)] == ["1122"]

    @pytest.mark.abuse
    async def test_server_without_checks_reveals_what_is_lost(self, path, database):
        """The control of the test above."""
        async with child_server(database, *FORGETFUL) as child, dial(child.url) as raw:
            await raw.hello("ann")
            match = await play(raw)
            path.unlink()
            assert (await raw.guess(match, 1, 1, "1122"))["type"] == "feedback"


class TestWriteLock:
    @pytest.fixture
    def held(self, path):
        """A context in which another program holds the write lock."""

        @contextlib.contextmanager
        def hold():
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                yield

        return hold

    async def test_players_are_refused_and_served_afterwards(self, database, held):
        async with child_server(database) as child, dial(child.url) as raw:
            await raw.hello("ann")
            match = await play(raw)
            with held():
                answer = await raw.guess(match, 1, 1, "1122")
                assert (answer["type"], answer["code"]) == ("error", "storage_unavailable")
            await play_again(child.url, raw.token)
        assert stored_feedbacks(database, match) == []

    @pytest.mark.abuse
    async def test_server_stops_in_order_while_lock_is_held(self, database, held):
        async with child_server(database) as child, contextlib.AsyncExitStack() as stack:
            players = []
            for _ in range(20):
                players.append(raw := await stack.enter_async_context(dial(child.url)))
                await raw.hello()
            matches = [await play(raw) for raw in players]
            with held():
                for raw, match in zip(players, matches, strict=True):
                    await raw.say(type="guess", match=match, game=1, turn=1, code="1122")
                status, log = await child.stop(signal.SIGTERM)
        assert status == 0
        assert '"stopped"' in log


class TestLimits:
    async def test_player_is_refused_without_descriptors_and_served_with_them(self, database):
        """The writer has its connection; a read and a new client need descriptors."""
        async with child_server(database, *POOLLESS) as child, dial(child.url) as raw:
            await raw.hello("ann")
            match = await play(raw)
            with limited(child, resource.RLIMIT_NOFILE, 3):
                refusal = await raw.ask("error", type="resume", match="0" * 16, seq=0)
                assert refusal["code"] == "storage_unavailable"
                assert (await raw.guess(match, 1, 1, "1122"))["type"] == "feedback"
                later = asyncio.create_task(dial_once(child.url))
            refusal = await raw.ask("error", type="resume", match="0" * 16, seq=0)
            assert refusal["code"] == "not_your_match"
            await asyncio.wait_for(later, PATIENCE)

    async def test_full_disk_is_a_line_per_second(self, database):
        async with child_server(database) as child, dial(child.url) as raw:
            await raw.hello("ann")
            match = await play(raw)
            with limited(child, resource.RLIMIT_FSIZE, 1):
                answer = await raw.guess(match, 1, 1, "1122")
                assert (answer["type"], answer["code"]) == ("error", "storage_unavailable")
                for _ in range(15):
                    async with dial(child.url) as other:
                        await other.hello(token=raw.token)
                        assert await play(other) is None
            await play_again(child.url, raw.token)
            status, log = await child.stop(signal.SIGTERM)
        lines = [json.loads(line) for line in log.splitlines()]
        failures = [line for line in lines if line["level"] == "error"]
        seconds = {line["timestamp"].partition(".")[0] for line in failures}
        assert status == 0
        assert 1 <= len(failures) <= len(seconds) + 1
        assert sum(line.get("others_before", 0) for line in failures) + len(failures) >= 1
        assert max(map(len, log.splitlines())) < 1000
        assert stored_feedbacks(database, match) == []


class TestBackup:
    """A copy that is made while 80 games go on has every event that was sent before the copying began."""

    PLAYERS, EACH = 10, 8

    async def acknowledged(self, url, copy):
        """Play on while ``copy`` runs; return the last event of each match that was sent before it began."""
        async with contextlib.AsyncExitStack() as stack:
            players, matches = [], {}
            for _ in range(self.PLAYERS):
                players.append(raw := await stack.enter_async_context(dial(url)))
                await raw.hello()
                matches[raw] = [await play(raw) for _ in range(self.EACH)]
            sent, copied = {}, asyncio.Event()

            async def keep_guessing(raw):
                turn = 0
                while turn < 5 and not (turn > 1 and copied.is_set()):
                    turn += 1
                    for match in matches[raw]:
                        answer = await raw.guess(match, 1, turn, "1122")
                        if answer["type"] == "feedback":
                            sent[match] = answer["seq"]

            for raw in players:
                for match in matches[raw]:
                    sent[match] = (await raw.guess(match, 1, 1, "1121"))["seq"]
            before, going_on = dict(sent), asyncio.gather(*map(keep_guessing, players))
            await copy()
            copied.set()
            await going_on
            return before

    def missing(self, copy, sent):
        """Return the matches of which the copy lacks an event that was sent."""
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            query = "SELECT m.id, max(e.seq) FROM matches AS m JOIN events AS e ON e.match = m.number GROUP BY m.id"
            try:
                found = dict(connection.execute(query).fetchall())
            except sqlite3.OperationalError:  # not even the tables were in the file
                found = {}
        return [match for match, seq in sent.items() if found.get(match, 0) < seq]

    async def test_backup_has_every_event_that_was_sent(self, path, database):
        copy = path.with_name("copy")

        async def back_up():
            status, _, errors = await run_command("database", "backup", copy, "--database", database)
            assert status == 0, errors

        async with child_server(database) as child:
            sent = await self.acknowledged(child.url, back_up)
        assert len(sent) == self.PLAYERS * self.EACH
        assert self.missing(copy, sent) == []

    @pytest.mark.abuse
    async def test_copied_file_alone_lacks_events(self, path, database):
        """The control of the test above."""

        async def copy_file():
            shutil.copy(path, path.with_name("copy"))

        async with child_server(database) as child:
            sent = await self.acknowledged(child.url, copy_file)
        assert self.missing(path.with_name("copy"), sent) != []
