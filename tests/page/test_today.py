"""Today's game and the days in a row on the first view, which do not move the board."""

import json

import pytest
from playwright.sync_api import expect

from support.browser import follow, look
from support.page.local_games import play

pytestmark = pytest.mark.full
DAILY = ".today [href='#/daily']"
PARTS = ("code-entry .slots", "code-entry .keys", "code-entry .actions .primary")
BOTTOM = "each => each.getBoundingClientRect().bottom"
STORE = "text => localStorage.setItem('evilpegs.results', text)"


def open_on(open_view, day, results):
    page = open_view("#/nothing", viewport={"width": 360, "height": 640}, reduced_motion="reduce")
    page.clock.install(time=f"{day}T12:00:00")
    page.evaluate(STORE, json.dumps(results))
    follow(page, "#/")
    page.locator(DAILY).wait_for()
    return page


def links(page):
    return page.locator(".today a")


def test_first_view_names_game_of_the_day_and_streak(open_view):
    page = open_on(open_view, "2026-12-20", {})
    expect(links(page)).to_have_text(["How to play", "Play today’s game"])
    page.get_by_role("link", name="Play today’s game").press("Enter")
    page.get_by_role("heading", name="December 20, 2026").wait_for()
    page = open_on(open_view, "2026-12-20", {"4x6-evil daily 2026-12-19": 6, "5x8-fixed daily 2026-12-18": 7})
    expect(links(page)).to_have_text(["Play today’s game", "2 days in a row"])
    results = {"4x6-evil daily 2026-12-19": 6, "4x6-evil daily 2026-12-20": 5, "4x6-evil late 2026-12-18": 1}
    page = open_on(open_view, "2026-12-20", results)
    expect(links(page)).to_have_text(["Today: solved in 5", "2 days in a row"])
    expect(page.get_by_text("right color, wrong place")).to_be_in_viewport(ratio=1)
    play(page, "1122")
    expect(links(page)).to_have_text(["Today: solved in 5", "2 days in a row"])  # below the board now
    page.get_by_role("link", name="2 days in a row").click()
    page.get_by_role("heading", name="Your results").wait_for()
    page = open_on(open_view, "2026-12-20", {"4x6-evil daily 2026-12-20": 0})
    expect(links(page)).to_have_text(["Today: not solved"])


def test_todays_game_does_not_move_the_board(open_view):
    page = open_view(viewport={"width": 360, "height": 640}, reduced_motion="reduce")
    page.route("**/core/daily.js", lambda route: None)  # it never comes
    page.reload()
    page.locator("code-entry .key").first.wait_for()
    before = [page.locator(part).bounding_box() for part in PARTS]
    page.unroute("**/core/daily.js")
    page.reload()
    page.locator(DAILY).wait_for()
    assert [page.locator(part).bounding_box() for part in PARTS] == before
    assert page.locator(PARTS[-1]).evaluate(BOTTOM) <= 640
    look(page, "first-today")
