"""The views of games on the server: each fits three screens, and axe finds nothing in either theme."""

import pytest

from support.browser import follow, look
from support.page.server_games import begin, play_to_end, type_code, wait_for_turn

pytestmark = pytest.mark.full


def test_ladders_fit_every_screen(open_view):
    page = open_view("#/ladders?rules=12x14&codemaker=evil", reduced_motion="reduce")
    page.get_by_text("Not offered here.").first.wait_for()
    look(page, "ladders-too-large")
    page.get_by_role("link", name="4×6").click()
    page.get_by_role("link", name="Start classic-evil", exact=True).wait_for()
    look(page, "ladders")


def test_practice_fits_every_screen(open_view):
    page = open_view("#/server/classic-evil-practice", reduced_motion="reduce")
    page.locator("button.large").wait_for()
    look(page, "server-lobby")
    begin(page)
    wait_for_turn(page)
    look(page, "server-first-guess")
    type_code(page, "1122")
    page.locator("reply-bars").wait_for()
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Use it").wait_for()
    look(page, "server-hint")
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Keep playing").wait_for()
    look(page, "server-give-up")
    page.get_by_role("button", name="Keep playing").click()
    play_to_end(page, type_code)
    page.locator("record-check .good").wait_for()
    page.get_by_text("What was checked").click()
    look(page, "server-over")
    follow(page, "#/server/classic-practice")
    begin(page)
    wait_for_turn(page)
    other = page.context.new_page()
    other.goto(page.url)
    page.get_by_role("button", name="Take it back here").wait_for()
    other.goto("about:blank")
    look(page, "server-displaced")


def test_rated_match_fits_every_screen(open_view):
    page = open_view("#/server/super", reduced_motion="reduce")
    page.get_by_label("New name").fill("UPPER")
    page.get_by_role("button", name="Take this name").click()
    page.locator("player-panel [role=alert]").wait_for()
    look(page, "server-name")
    page.get_by_label("New name").fill("viewer")
    page.get_by_role("button", name="Take this name").click()
    page.get_by_role("button", name="Start the match").click()
    page.get_by_role("button", name="Start game 1").wait_for()
    look(page, "server-ready")
    page.get_by_role("button", name="Start game 1").click()
    for turn, code in enumerate(("11223", "44556")):
        type_code(page, code)
        page.locator("server-board guess-table tbody tr").nth(turn).wait_for()
    look(page, "server-rated")
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up game 1").click()
    page.get_by_role("button", name="Start game 2").wait_for()
    look(page, "server-next-game")
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up the whole match").click()
    page.locator("record-check .good").wait_for()
    look(page, "server-match-over")
