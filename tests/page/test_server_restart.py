"""A server that is killed in mid-game: the page says so, comes back by itself, and the game goes on."""

import pytest

from support.browser import WatchedPage
from support.page.restarting_server import restarting_server
from support.page.server_games import begin, play_to_end, replies, type_code, wait_for_turn

pytestmark = pytest.mark.full
REFUSED = "net::ERR_CONNECTION_REFUSED"


@pytest.fixture
def server(tmp_path):
    with restarting_server(f"sqlite:///{tmp_path / 'restart.sqlite3'}") as running:
        yield running


@pytest.fixture
def watched(browser, server):
    watched = WatchedPage(browser, server.site_url)
    yield watched
    watched.close()


def other_problems(watched):
    """Return the problems of a page but for the attempts to connect while the server was gone."""
    return [problem for problem in watched.problems if REFUSED not in problem]


def test_page_left_open_through_restart_goes_on(server, watched):
    page = watched.open("#/server/classic-evil-practice")  # no first guess solves it
    begin(page)
    type_code(page, "1122")
    page.locator("server-board guess-table tbody tr").wait_for()
    before = replies(page)
    server.kill()
    page.get_by_text("Reconnecting… your match is kept.").wait_for()
    assert replies(page) == before
    server.start()
    page.get_by_text("Reconnecting").wait_for(state="hidden")
    assert replies(page) == before
    play_to_end(page, type_code)
    page.locator("record-check .good").wait_for()
    assert other_problems(watched) == []


def test_guess_made_while_server_is_gone_is_played_afterwards(server, watched):
    page = watched.open("#/server/classic-practice")
    begin(page)
    wait_for_turn(page)
    server.kill()
    page.get_by_text("Reconnecting… your match is kept.").wait_for()
    type_code(page, "1122")
    page.get_by_text("waiting for the reply").wait_for()
    server.start()
    page.locator("server-board guess-table tbody tr").wait_for()
    assert [guess for guess, _ in replies(page)] == ["1122"]
    assert other_problems(watched) == []
