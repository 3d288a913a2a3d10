"""The game of the day, and its result as text."""

import pytest
from playwright.sync_api import expect

from support.page.local_games import GUESSES, expect_guesses, play_to_end

pytestmark = pytest.mark.full
DAY = "2026-11-22T12:00:00"


@pytest.fixture
def page(open_view):
    page = open_view("#/nothing")
    page.clock.install(time=DAY)
    page.goto(page.url.replace("nothing", "daily"))
    page.locator("code-entry").wait_for()
    return page


def finish(page):
    def type_code(code):
        page.keyboard.type(code)
        page.keyboard.press("Enter")

    play_to_end(page, type_code)


def test_first_guess_is_on_board_and_stays(page):
    expect(page.locator(GUESSES)).to_have_count(1)
    first = page.locator(GUESSES).inner_text().replace(" ", "")
    page.keyboard.type("1234")
    page.keyboard.press("Enter")
    expect_guesses(page, first, "1234")
    page.reload()
    expect_guesses(page, first, "1234")


def test_next_day_has_another_game(page):
    page.keyboard.type("1234")
    page.keyboard.press("Enter")
    page.locator("guess-table tbody tr").nth(1).wait_for()
    page.clock.set_fixed_time("2026-11-23T12:00:00")
    page.reload()
    page.get_by_role("heading", name="November 23, 2026").wait_for()
    expect(page.locator(GUESSES)).to_have_count(1)


def test_result_is_shared_as_text(page):
    finish(page)
    text = page.get_by_label("Your result to share").input_value()
    assert text.startswith(f"evilpegs daily 2026-11-22 {page.locator(GUESSES).count()}/10\n")
    assert not set("123456") & set("".join(text.split("\n")[1:]))


def test_text_is_selected_where_clipboard_is_refused(page):
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    finish(page)
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("The text is selected").wait_for()
    selected = page.get_by_label("Your result to share").evaluate("field => field.selectionEnd - field.selectionStart")
    assert selected == len(page.get_by_label("Your result to share").input_value())


def test_text_is_copied_where_clipboard_is_allowed(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    finish(page)
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    shared = page.get_by_label("Your result to share").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == shared
