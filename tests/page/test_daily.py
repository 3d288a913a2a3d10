"""The game of the day, and its result as text."""

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.local_games import GUESSES, expect_guesses, play, play_to_end

pytestmark = pytest.mark.full
DAY = "2026-11-22T12:00:00"
LATER = "2026-12-20T12:00:00"
RESULT = "Your result to share"
DAYS = ".days a"
BAD = {
    "2026-11-31": "2026-11-31",
    "tomorrow": "tomorrow",
    "2026-12-21": "today is 2026-12-20",
    "2026-11-22?v=2": "version '2'",
}


@pytest.fixture
def open_day(open_view):
    """Open a game of the day at a time, in a context whose clock no other test has."""

    def open_day(time, address="#/daily"):
        page = open_view("#/nothing")
        page.clock.install(time=time)
        follow(page, address)
        page.locator("code-entry, daily-view h1").first.wait_for()
        return page

    return open_day


def test_first_guess_is_on_board_and_stays_for_the_day(open_day):
    page = open_day(DAY)
    expect(page.locator(GUESSES)).to_have_count(1)
    first = page.locator(GUESSES).inner_text().replace(" ", "")
    play(page, "1234")
    expect_guesses(page, first, "1234")
    page.reload()
    expect_guesses(page, first, "1234")
    page.clock.set_fixed_time("2026-11-23T12:00:00")
    page.reload()
    page.get_by_role("heading", name="November 23, 2026").wait_for()
    expect(page.locator(GUESSES)).to_have_count(1)


def test_new_day_is_offered_when_it_begins(open_day):
    page = open_day("2026-11-22T23:59:30")
    play_to_end(page)
    expect(page.locator("turn-time")).to_be_visible()
    expect(page.get_by_role("link", name="play its game")).to_have_count(0)
    page.clock.fast_forward(31_000)
    page.get_by_role("link", name="play its game").click()
    page.get_by_role("heading", name="November 23, 2026").wait_for()
    expect(page.locator("turn-time")).to_have_count(0)  # of a day that is played
    expect(page.get_by_role("link", name="play its game")).to_have_count(0)


def test_result_is_shared_and_copied_as_text(open_day):
    page = open_day(DAY)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    play_to_end(page)
    field = page.get_by_label(RESULT)
    text = field.input_value()
    heading, *rows, link = text.split("\n")
    assert heading == f"evilpegs daily 2026-11-22 4x6 evil {page.locator(GUESSES).count()}/10"
    assert not set("123456") & set("".join(rows))
    assert link == page.url.replace("#/daily", "#/daily/2026-11-22?v=1")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.goto(link)
    expect(page.locator(".result h2")).to_contain_text("Solved in")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.evaluate("document.execCommand = () => false")  # the older way, of plain http
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("The text is selected").wait_for()
    assert field.evaluate("field => field.selectionEnd - field.selectionStart") == len(field.input_value())


def test_archive_has_past_days_with_their_games_and_results(open_day):
    page = open_day(LATER)
    page.get_by_text("Earlier days").click()
    expect(page.locator(DAYS)).to_have_count(28)
    expect(page.locator(DAYS).first).to_have_text("Saturday, December 19, 2026")
    expect(page.locator(".days li").first).to_contain_text("5×8 against a fixed secret")
    addresses = page.locator(DAYS).evaluate_all("links => links.map(link => link.hash)")
    assert addresses == sorted(addresses, reverse=True)
    assert addresses[-1] == "#/daily/2026-11-22"
    page.get_by_role("button", name="Show older days").click()
    expect(page.locator(DAYS)).to_have_count(56)
    page.get_by_role("link", name="November 22, 2026").click()
    page.get_by_role("heading", name="November 22, 2026").wait_for()
    expect_guesses(page, "1155")
    play_to_end(page)
    page.get_by_text("Earlier days").click()
    day = page.locator(".days li").filter(has_text="November 22")
    expect(day).to_contain_text(f"4×6 against evil, solved in {page.locator(GUESSES).count()}")
    expect(day.get_by_role("link")).to_have_attribute("aria-current", "page")
    expect(page.locator(".days li").filter(has_text="November 23")).not_to_contain_text("started")


def test_day_with_fixed_secret_begins_empty_and_keeps_its_secret(open_day):
    page = open_day(LATER, "#/daily/2026-12-08?v=1")
    opening = page.locator("daily-view .muted[slot=opening]")
    expect(opening).to_contain_text("Bulls and cows (4×10) against a fixed secret")
    expect(page.locator("local-board .heading .number")).to_have_text("Guess 1 of 12")
    play(page, "1234")
    expect_guesses(page, "1234")
    page.reload()
    expect_guesses(page, "1234")
    play(page, "8504")  # of the shared vectors
    expect(page.locator(".result h2")).to_have_text("Solved in 2 guesses")
    text = page.get_by_label(RESULT).input_value()
    assert text.startswith("evilpegs daily 2026-12-08 4x10-distinct fixed 2/12\n")
    assert text.endswith("#/daily/2026-12-08?v=1")


def test_day_that_cannot_be_played_leads_to_today(open_day):
    page = open_day(LATER)
    for address, named in BAD.items():
        follow(page, f"#/daily/{address}")
        page.get_by_role("heading", name="This game cannot be played here").wait_for()
        expect(page.locator("daily-view .intro")).to_contain_text(named)
        page.get_by_role("link", name="Play today").click()
        page.get_by_role("heading", name="December 20, 2026").wait_for()
