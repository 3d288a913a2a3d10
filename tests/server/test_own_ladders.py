"""Ladders of the operator on a real server: matches begin on them in time, and are known for ever."""

from pathlib import Path

import httpx
import pytest
import structlog

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_server.server import NO_CURVE
from evilpegs_server.settings import Settings
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.ladders import LadderChangedError
from evilpegs_server.storage.log.rounds import Round, open_round
from support.in_process import running_server
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

FRIDAY = """
[ladders.friday]
rules = "4x6"
codemaker = "fixed"
clock = "60+1"
guess_limit = 10
games = 2
opens = 2026-11-27T10:00:00+01:00
closes = 2026-11-27T11:00:00+01:00
"""
OPENS, CLOSES = 1_795_770_000_000, 1_795_773_600_000


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def start(database):
    """Return a context manager that runs a server on this test's database, with evilpegs.toml and the time given."""

    def start(toml, now=OPENS, **options):
        Path("evilpegs.toml").write_text(toml)
        settings = Settings(port=0, database=database, **({"site": False} | options))
        return running_server(settings, structlog.get_logger(), wall_ms=now if callable(now) else lambda: now)

    return start


async def refusal(player, ladder="friday"):
    error = await player.ask("error", "match_started", type="play", ladder=ladder)
    return error["code"], error["message"]


async def answer(server, path):
    """Return the JSON of a path of the site."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        answered = await client.get(f"{server.site_url}api/v1/{path}")
        assert answered.status_code == 200, answered.text
        return answered.json()


async def ladder_of_site(server, name="friday"):
    (ladder,) = [each for each in (await answer(server, "ladders"))["ladders"] if each["id"] == name]
    return ladder


async def row_of(server, games, name="friday"):
    """Return the first row of a leaderboard, once it has so many games and their luck."""

    async def counted():
        rows = (await answer(server, f"ladders/{name}/leaderboard"))["rows"]
        return rows and (rows[0]["games"], rows[0]["adjusted_games"]) == (games, games) and rows[0]

    return await until(counted)


async def test_matches_begin_from_opening_and_before_closing(start):
    time = [OPENS - 1]
    async with start(FRIDAY, lambda: time[0]) as server, dial(server.url) as player:
        (info,) = [each for each in (await player.hello("anna"))["ladders"] if each["id"] == "friday"]
        assert (info["opens"], info["closes"]) == (OPENS, CLOSES)
        code, message = await refusal(player)
        assert code == "round_closed"
        assert "friday opens at 2026-11-27T09:00:00Z" in message
        time[0] = OPENS
        first = await player.play("friday")
        time[0] = CLOSES - 1
        await player.play("friday")
        time[0] = CLOSES
        code, message = await refusal(player)
        assert code == "round_closed"
        assert "friday closed at 2026-11-27T10:00:00Z" in message
        assert (await player.guess(first, 1, 1, "1122"))["type"] == "feedback"
        await player.ask("game_over", type="resign", match=first, game=1)
        assert (await player.ready(first, 2))["game"] == 2  # the next game of an open match


async def test_deadline_holds_across_restart(start):
    async with start(FRIDAY) as server, dial(server.url) as player:
        await player.hello("anna")
        match = await player.play("friday")
        token = player.token
    async with start(FRIDAY, CLOSES) as server, dial(server.url) as player:
        assert [each["match"] for each in (await player.hello(token=token))["open"]] == [match]
        assert (await refusal(player))[0] == "round_closed"
        await player.ask("resumed", type="resume", match=match, seq=0)
        assert (await player.guess(match, 1, 1, "1122"))["type"] == "feedback"
    later = FRIDAY.replace("11:00", "12:00")
    async with start(later, CLOSES) as server, dial(server.url) as player:
        await player.hello(token=token)
        assert (await player.ask("match_started", "error", type="play", ladder="friday"))["type"] == "match_started"


async def test_changed_values_of_played_ladder_stop_the_start(start):
    async with start(FRIDAY) as server, dial(server.url) as player:
        await player.hello("anna")
        await player.play("friday")
    with pytest.raises(LadderChangedError, match=r"friday .*guess_limit was 10 and is now 12; "):
        async with start(FRIDAY.replace("guess_limit = 10", "guess_limit = 12")):
            pass
    async with start(FRIDAY) as server:  # nothing was lost
        assert len(server.registry.open) == 1


async def test_ladder_without_its_line_is_known_and_cannot_be_played(start):
    async with start(FRIDAY) as server, dial(server.url) as player:
        await player.hello("anna")
        match, token = await player.play("friday"), player.token
    async with start("", site=True, site_port=0) as server, dial(server.url) as player:
        welcome = await player.hello(token=token)
        assert "friday" not in [each["id"] for each in welcome["ladders"]]
        assert [(each["match"], each["ladder"]) for each in welcome["open"]] == [(match, "friday")]
        assert (await refusal(player))[0] == "unknown_ladder"
        await player.ask("resumed", type="resume", match=match, seq=0)
        await player.ask("game_over", type="resign", match=match, game=1)
        assert (await ladder_of_site(server))["offered"] is False
        assert (await row_of(server, 1))["player"] == "anna"
        assert (await answer(server, "matches?ladder=friday"))["matches"][0]["match"] == match
        assert (await answer(server, f"matches/{match}"))["ladder"] == "friday"
        assert 'ladder="friday"' in await metrics(server)


async def metrics(server):
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        return (await client.get(f"http://{server.host}:{server.port}/metrics")).text


async def test_bot_plays_verified_and_is_ranked_by_luck_adjusted_means(start):
    async with start(FRIDAY, site=True, site_port=0) as server:
        played = await play_matches(server=server.url, ladder="friday", strategy=load_strategy("entropy"), name="anna")
        assert played.verified
        assert len(played.games) == 2
        assert isinstance((await row_of(server, 2))["adjusted_mean"], float)
        ladder = await ladder_of_site(server)
        assert (ladder["offered"], ladder["opens"], ladder["closes"]) == (True, OPENS, CLOSES)
        assert ladder["bounds"]["mean"]["at_least"] == pytest.approx(5625 / 1296)


async def test_own_evil_ladder_is_played_and_verified(start):
    toml = '[ladders.hard]\nrules = "3x4"\ncodemaker = "evil"\nguess_limit = 9\ngames = 1'
    async with start(toml) as server:
        played = await play_matches(server=server.url, ladder="hard", strategy=load_strategy("minimax"), name="anna")
        assert played.verified
        assert [game.outcome for game in played.games] == ["solved"]


@pytest.mark.parametrize(
    ("changed", "warned"),
    [("", []), ("guess_limit = 11", ["friday"]), ('codemaker = "evil"', []), ("rated = false", [])],
)
async def test_missing_value_curve_is_logged(start, changed, warned):
    key = changed.partition(" ")[0]
    lines = [line for line in FRIDAY.splitlines() if not key or not line.startswith(key)]
    with structlog.testing.capture_logs() as logged:
        async with start("\n".join([*lines, changed])):
            pass
    assert [entry["ladder"] for entry in logged if entry["event"] == NO_CURVE] == warned
    assert "4,200" in NO_CURVE
    assert "200" in NO_CURVE.replace("4,200", "")


async def test_id_of_round_stops_the_start(start, database):
    engine = open_database(database)
    open_round(engine, Round("friday", "classic", 2, sealed=False, opens=0, closes=None, published=None), [])
    engine.dispose()
    with pytest.raises(LadderChangedError, match="friday is a round"):
        async with start(FRIDAY):
            pass
