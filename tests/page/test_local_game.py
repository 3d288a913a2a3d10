"""The first view: a game against evil that the browser plays alone, by keyboard and by mouse."""

import pytest

from support.page.local_games import codes_left, first_code_left, guesses, play_to_end, said


def test_game_by_keyboard_from_first_key_to_next_game(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    page.keyboard.type("1122")
    page.locator("reply-bars").wait_for()
    assert codes_left(page) == 256
    assert said(page) == "Guess 1 1 2 2: 0 black, 0 white. 256 of 1,296 codes left."
    bars = [int(each) for each in page.locator("reply-bars .bar .number").evaluate_all(COUNTS)]
    assert (sum(bars), bars) == (1296, sorted(bars, reverse=True))

    def type_code(code):
        page.keyboard.type(code)
        page.keyboard.press("Enter")

    play_to_end(page, type_code)
    assert "Solved in" in page.locator(".result h2").inner_text()
    assert "evil had to give in. The best play needs 5." in page.locator(".result").inner_text()
    assert len(guesses(page)) >= 5
    page.get_by_role("button", name="New game").press("Enter")
    page.locator("code-entry").wait_for()
    assert guesses(page) == []


COUNTS = "bars => bars.map(bar => bar.firstChild.nextSibling.data.replace(',', ''))"


@pytest.mark.full
def test_game_by_mouse_against_fixed_secret(open_view):
    page = open_view("#/play/4x6-fixed")

    def click_code(code):
        for symbol in code:
            page.get_by_role("group", name="Colors").get_by_role("button", name=symbol).click()
        guess = page.get_by_role("button", name="Guess", exact=True)
        if guess.count() and guess.is_enabled():
            guess.click()

    click_code("1122")
    page.locator("guess-table tbody tr").wait_for()
    play_to_end(page, click_code)
    assert "Solved in" in page.locator(".result h2").inner_text()
    page.get_by_role("link", name="Game of the day").click()
    page.get_by_role("heading", name="Game of the day").wait_for()


@pytest.mark.full
def test_board_counts_guesses_and_starts_again(open_view):
    page = open_view("#/play/3x5")
    page.locator("code-entry").wait_for()
    heading = page.locator("local-board .heading")
    assert heading.inner_text() == "Guess 1 of 20"
    page.keyboard.type("123")
    page.locator("reply-bars").wait_for()
    assert heading.inner_text() == "Guess 2 of 20"
    page.get_by_role("button", name="Start again").click()
    page.locator("reply-bars").wait_for(state="detached")
    assert (guesses(page), heading.inner_text()) == ([], "Guess 1 of 20")


@pytest.mark.full
def test_next_game_is_one_tab_from_end(open_view):
    page = open_view("#/play/2x2")
    page.locator("code-entry").wait_for()
    page.keyboard.type("11")
    page.locator("reply-bars").wait_for()
    while page.locator(".result").count() == 0:
        before = len(guesses(page))
        page.keyboard.type(first_code_left(page))
        page.keyboard.press("Enter")
        page.locator("guess-table tbody tr").nth(before).wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("code-entry").wait_for()
    assert guesses(page) == []


@pytest.mark.full
def test_peg_is_dragged_and_moved(open_view):
    page = open_view()
    slot = [page.locator(f"[data-slot='{each}']") for each in range(4)]
    page.locator(".key").nth(4).drag_to(slot[2])
    assert slot[2].get_attribute("aria-label") == "Peg 3: 5"
    slot[2].drag_to(slot[0])
    assert slot[0].get_attribute("aria-label") == "Peg 1: 5"
    assert slot[2].get_attribute("aria-label") == "Peg 3: empty"


@pytest.mark.full
def test_guess_by_touch(open_view):
    page = open_view(has_touch=True)
    for _ in range(4):
        page.locator(".key").nth(2).tap()
    page.locator("reply-bars").wait_for()
    assert guesses(page) == ["3333"]


@pytest.mark.full
def test_keys_edit_guess(open_view):
    page = open_view("#/play/5x8")
    page.locator("code-entry").wait_for()

    def draft():
        labels = page.locator(".slot").evaluate_all("slots => slots.map(slot => slot.ariaLabel)")
        return "".join(label[-1] if label[-1] in "12345678" else "." for label in labels)

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
        assert draft() == expected, keys
    assert guesses(page) == []


@pytest.mark.full
def test_repeated_color_moves_where_colors_are_distinct(open_view):
    page = open_view("#/play/4x10-distinct")
    page.locator("code-entry").wait_for()
    page.keyboard.type("12")
    page.keyboard.type("1")
    labels = page.locator(".slot").evaluate_all("slots => slots.map(slot => slot.ariaLabel)")
    assert labels == ["Peg 1: empty", "Peg 2: 2", "Peg 3: 1", "Peg 4: empty"]


@pytest.mark.full
def test_reload_keeps_game(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    page.keyboard.type("1122")
    page.locator("reply-bars").wait_for()
    page.reload()
    page.locator("reply-bars").wait_for()
    assert (guesses(page), codes_left(page)) == (["1122"], 256)


@pytest.mark.full
@pytest.mark.parametrize("stored", ["", "{", "null", '{"rules": "9x9"}', '{"rules": "4x6", "guesses": ["<b>"]}'])
def test_unreadable_stored_game_begins_new_one(open_view, stored):
    page = open_view("#/nothing")
    page.evaluate("text => localStorage.setItem('evilpegs.game.4x6-evil', text)", stored)
    page.goto(page.url.replace("nothing", ""))
    page.locator("code-entry").wait_for()
    assert guesses(page) == []


@pytest.mark.full
def test_largest_rules_of_browser_answer(open_view):
    page = open_view("#/play/6x10")
    page.locator("code-entry").wait_for()
    page.keyboard.type("112233")
    page.locator("reply-bars").wait_for()
    assert codes_left(page) < 1_000_000


@pytest.mark.full
def test_chosen_rules_are_played(open_view):
    page = open_view()
    rules = page.get_by_role("form", name="Rules")
    page.get_by_text("Other rules").click()
    rules.get_by_label("Pegs").select_option("5")
    rules.get_by_label("Colors").first.select_option("8")
    rules.get_by_label("Codemaker").select_option("fixed")
    page.get_by_role("link", name="Play 5x8").click()
    page.get_by_role("heading", name="5x8 against a fixed secret").wait_for()
    page.get_by_text("Other rules").click()
    rules.get_by_label("Pegs").select_option("10")
    assert page.get_by_role("link", name="Play large rules on the server").is_visible()


@pytest.mark.full
def test_enter_plays_what_was_typed_while_button_had_focus(open_view):
    page = open_view("#/play/3x5")
    page.get_by_text("Other rules").focus()
    page.keyboard.type("123")
    page.locator("reply-bars").wait_for()
    page.get_by_role("button", name="theme").focus()
    page.keyboard.type("345")
    page.keyboard.press("Enter")
    page.locator("guess-table tbody tr").nth(1).wait_for()
    assert guesses(page) == ["123", "345"]
