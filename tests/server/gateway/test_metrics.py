"""The metrics of the game show what was done, and name nobody."""

import pytest

from evilpegs_game.live.cache import ByteCache
from evilpegs_server.gateway.admission import Limit
from evilpegs_server.gateway.metrics import GameMetrics
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.replies.capacity import HINT_LIMITS
from evilpegs_server.settings import Settings
from evilpegs_server.storage.durations import BOUNDS, Durations
from evilpegs_server.storage.engines.sqlite import SqliteStore
from evilpegs_server.storage.errors import DatabaseUnavailableError
from evilpegs_server.storage.log.writer import Writer
from evilpegs_server.work.pool import TaskPool
from support.shown_metrics import values

NAME = "zebra-crossing"


@pytest.fixture
def loop_lag():
    return Durations()


class HeldExecutor:
    """An executor that starts tasks and never ends them."""

    def submit(self, task, done):
        pass


@pytest.fixture
def pool():
    """A pool with one slot, whose clock is at 5 seconds."""
    return TaskPool(HINT_LIMITS, HeldExecutor(), lambda: 5.0)


@pytest.fixture
def cache():
    return ByteCache(100)


@pytest.fixture
def metrics(fake_server, loop_lag, pool, cache):
    """The metrics of the fake server."""
    return GameMetrics(
        fake_server.services,
        loop_lag,
        pools={"hints": pool},
        caches=lambda: {"replies": cache.state},
    )


async def test_metrics_equal_what_was_done(fake_server, metrics):
    ann, guest = await fake_server.connect_player(NAME), fake_server.connect()
    await guest.hello()
    fake_server.connect()
    match = await ann.play("long")
    for turn in (1, 2, 3):
        await ann.guess(match, turn, "1" * 16)
    for turn in (9, 9):
        assert await ann.error_code(type="guess", match=match, game=1, turn=turn, code="1" * 16) == "future_turn"
    assert await ann.error_code(type="guess", match=match, game=1, turn=4, code="?") == "illegal_code"
    assert await guest.error_code(type="play", ladder="nowhere") == "unknown_ladder"
    shown = values(metrics.text())
    assert shown["evilpegs_guesses_total",] == 3
    assert (shown["evilpegs_matches_total",], shown["evilpegs_games_total",]) == (1, 0)
    assert (shown["evilpegs_open_matches", "long"], shown["evilpegs_open_matches", "evil"]) == (1, 0)
    refusals = {labels[0]: value for (name, *labels), value in shown.items() if name == "evilpegs_refusals_total"}
    assert refusals == {"future_turn": 2, "illegal_code": 1, "unknown_ladder": 1}
    kinds = {labels[0]: value for (name, *labels), value in shown.items() if name == "evilpegs_connections"}
    assert kinds == {"bot": 1, "human": 0, "guest": 1, "none": 1}
    assert shown["evilpegs_commit_seconds_count",] > 0
    assert shown["evilpegs_commit_seconds_bucket", "+Inf"] == shown["evilpegs_commit_seconds_count",]


async def test_finished_games_and_closed_connections_are_counted(fake_server, metrics):
    ann = await fake_server.connect_player(NAME)
    match = await ann.play("tiny")
    await ann.request(type="resign", match=match)
    await ann.receive("match_over")
    ann.session.leave()
    shown = values(metrics.text())
    assert (shown["evilpegs_games_total",], shown["evilpegs_open_matches", "tiny"]) == (2, 0)
    assert shown["evilpegs_connections", "bot"] == 0


async def test_http_refusals_are_shown_by_status(fake_server, metrics):
    fake_server.registry.counts.http_refusals.update([404, 404, 421])
    shown = values(metrics.text())
    refusals = {labels[0]: value for (name, *labels), value in shown.items() if name == "evilpegs_http_refusals_total"}
    assert refusals == {"404": 2, "421": 1}


async def test_metrics_name_nobody(fake_server, metrics):
    """No name, token, match, nonce or seed is in the page, but the ladder is."""
    ann = await fake_server.connect_player(NAME)
    match = await ann.play("long")
    await ann.guess(match, 1, "1" * 16)
    page = metrics.text().decode()
    runner = fake_server.registry.open.get(match)
    for hidden in (NAME, "tester", "mine", ann.token, match, runner.key.seed.hex(), runner.key.nonce(1)):
        assert hidden not in page
    assert 'ladder="long"' in page


async def test_pools_and_caches_are_shown(metrics, pool, cache):
    for player in range(3):
        pool.submit(player, 1, None, None)
    cache.put("key", "value", 7)
    for key in ("key", "key", "other"):
        cache.get(key)
    shown = values(metrics.text())
    assert (shown["evilpegs_tasks_running", "hints"], shown["evilpegs_tasks_waiting", "hints"]) == (1, 2)
    assert (shown["evilpegs_oldest_task_seconds", "hints"], shown["evilpegs_tasks_total", "hints"]) == (0, 0)
    assert shown["evilpegs_oldest_running_task_seconds", "hints"] == 0
    assert shown["evilpegs_cache_bytes", "replies"] == 7
    assert (shown["evilpegs_cache_hits_total", "replies"], shown["evilpegs_cache_misses_total", "replies"]) == (2, 1)


async def test_each_stage_of_answered_guesses_is_timed(fake_server, metrics):
    ann = await fake_server.connect_player(NAME)
    match = await ann.play("long")
    for turn in (1, 2, 3):
        await ann.guess(match, turn, "1" * 16)
    await ann.guess(match, 3, "1" * 16)  # repeated: answered from the record
    assert await ann.error_code(type="guess", match=match, game=1, turn=9, code="1" * 16) == "future_turn"
    await ann.request(type="resign", match=match)
    shown = values(metrics.text())
    assert [shown["evilpegs_guess_stage_seconds_count", stage] for stage in ("reply", "commit", "send")] == [3, 3, 3]


