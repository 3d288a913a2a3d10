"""Fingers on the pegs: a swipe scrolls, a move to the side or after a long press drags."""

import pytest
from playwright.sync_api import expect

from support.page.local_games import expect_draft

pytestmark = pytest.mark.full


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


@pytest.fixture
def phone(open_view):
    page = open_view("#/play/4x6", viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page.locator("code-entry").wait_for()
    return page, Finger(page)


def middle(page, selector):
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


KEY, SLOT = ".key >> nth=4", "[data-slot='{}']"


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


def test_move_to_the_side_drags(phone):
    page, finger = phone
    page.locator(".key").nth(4).tap()
    expect_draft(page, "5...")
    start, end = middle(page, SLOT.format(0)), middle(page, SLOT.format(2))
    finger.touch("Start", start)
    finger.move(start, end)
    page.locator(".ghost").wait_for()
    finger.touch("End")
    expect_draft(page, "..5.")


def test_long_press_drags_upwards_and_does_not_scroll(phone):
    page, finger = phone
    start, end = middle(page, KEY), middle(page, SLOT.format(2))
    finger.touch("Start", start)
    page.locator(".ghost").wait_for()
    finger.move(start, end)
    finger.touch("End")
    expect_draft(page, "..5.")
    assert page.evaluate("scrollY") == 0
