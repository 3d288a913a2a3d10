"""The row of the guess: it stays where it is from the first guess to the last, and one rule says when it is played."""

import json

import pytest
from playwright.sync_api import expect

from support.page.local_games import expect_draft, expect_guesses
from support.page.server_games import OPEN, begin

pytestmark = pytest.mark.full
ROWS = "guess-table tbody tr"
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}
PLACES = """parts => parts.map((part) => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return [x, y + scrollY, width, height].map(Math.round);
})"""


def play(page, turn):
    """Play a guess that no evil reply allows; wait until its row is there and in view."""
    for symbol in "1122":
        page.locator(f".key:has-text('{symbol}')").click()
    page.get_by_role("button", name="Guess", exact=True).click()
    page.locator(ROWS).nth(turn).wait_for()
    page.evaluate("scrollTo(0, 0)")  # on a slow machine Playwright scrolls before it clicks
    expect(page.locator(ROWS).nth(turn)).to_be_in_viewport(ratio=0.95)


@pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("address", ["#/", "#/daily/2026-11-22", "#/server/classic-evil-practice"])
def test_entry_stays_from_first_guess_to_last(open_view, address, screen):
    page = open_view(address, reduced_motion="reduce", **screen)
    if "server" in address:
        begin(page)
    page.locator(OPEN).first.wait_for()
    height = screen["viewport"]["height"]
    parts = page.locator(".slots, .keys, .actions .primary")
    places = parts.evaluate_all(PLACES)
    assert all(y + tall <= height for _, y, _, tall in places), places
    given = page.locator(ROWS).count()
    for turn in range(given, 9):
        play(page, turn)
        page.locator(OPEN).first.wait_for()
        assert parts.evaluate_all(PLACES) == places, turn
    play(page, 9)
    expect(page.locator("match-result h2, .result h2")).to_be_in_viewport()


def test_rows_that_were_scrolled_back_stay_until_next_guess(open_view):
    page = open_view(reduced_motion="reduce", **PHONE)
    page.locator(OPEN).first.wait_for()
    for turn in range(6):
        play(page, turn)
    rows = page.locator("guess-table")
    rows.focus()
    page.keyboard.press("Home")
    expect(page.locator(ROWS).first).to_be_in_viewport(ratio=0.95)
    page.locator(".key").first.tap()
    expect_draft(page, "1...")
    assert rows.evaluate("rows => rows.scrollTop") == 0
    page.get_by_role("button", name="Take back the last peg").tap()
    expect_draft(page, "....")
    play(page, 6)


def test_guess_that_waits_for_its_reply_stands_among_rows(open_view):
    """A slow server does not move the entry."""
    page = open_view("#/nothing", reduced_motion="reduce", **PHONE)
    held = []

    def relay(socket):
        server = socket.connect_to_server()
        socket.on_message(
            lambda frame: held.append(frame) if json.loads(frame)["type"] == "guess" else server.send(frame)
        )

    page.route_web_socket(lambda url: url.startswith("ws://"), relay)
    page.goto(page.url.replace("nothing", "server/classic-evil-practice"))
    begin(page)
    page.locator(OPEN).first.wait_for()
    parts = page.locator(".slots, .keys, .actions .primary")
    places = parts.evaluate_all(PLACES)
    page.keyboard.type("1122\n")
    expect(page.locator("guess-table .sent")).to_be_in_viewport()
    assert parts.evaluate_all(PLACES) == places
    expect(page.locator(OPEN)).to_have_count(0)


@pytest.mark.parametrize("address", ["#/", "#/daily", "#/server/classic-practice"])
def test_rule_is_said_above_the_fold_of_a_phone(open_view, address):
    page = open_view(address, **PHONE)
    if "server" in address:
        begin(page)
    expect(page.get_by_text("Guess or Enter plays")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Take back the last peg")).to_be_in_viewport(ratio=1)


def test_full_row_is_played_by_guess_and_enter_only(open_view):
    page = open_view("#/play/3x5", has_touch=True)
    expect(page.get_by_role("group", name="Your guess")).to_be_focused()
    back = page.get_by_role("button", name="Take back the last peg")
    guess = page.get_by_role("button", name="Guess", exact=True)
    page.keyboard.type("123")
    expect_draft(page, "123")
    back.press("Enter")
    expect_draft(page, "12.")
    page.locator(".key").nth(3).tap()
    expect_draft(page, "124")
    back.tap()
    expect_draft(page, "12.")
    page.locator(".key").nth(4).drag_to(page.locator("[data-slot='2']"))
    expect_draft(page, "125")
    expect_guesses(page)
    guess.tap()
    expect_guesses(page, "125")
    page.keyboard.type("345")
    expect_draft(page, "345")
    expect_guesses(page, "125")
    page.keyboard.press("Enter")
    expect_guesses(page, "125", "345")


def test_last_peg_is_taken_back_wherever_it_is(open_view):
    page = open_view("#/play/5x8")
    for color, slot in ((0, 1), (1, 4), (2, 0)):
        page.locator(".key").nth(color).drag_to(page.locator(f"[data-slot='{slot}']"))
    page.locator("[data-slot='4']").drag_to(page.locator("[data-slot='2']"))
    expect_draft(page, "312..")
    back = page.get_by_role("button", name="Take back the last peg")
    for draft in ("31...", ".1...", "....."):
        back.click()
        expect_draft(page, draft)
    expect(back).to_be_disabled()