async def test_guess_that_is_not_stored_has_no_stages(fake_server, metrics):
    """The control of the test above; the failure is counted by its error."""
    ann = await fake_server.connect_player(NAME)
    match = await ann.play("long")
    fake_server.writer.submit = lambda _writes, done: done(DatabaseUnavailableError("full"))
    assert await ann.error_code(type="guess", match=match, game=1, turn=1, code="1" * 16) == "storage_unavailable"
    shown = values(metrics.text())
    assert shown["evilpegs_guess_stage_seconds_count", "reply"] == 0
    assert shown["evilpegs_storage_faults_total", "DatabaseUnavailableError"] >= 1
    assert shown["evilpegs_connections_ended_total", "storage"] == 1
    del fake_server.writer.submit
    fake_server.take_log()


async def test_seats_and_limits_are_shown(fake_server, metrics):
    """Every limit is there from the start, so that its first growth can be seen."""
    admission = fake_server.services.admission
    for _ in range(3):
        ticket = admission.open("192.0.2.1", 0.0)
    admission.log_in(ticket, 0.0, is_guest=True, has_open_match=False)
    before = values(metrics.text())
    assert (before["evilpegs_seats", "ordinary"], before["evilpegs_seats", "reserve"]) == (1800, 200)
    assert (before["evilpegs_seats", "guest"], before["evilpegs_seats_taken", "guest"]) == (1500, 1)
    assert (before["evilpegs_seats_taken", "ordinary"], before["evilpegs_seats_taken", "reserve"]) == (3, 0)
    limits = {labels[0]: value for (name, *labels), value in before.items() if name == "evilpegs_limits_met_total"}
    assert limits == dict.fromkeys([*Limit, "requests_per_second", "max_practice_matches"], 0)
    tickets = [admission.open("192.0.2.1", 0.0) for _ in range(7)]
    admission.note_silence(tickets[-1], 0.0)
    assert values(metrics.text())["evilpegs_limits_met_total", "connections_before_hello"] == 1


def table_entries(metrics):
    """Return the entries of each table about people, by the name of the table."""
    shown = values(metrics.text())
    return {labels[0]: value for (name, *labels), value in shown.items() if name == "evilpegs_table_entries"}


async def test_tables_about_people_are_shown(fake_server, metrics, pool):
    fake_server.services.admission.open("192.0.2.1", 0.0)
    guest = fake_server.connect()
    await guest.hello()
    await guest.play("tiny-practice")
    sizes = {"players": 1, "connected_players": 1, "absent_guests": 0, "addresses": 1, "charged_for_hints": 0}
    sizes |= {"players_of_the_hour": 1}
    assert table_entries(metrics) == sizes
    guest.session.leave()
    assert table_entries(metrics) == sizes | {"connected_players": 0, "absent_guests": 1}


async def test_matches_beyond_the_hourly_limit_are_refused_and_counted(open_fake_server):
    server = open_fake_server(settings=Settings(matches_per_hour=1))
    shown = GameMetrics(server.services, Durations(), {}, dict)
    await server.connect_player(f"{NAME}-1")
    (ann,) = server.clients
    await ann.play("tiny-practice")
    assert await ann.error_code(type="play", ladder="tiny-practice") == "rate_limited"
    assert values(shown.text())["evilpegs_limits_met_total", "matches_per_hour"] == 1


async def test_full_practice_is_counted(open_fake_server):
    server = open_fake_server(settings=Settings(max_practice_matches=1))
    shown = GameMetrics(server.services, Durations(), {}, dict)
    for number in range(2):
        await server.connect_player(f"{NAME}-{number}")
    ann, bob = server.clients
    await ann.play("tiny-practice")
    assert await bob.error_code(type="play", ladder="tiny-practice") == "too_many_matches"
    assert values(shown.text())["evilpegs_limits_met_total", "max_practice_matches"] == 1


async def test_failing_storage_is_shown(fake_server, metrics):
    assert values(metrics.text())["evilpegs_storage_failing",] == 0
    fake_server.writer.health.obstacle = "the file was moved away"
    assert values(metrics.text())["evilpegs_storage_failing",] == 1


def test_durations_fall_into_buckets():
    durations = Durations()
    for seconds in (0.0, BOUNDS[0], BOUNDS[0] * 1.01, 99.0):
        durations.add(seconds)
    assert durations.counts == [2, 1, *[0] * (len(BOUNDS) - 2), 1]
    assert durations.seconds == pytest.approx(99.0, abs=0.01)


async def test_loop_lag_is_shown_in_cumulative_buckets(metrics, loop_lag):
    for seconds in (0.0004, 0.004, 0.004, 9.0):
        loop_lag.add(seconds)
    shown = values(metrics.text())
    name = "evilpegs_loop_lag_seconds_bucket"
    assert [shown[name, bound] for bound in ("0.0005", "0.005", "2.5", "+Inf")] == [1, 3, 3, 4]
    assert shown["evilpegs_loop_lag_seconds_sum",] == pytest.approx(9.0084)


def test_writer_times_each_transaction(engine):
    writer = Writer(SqliteStore(engine), lambda report: report())
    writer.submit([], lambda _error: None)
    writer.submit([], lambda _error: None)
    writer.start()
    writer.close()
    assert 1 <= sum(writer.commits.counts) <= 2


def test_tick_returns_its_lateness():
    times = iter([1.0, *[1.020] * 3, *[1.045] * 3])
    clock = StallFreeClock(lambda: next(times))
    assert clock.tick() == pytest.approx(0)
    next(times)
    assert clock.tick() == pytest.approx(5)
