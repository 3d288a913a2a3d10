"""axe finds nothing in any view and state, in both themes; every focus is visible."""

import pytest
from playwright.sync_api import expect

from support.browser import axe_violations
from support.page.record_files import HONEST, record_file

pytestmark = pytest.mark.full
THEMES = ["light", "dark"]


def finish(page, played=0):
    """Guess the same code until the game is over; ``played`` guesses are on the board."""
    page.get_by_role("group", name="Your guess").focus()
    for number in range(played, 10):
        page.keyboard.type("1122")
        page.keyboard.press("Enter")
        page.locator("guess-table tbody tr").nth(number).wait_for()
    page.locator(".result").wait_for()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "address",
    [
        "#/",
        "#/daily",
        "#/daily/2026-11-31",
        "#/play/6x10-fixed",
        "#/play/4x6-evil?seed=friend&v=1",
        "#/play/9x9",
        "#/play/<b>",
        "#/rounds",
        "#/nothing",
    ],
)
def test_views_have_no_violations(open_view, address, theme):
    page = open_view(address, color_scheme=theme, reduced_motion="reduce")
    page.locator("main h1").first.wait_for()
    assert axe_violations(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_states_of_game_have_no_violations(open_view, theme):
    page = open_view(color_scheme=theme, reduced_motion="reduce")
    page.locator("code-entry").wait_for()
    for code in ("1122", "1344", "3526"):
        page.keyboard.type(code)
        page.keyboard.press("Enter")
    page.locator("guess-table tbody tr").nth(2).wait_for()
    page.locator("code-list summary").click()
    page.get_by_text("Other rules").click()
    page.get_by_text("Challenge a friend").click()
    assert axe_violations(page) == []
    finish(page, 3)
    assert axe_violations(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_finished_daily_game_has_no_violations(open_view, theme):
    page = open_view("#/daily/2026-11-22", color_scheme=theme, reduced_motion="reduce")
    finish(page, 1)
    page.get_by_text("Earlier days").click()
    page.locator(".days li").first.wait_for()
    assert axe_violations(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_verified_file_has_no_violations(open_view, theme):
    page = open_view("#/verify", color_scheme=theme, reduced_motion="reduce")
    page.get_by_label("choose its file").set_input_files(record_file(HONEST["evil"]))
    page.locator("record-check .good").wait_for()
    page.get_by_text("What was checked").click()
    page.keyboard.press("ArrowRight")
    page.locator("guess-worth").wait_for()
    assert axe_violations(page) == []


def test_pegs_of_every_color_can_be_read(open_view):
    page = open_view("#/play/1x34", reduced_motion="reduce")
    expect(page.locator(".key")).to_have_count(34)
    assert axe_violations(page) == []


def test_violation_is_noticed(open_view):
    """The control of the tests above."""
    page = open_view()
    page.evaluate("document.body.append(document.createElement('img'))")
    assert any(each.startswith("image-alt") for each in axe_violations(page))


def test_every_focus_is_visible(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert all(outline != "none" for name, outline in seen if name != "body")
    assert len({name for name, _ in seen}) >= 3


FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return [element.localName, getComputedStyle(element).outlineStyle];
}"""
