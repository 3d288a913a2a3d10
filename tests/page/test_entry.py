"""The row of the guess: how keys, mouse and fingers change it, when it is played, and that it stays where it is."""

import json
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.local_games import ROWS, expect_draft, expect_guesses, type_code
from support.page.server_games import OPEN, begin

pytestmark = pytest.mark.full
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}
SERVER = "#/server/classic-evil-practice"
PARTS = ".slots, .keys, .actions .primary"
PLACES = """parts => parts.map((part) => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return [x, y + scrollY, width, height].map(Math.round);
})"""
KEY, SLOT = ".key >> nth=4", "[data-slot='{}']"


def row(page):
    return page.get_by_role("group", name="Your guess")


def back(page):
    return page.get_by_role("button", name="Take back the last peg")


def guess(page):
    return page.get_by_role("button", name="Guess", exact=True)


def open_board(page, address):
    """Open a view with a board, and begin its match if it is one of the server."""
    follow(page, address)
    if "server" in address:
        begin(page)
    page.locator(OPEN).first.wait_for()


def play(page, turn):
    """Play a guess that no evil reply allows; wait until its row is there and in view."""
    type_code(page, "1122")
    page.locator(ROWS).nth(turn).wait_for()
    expect(page.locator(ROWS).nth(turn)).to_be_in_viewport(ratio=0.95)


def drag(page, start, end):
    page.locator(start).drag_to(page.locator(end))


@pytest.mark.parametrize(
    ("screen", "addresses"),
    [
        (PHONE, ["#/", "#/daily/2026-11-22", "#/server/classic-evil-practice"]),
        (DESK, ["#/server/classic-evil-practice"]),
    ],
    ids=["phone", "desk"],
)
def test_entry_stays_from_first_guess_to_last(open_view, screen, addresses):
    page = open_view("#/nothing", reduced_motion="reduce", **screen)
    for address in addresses:
        open_board(page, address)
        parts = page.locator(PARTS)
        first = page.locator(ROWS).count()
        places = parts.evaluate_all(PLACES)
        for turn in range(first, 9):
            assert all(y + tall <= screen["viewport"]["height"] for _, y, _, tall in places), places
            play(page, turn)
            page.locator(OPEN).first.wait_for()
            if turn == first:  # the headings get smaller, once
                places = parts.evaluate_all(PLACES)
            assert parts.evaluate_all(PLACES) == places, (address, turn)
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
    back(page).tap()
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
    open_board(page, "#/server/classic-evil-practice")
    parts = page.locator(PARTS)
    places = parts.evaluate_all(PLACES)
    type_code(page, "1122")
    expect(page.locator("guess-table .sent")).to_be_in_viewport()
    assert parts.evaluate_all(PLACES) == places
    expect(page.locator(OPEN)).to_have_count(0)


def test_phone_shows_what_to_do_above_the_fold(open_view):
    page = open_view("#/nothing", **PHONE)
    for address in ("#/daily", "#/server/classic-practice", "#/"):
        open_board(page, address)
        for words in ("right color and place", "right color, wrong place", "Guess or Enter plays"):
            expect(page.get_by_text(words)).to_be_in_viewport(ratio=1)
        expect(back(page)).to_be_in_viewport(ratio=1)
    parts = ("[slot=opening] p", ".legend", ".slots", ".actions")  # what to do comes before what marks mean
    edges = [page.locator(part).first.bounding_box() for part in parts]
    for upper, lower in pairwise(edges):
        assert upper["y"] + upper["height"] <= lower["y"]
    assert edges[-1]["y"] + edges[-1]["height"] <= PHONE["viewport"]["height"]


def test_keys_and_pegs_edit_guess(open_view):
    page = open_view("#/play/5x8", has_touch=True)
    page.locator("code-entry").wait_for()
    for keys, expected in (
        (["1", "2", "3"], "123.."),
        (["Backspace"], "12..."),
        (["ArrowLeft", "ArrowLeft", "8"], "82..."),
        (["ArrowUp"], "821.."),
        (["ArrowDown"], "828.."),
        (["9", "q", "Enter"], "828.."),
        (["Escape"], "....."),
    ):
        for key in keys:
            page.keyboard.press(key)
        expect_draft(page, expected)
    expect_guesses(page)
    for color, slot in ((0, 1), (1, 4), (2, 0)):
        drag(page, f".key >> nth={color}", SLOT.format(slot))
    drag(page, SLOT.format(4), SLOT.format(2))
    expect_draft(page, "312..")
    for draft in ("31...", ".1...", "....."):  # the last peg is taken back wherever it is
        back(page).click()
        expect_draft(page, draft)
    expect(back(page)).to_be_disabled()
    open_board(page, "#/play/4x10-distinct")  # where a color that is there already moves
    page.keyboard.type("12")
    expect_draft(page, "12..")
    page.keyboard.type("1")
    expect_draft(page, ".21.")


