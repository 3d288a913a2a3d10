"""PostgreSQL that is read-only, full or slow in the middle of a match: one line in the log, and nothing is lost."""

import asyncio
import json
from contextlib import contextmanager

import httpx
import psycopg
import pytest
import structlog

from evilpegs_clients.verification.verify import verify_match
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.engines.postgres import CONNECT
from evilpegs_server.storage.errors import DatabaseUnavailableError
from evilpegs_server.storage.queries import closing_engine, read
from support.in_process import serving
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until, wait_until

WAITS = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
REFUSED = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file "base/5/1": No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse BEFORE {} FOR EACH STATEMENT EXECUTE FUNCTION refuse()
"""
CUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class Operator:
    """A connection of another program, which can always write."""

    def __init__(self, url):
        writable = "-c default_transaction_read_only=off"
        self.connection = psycopg.connect(url, autocommit=True, options=writable)
        self._name = self.connection.info.dbname

    def run(self, statement):
        done = self.connection.execute(statement)
        return done.fetchall() if done.description else []

    async def until(self, query):
        await until(lambda: self.run("SELECT pg_stat_clear_snapshot()") and any(row[0] for row in self.run(query)))

    @contextmanager
    def read_only(self):
        self.run(f"ALTER DATABASE {self._name} SET default_transaction_read_only = on")
        self.run(CUT)
        yield
        self.run(f"ALTER DATABASE {self._name} RESET default_transaction_read_only")

    @contextmanager
    def full(self, refused="INSERT ON events"):
        self.run(REFUSED.format(refused))
        yield
        self.run("DROP FUNCTION refuse CASCADE")

    def out_of_space(self):
        return self.full("UPDATE ON nodes")

    @contextmanager
    def locked(self):
        with self.connection.transaction():
            self.run("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
            yield


@pytest.fixture
def operator(postgres_url):
    operator = Operator(postgres_url)
    yield operator
    operator.connection.close()


@pytest.fixture
def log():
    with structlog.testing.capture_logs() as lines:
        yield lines


@pytest.fixture
async def url(postgres_url, tmp_path, log):
    files = {"server_key": tmp_path / "key", "solved": tmp_path / "solved"}
    async with serving(postgres_url, node="only", **files) as server:
        yield server.url


async def resumed(url, token, match):
    """Resume as soon as the server can, and return the events of the match and the open turn."""

    async def resume():
        async with dial(url) as raw:
            await raw.hello(token=token)
            answer = await raw.ask("resumed", "error", type="resume", match=match, seq=0)
            if answer["type"] == "error":
                assert answer["code"] == "storage_unavailable"
                return None
            events = [await raw.hear() for _ in range(answer["seq"])]
            return events, await raw.hear("turn")

    return await until(resume)


def test_transaction_that_was_idle_for_too_long_is_an_outage(postgres_url, operator):
    """As if the process had been stopped between a statement and its end."""
    with closing_engine(open_database(postgres_url)) as engine:
        connection = engine.connect()
        pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        # it runs from now on; what the server says then must not arrive together with the answer to this
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 500")
        wait_until(lambda: not operator.run(f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"))
        with pytest.raises(DatabaseUnavailableError, match="stood still"):
            connection.close()
        assert read(engine, "SELECT 1") == [(1,)]


@pytest.fixture
def fault(request, monkeypatch):
    if request.param == "locked":  # two seconds, for which the server waits twice
        monkeypatch.setitem(CONNECT, "options", CONNECT["options"].replace("lock_timeout=2s", "lock_timeout=500ms"))
    return request.param


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("read_only", ("read-only transaction", "primary")),
        ("full", ("No space left on device", "free some space")),
        ("locked", ("lock timeout", "end that program")),
    ],
    indirect=["fault"],
)
async def test_match_goes_on_after(fault, url, operator, log, words):
    async with dial(url) as raw:
        await raw.hello()
        token, match = raw.token, await raw.play("classic-evil")
        seen = await raw.guess(match, 1, 1, "1122")
        with getattr(operator, fault)():
            refused = await raw.guess(match, 1, 2, "1344")
            assert (refused["code"], refused["fatal"], await raw.closed()) == ("storage_unavailable", True, 1011)
            if fault != "full":  # the match is read all the same
                await until(lambda: any(line["event"] == "cannot read a match yet" for line in log))
    assert [line["event"] for line in log].count("could not store events") == 1
    lines = [line for line in log if "why" in line]
    assert {(line["error"], "\n" in line["why"]) for line in lines} == {("DatabaseUnavailableError", False)}
    assert any(all(word in line["why"] for word in words) for line in lines), lines
    events, turn = await resumed(url, token, match)
    assert (turn["turn"], turn["left_ms"]) == (2, seen["left_ms"])
    assert seen["seq"] == events[-1]["seq"]
    async with dial(url) as raw:
        await raw.hello(token=token)
        await raw.ask("turn", type="resume", match=match, seq=seen["seq"])
        assert (await raw.guess(match, 1, 2, "1344"))["type"] == "feedback"
        await raw.say(type="resign", match=match)
        await raw.hear("match_over")
    record = [json.loads(text) for (text,) in operator.run("SELECT json FROM events ORDER BY seq")]
    assert record[: len(events)] == events
    assert verify_match(record) == []


@pytest.mark.parametrize("fault", ["read_only", "out_of_space"], indirect=True)
async def test_idle_server_says_what_is_wrong(url, operator, log, fault):
    """Before a player notices, and once; then it is ready again without a restart."""

    async def has_status(expected):
        async with httpx.AsyncClient(
            base_url=url.replace("ws:", "http:").removesuffix("/v1"), timeout=PATIENCE
        ) as client:

            async def answered():
                answer = await client.get("/readyz")
                return answer.status_code == expected and answer.text

            return await until(answered)

    def lines():
        remedy = "make it writable" if fault == "read_only" else "free some space"
        return [line["event"] for line in log if remedy in line.get("why", "")]

    with getattr(operator, fault)():
        assert "PostgreSQL" in await has_status(503)
        await until(lines)
        assert lines() == ["cannot look for matches of other nodes"]
    await has_status(200)
    # a session that began before the end may fail once more
    assert set(lines()) == {"cannot look for matches of other nodes"}


async def test_lock_that_ends_soon_costs_nothing(url, operator, log):
    """The clock stands still while a reply waits for the database, and nobody notices more."""
    now = asyncio.get_running_loop().time
    async with dial(url) as raw:
        await raw.hello()
        asked = now()
        match = await raw.play("classic-evil")
        with operator.locked():
            await raw.say(type="guess", match=match, game=1, turn=1, code="1122")
            await operator.until(f"SELECT true {WAITS}")
            most = now() - asked
            await operator.until(f"SELECT clock_timestamp() - query_start > interval '0.3 s' {WAITS}")
        feedback = await raw.hear("feedback", "error")
    assert 60_000 + 1000 - feedback["left_ms"] <= 1000 * most
    assert [line for line in log if line["log_level"] in {"warning", "error"}] == []
