"""Games that the browser plays alone, to their end and beyond: what the board says, and what the browser keeps."""

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.local_games import expect_guesses, first_code_left, play, play_to_end, type_code

pytestmark = pytest.mark.full
LEFT = ".left strong"
STORED = "text => localStorage.setItem('evilpegs.game.4x6-evil', text)"


def row(page):
    return page.get_by_role("group", name="Your guess")


def start_again(page):
    return page.get_by_role("button", name="Start again")


def test_game_by_mouse_against_fixed_secret(open_view):
    page = open_view("#/play/4x6-fixed")

    def click_code(_, code):
        for symbol in code:
            page.get_by_role("group", name="Colors").get_by_role("button", name=symbol).click()
        page.get_by_role("button", name="Guess", exact=True).click()

    play(page, "1122", guess=click_code)
    play_to_end(page, click_code)
    expect(page.locator(".result h2")).to_contain_text("Solved in")
    page.get_by_role("link", name="Game of the day").click()
    page.get_by_role("heading", name="Game of the day").wait_for()


def test_next_game_is_one_tab_from_end(open_view):
    page = open_view("#/play/2x2")
    play(page, "11")
    # one code is not many
    expect(page.locator("reply-bars .number")).to_have_text(["2 codes", "1 code", "1 code"])
    while page.locator(".result").count() == 0:
        play(page, first_code_left(page))
    expect(page.locator(".result")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("code-entry").wait_for()
    expect_guesses(page)
    follow(page, "#/play/1x1")
    expect(page.locator(".left")).to_have_text("1 code possible")


def test_game_that_was_started_again_can_be_brought_back(open_view):
    page = open_view("#/play/3x5")
    heading = page.locator("local-board .heading strong")
    expect(heading).to_have_text("Guess 1 of 20")
    expect(row(page)).to_be_focused()
    type_code(page, "123")
    expect(heading).to_have_text("Guess 2 of 20")
    start_again(page).press("Enter")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    expect(heading).to_have_text("Guess 1 of 20")
    expect_guesses(page)
    page.reload()
    undo.press("Enter")
    expect_guesses(page, "123")
    page.reload()
    expect_guesses(page, "123")
    start_again(page).click()
    undo.wait_for()
    page.reload()
    undo.wait_for()
    type_code(page, "345")
    expect_guesses(page, "345")
    expect(undo).to_have_count(0)


def test_two_tabs_of_one_game_lose_no_guess(open_view):
    page = open_view("#/play/4x6-evil")
    note = page.get_by_text("went on in another tab")
    play(page, "1122")
    other = page.context.new_page()
    other.goto(page.url)
    expect_guesses(other, "1122")
    play(other, "3344")
    expect_guesses(page, "1122", "3344")
    expect(note).to_be_visible()
    play(page, "5566")
    expect(note).to_have_count(0)
    expect_guesses(other, "1122", "3344", "5566")
    play_to_end(page)
    other.locator(".result").wait_for()
    other.get_by_role("button", name="New game").click()
    expect_guesses(other)
    play(other, "1234")
    expect(page.locator(".result")).to_be_visible()  # who reads the result keeps it
    page.get_by_role("button", name="New game").click()
    expect_guesses(page, "1234")
    other.close()


def test_tab_that_slept_shows_what_was_played_meanwhile(open_view):
    page = open_view()
    play(page, "1122")
    longer = page.evaluate("localStorage.getItem('evilpegs.game.4x6-evil')").replace('"1122"', '"1122", "3344"')
    page.evaluate(STORED, longer)  # a tab hears nothing of what it stores itself
    expect_guesses(page, "1122")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect_guesses(page, "1122", "3344")


def test_reload_keeps_game_and_unreadable_one_is_replaced(open_view):
    page = open_view()
    play(page, "1122")
    page.reload()
    expect_guesses(page, "1122")
    expect(page.locator(LEFT)).to_have_text("256")
    for stored in ("", "{", "null", '{"rules": "9x9"}', '{"rules": "4x6", "guesses": ["<b>"]}'):
        follow(page, "#/nothing")
        page.evaluate(STORED, stored)
        follow(page, "#/")
        page.locator("code-entry").wait_for()
        expect_guesses(page)


def test_chosen_rules_are_played(open_view):
    page = open_view("#/play/6x10")  # the largest of the browser
    play(page, "112233")
    page.locator("reply-bars").wait_for()
    assert int(page.locator(LEFT).inner_text().replace(",", "")) < 1_000_000
    follow(page, "#/")
    rules = page.get_by_role("form", name="Rules")
    page.get_by_text("Other rules").click()
    rules.get_by_label("Pegs").select_option("5")
    rules.get_by_label("Colors").first.select_option("8")
    rules.get_by_label("Against").select_option("fixed")
    page.get_by_role("link", name="Play 5×8").click()
    page.get_by_role("heading", name="5×8 against a fixed secret").wait_for()
    page.get_by_text("Other rules").click()
    rules.get_by_label("Pegs").select_option("10")
    expect(page.get_by_role("link", name="The server has larger games")).to_be_visible()


def test_feedback_is_marks_in_the_shape_of_the_board(open_view):
    page = open_view("#/nothing")
    for rules, code, columns in (("4x6", "1122", 2), ("5x8", "11223", 3)):
        follow(page, f"#/play/{rules}")
        play(page, code)
        page.locator("reply-bars li").nth(5).wait_for()
        for feedback in page.locator(".feedback").all():
            words = feedback.locator(".hidden").inner_text().replace(",", "").split()
            black, white = int(words[0]), int(words[2])
            marks = ["black"] * black + ["white"] * white + ["neither"] * (len(code) - black - white)
            assert feedback.locator("i").evaluate_all("marks => marks.map(mark => mark.className)") == marks
            places = feedback.locator("i").evaluate_all(
                "marks => marks.map(mark => mark.getBoundingClientRect())"
                ".map(({ x, y }) => [Math.round(y), Math.round(x)])"
            )
            assert (len({y for y, _ in places}), len({x for _, x in places})) == (2, columns)
            assert places == sorted(places)


def test_stored_game_without_seed_goes_on_and_has_no_link(open_view):
    page = open_view("#/nothing")
    stored = '{"rules":"4x6","codemaker":"fixed","limit":10,"guesses":["1122"],"secret":"1234"}'
    page.evaluate("text => localStorage.setItem('evilpegs.game.4x6-fixed', text)", stored)
    follow(page, "#/play/4x6-fixed")
    expect_guesses(page, "1122")
    expect(page.get_by_text("Other rules")).to_be_visible()
    expect(page.get_by_text("Challenge a friend")).to_have_count(0)
    play(page, "1234")
    expect(page.locator(".result h2")).to_have_text("Solved in 2 guesses")