def test_full_row_is_played_by_guess_and_enter_only(open_view):
    page = open_view("#/play/3x5", has_touch=True)
    expect(row(page)).to_be_focused()  # nothing else had the focus
    page.keyboard.type("123")
    expect_draft(page, "123")
    back(page).press("Enter")
    expect_draft(page, "12.")
    page.locator(".key").nth(3).tap()
    expect_draft(page, "124")
    back(page).tap()
    expect_draft(page, "12.")
    drag(page, KEY, SLOT.format(2))
    expect_draft(page, "125")
    expect_guesses(page)
    guess(page).tap()
    expect_guesses(page, "125")
    page.keyboard.type("345")
    expect_draft(page, "345")
    expect_guesses(page, "125")
    page.keyboard.press("Enter")
    expect_guesses(page, "125", "345")
    page.get_by_role("button", name="Start again").focus()  # what was typed then is played by Enter too
    page.keyboard.type("123")
    page.keyboard.press("Enter")
    expect_guesses(page, "125", "345", "123")


def test_keys_act_only_while_the_board_has_the_focus(open_view):
    page = open_view("#/play/3x5")
    expect(row(page)).to_be_focused()
    page.keyboard.type("12")
    expect_draft(page, "12.")
    for elsewhere in (page.get_by_text("Other rules"), page.get_by_role("button", name="theme")):
        elsewhere.focus()
        page.keyboard.type("345")
        page.keyboard.press("Backspace")
        page.keyboard.press("Escape")
        expect_draft(page, "12.")
    page.locator("local-board .left").click()  # beside the board
    type_code(page, "3")
    expect_guesses(page, "123")
    expect(row(page)).to_be_focused()
    open_board(page, "#/play/3x5-fixed")  # a button that is disabled loses the focus, and the keys must not
    for symbol in "112":
        page.locator(".key").nth(int(symbol) - 1).click()
    guess(page).click()
    expect_guesses(page, "112")
    page.keyboard.type("345")
    guess(page).click()
    expect_guesses(page, "112", "345")
    page.keyboard.type("1")
    back(page).click()
    expect_draft(page, "...")
    page.keyboard.type("4")
    expect_draft(page, "4..")


class Finger:
    """A finger on the screen, by the protocol of the browser's tools."""

    def __init__(self, page):
        self._session = page.context.new_cdp_session(page)

    def touch(self, kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        self._session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    def move(self, start, end):
        for step in range(1, 9):
            self.touch("Move", tuple(a + (b - a) * step / 8 for a, b in zip(start, end, strict=True)))

    def swipe_up(self, start):
        x, y = start
        self.touch("Start", start)
        self.move(start, (x, y - 150))
        self.touch("End")


def middle(page, selector):
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture
def phone(open_view):
    page = open_view("#/play/4x6", **PHONE)
    page.locator("code-entry").wait_for()
    return page, Finger(page)


@pytest.mark.parametrize("start", [KEY, SLOT.format(1)])
def test_swipe_that_begins_on_peg_scrolls(phone, start):
    page, finger = phone
    page.locator(".key").nth(1).tap()
    page.locator(".key").nth(1).tap()
    expect_draft(page, "22..")
    page.evaluate("scrollTo(0, 0)")  # on a slow machine Playwright scrolls before it taps
    finger.swipe_up(middle(page, start))
    expect(page.locator("header .name")).not_to_be_in_viewport()
    expect(page.locator(".ghost")).to_have_count(0)
    expect_draft(page, "22..")


def test_move_to_the_side_and_long_press_drag(phone):
    page, finger = phone
    page.locator(".key").nth(4).tap()
    expect_draft(page, "5...")
    start, end = middle(page, SLOT.format(0)), middle(page, SLOT.format(2))
    finger.touch("Start", start)
    finger.move(start, end)
    page.locator(".ghost").wait_for()
    finger.touch("End")
    expect_draft(page, "..5.")
    expect(page.locator(".ghost")).to_have_count(0)
    start, end = middle(page, KEY), middle(page, SLOT.format(3))
    finger.touch("Start", start)
    page.locator(".ghost").wait_for()
    finger.move(start, end)  # upwards, and does not scroll
    finger.touch("End")
    expect_draft(page, "..55")
    assert page.evaluate("scrollY") == 0
    for key in (2, 0):
        page.locator(".key").nth(key).tap()
    expect_draft(page, "3155")
    guess(page).tap()
    expect_guesses(page, "3155")


def test_each_peg_that_is_put_is_said(open_view):
    page = open_view(reduced_motion="reduce")
    said = page.locator("code-entry [role=status]")
    expect(said).to_have_text("")
    for key, words in {"3": "Peg 1: 3", "5": "Peg 2: 5", "ArrowUp": "Peg 3: 1", "Backspace": "Peg 3: empty"}.items():
        page.keyboard.press(key)
        expect(said).to_have_text(words)
    page.locator(KEY).click()
    expect(said).to_have_text("Peg 3: 5")
    drag(page, SLOT.format(0), SLOT.format(3))
    expect(said).to_have_text("Peg 1: empty, Peg 4: 3")
    page.keyboard.press("Escape")
    expect(said).to_have_text("")
