"""The solver: a board of one's own, what is left and what to guess, and rows that contradict each other."""

import re

import pytest
from playwright.sync_api import expect

from support.browser import PATIENCE_MS, follow, look
from support.waiting import wait_until

pytestmark = pytest.mark.full
ROWS, LEFT = "assist-view table tr", "assist-view .left"
TWO_ROWS = "#/assist/4x6?turns=1122:1,0;3344:0,2&v=1"
CONTRADICTION = "#/assist/4x6?turns=1111:4,0;2222:0,0;1122:0,0&v=1"
NO_BOARD = {
    "9x9": "387 million",
    "4y6": "4y6",
    "4x6?turns=1122": "1122",
    "4x6?turns=1122:3,2&v=1": "1122:3,2",
    "4x6?turns=9922:1,0&v=1": "9922",
    "4x6?v=2": "newer version",
    f"4x6?turns={';'.join(['1122:1,0'] * 21)}&v=1": "21 rows",
}
AWAY = """() => {
  const get = window.fetch;
  window.fetch = () => Promise.reject(new TypeError("away"));
  window.comeBack = () => { window.fetch = get; };
}"""


def answer(route):
    """Answer from the server, however long its worker process takes to start on a busy machine."""
    route.fulfill(
        response=wait_until(lambda: (answered := route.fetch(timeout=PATIENCE_MS)).status != 503 and answered)
    )


@pytest.fixture
def open_board(open_view):
    def open_board(address):
        page = open_view("#/nothing", reduced_motion="reduce")
        page.locator("not-found-view h1").wait_for()
        page.route("**/api/v1/position**", answer)
        follow(page, address)
        page.locator("assist-view h1").wait_for()
        return page

    return open_board


def mark(page, row, peg):
    page.get_by_role("button", name=re.compile(f"^Row {row}, peg {peg}:")).click()


def wait_for_advice(page):
    page.locator("assist-view [aria-busy=false]").wait_for()


def test_board_by_keyboard_is_kept_in_address(open_board):
    page = open_board("#/assist")
    expect(page.locator(LEFT)).to_have_text("1,296 of 1,296 codes left")
    wait_for_advice(page)
    look(page, "assist-empty")
    page.keyboard.type("1122")
    page.keyboard.press("Enter")
    first = page.get_by_role("button", name="Row 1, peg 1: empty")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"#/assist/4x6\?turns=1122:1,0&v=1$"))
    expect(page.locator(LEFT)).to_have_text("256 of 1,296 codes left")
    page.keyboard.type("3344")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Row 2, peg 1: empty")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for _ in range(2):
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape(TWO_ROWS) + "$"))
    expect(page.locator(LEFT)).to_have_text("24 of 1,296 codes left")
    expect(page.locator("assist-view [aria-label='Codes left'] .pegs")).to_have_count(24)
    page.reload()
    expect(page.locator(ROWS)).to_have_count(2)
    expect(page.locator(LEFT)).to_have_text("24 of 1,296 codes left")
    wait_for_advice(page)
    look(page, "assist")


def test_rows_are_changed_and_taken_back_and_best_guess_is_tapped(open_board):
    page = open_board(TWO_ROWS)
    page.get_by_role("button", name="Change guess 2").click()
    page.keyboard.press("ArrowUp")
    page.get_by_role("button", name="Change row 2").click()
    expect(page).to_have_url(re.compile("turns=1122:1,0;3345:0,2&v=1$"))
    page.get_by_role("button", name="Take back row 1").click()
    expect(page).to_have_url(re.compile("turns=3345:0,2&v=1$"))
    expect(page.locator(ROWS)).to_have_count(1)
    expect(page.get_by_role("button", name="Add row")).to_be_visible()
    follow(page, "#/assist/4x6?turns=1122:1,0;3344:0,2;1435:1,1&v=1")
    expect(page.locator(ROWS)).to_have_count(3)
    best = page.locator(".best button").first
    expect(best).to_be_enabled()
    code = re.sub("[^0-9]", "", best.inner_text())[:4]
    best.click()
    expect(page).to_have_url(re.compile(f";{code}:0,0&v=1$"))
    expect(page.locator(ROWS)).to_have_count(4)
    for peg in range(1, 5):
        mark(page, 4, peg)
    expect(page).to_have_url(re.compile(f";{code}:4,0&v=1$"))
    panel = page.get_by_role("region", name="Advice")
    expect(panel).to_contain_text(re.compile("Solved in 4 guesses|No code fits"))


def test_contradicting_rows_are_named_marked_and_corrected(open_board):
    page = open_board(CONTRADICTION)
    expect(page.get_by_role("heading", name="No code fits rows 1 and 3 together")).to_be_visible()
    expect(page.locator(f"{ROWS}.clash")).to_have_count(2)
    advice = page.get_by_role("region", name="Advice")
    expect(advice.get_by_role("status")).to_have_text("No code fits rows 1 and 3 together")
    wait_for_advice(page)
    look(page, "assist-clash")
    mark(page, 3, 1)
    mark(page, 3, 4)
    expect(page.get_by_role("heading", name="Solved")).to_have_count(0)
    expect(page.locator(LEFT)).to_have_text("1 of 1,296 codes left")
    expect(page.locator(f"{ROWS}.clash")).to_have_count(0)


def test_other_rules_are_chosen_and_address_without_board_is_explained(open_board):
    page = open_board("#/assist")
    page.get_by_text("Other rules").click()
    page.locator("rules-chooser select").first.select_option("3")
    page.get_by_role("link", name="Use 3×6").click()
    expect(page).to_have_url(re.compile("#/assist/3x6$"))
    expect(page.locator(LEFT)).to_have_text("216 of 216 codes left")
    for address, named in NO_BOARD.items():
        follow(page, f"#/assist/{address}")
        expect(page.get_by_role("alert")).to_contain_text(named)
        page.get_by_role("link", name="Start with an empty board").click()
        expect(page.locator(LEFT)).to_have_text("1,296 of 1,296 codes left")
    follow(page, f"#/assist/2x2?turns={';'.join(['11:1,0'] * 20)}&v=1")
    expect(page.get_by_role("button", name="20 rows at most")).to_be_disabled()
    follow(page, "#/assist/12x2?turns=121212121212:6,4&v=1")
    wait_for_advice(page)
    look(page, "assist-wide")


def test_server_that_is_away_is_named_and_asked_again(open_board):
    page = open_board("#/assist/2x2")
    expect(page.locator(LEFT)).to_have_text("4 of 4 codes left")
    page.evaluate(AWAY)
    page.keyboard.type("11")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.evaluate("comeBack()")
    expect(page.locator(LEFT)).to_have_text("1 of 4 codes left")
    expect(page.get_by_role("alert")).to_have_count(0)
