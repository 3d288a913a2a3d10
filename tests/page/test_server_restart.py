"""A server that is killed in mid-game: player and projector say so, come back by themselves, and the game goes on."""

import pytest
from playwright.sync_api import expect

from support.page.restarting_server import restarting_server
from support.page.server_games import begin, play_to_end, replies, type_code

pytestmark = pytest.mark.full
LADDER = "classic-evil-practice"
REFUSED = "net::ERR_CONNECTION_REFUSED"


def test_pages_left_open_through_restart_go_on(watch, tmp_path):
    with restarting_server(f"sqlite:///{tmp_path / 'restart.sqlite3'}") as server:
        player, projector = watch(server.site_url), watch(server.site_url)
        wall = projector.open(f"#/watch/{LADDER}")
        expect(wall.get_by_text("Waiting for the first match")).to_be_visible()
        page = player.open(f"#/server/{LADDER}")  # no first guess solves it
        begin(page)
        type_code(page, "1122")
        rows = page.locator("server-board guess-table tbody tr")
        rows.wait_for()
        before = replies(page)
        expect(wall.locator("section li")).to_have_count(1)
        server.kill()
        reconnecting = page.get_by_text("Reconnecting… your match is kept.")
        reconnecting.wait_for()
        disconnected = wall.get_by_text("Disconnected")
        expect(disconnected).to_be_visible()
        assert replies(page) == before
        type_code(page, "3344")
        page.get_by_text("waiting for the reply").wait_for()
        server.start()
        reconnecting.wait_for(state="hidden")
        rows.nth(1).wait_for()  # the guess made while the server was gone is played
        assert [guess for guess, _ in replies(page)] == ["1122", "3344"]
        assert replies(page)[0] == before[0]
        expect(disconnected).to_have_count(0)
        expect(wall.locator("section li")).to_have_count(2)
        play_to_end(page, type_code)
        page.locator("record-check .good").wait_for()
        assert [problem for problem in player.problems if REFUSED not in problem] == []
        for each in (page, wall):
            each.goto("about:blank")
