"""The first view: a game against evil that the browser plays alone, by keyboard and by mouse."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from support.page.local_games import GUESSES, expect_draft, expect_guesses, first_code_left, play_to_end

LEFT = ".left strong"


def test_game_by_keyboard_from_first_key_to_next_game(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    page.keyboard.type("1122\n")
    page.locator("reply-bars").wait_for()
    expect(page.locator(LEFT)).to_have_text("256")
    said = page.locator("local-board [role=status]")
    reply = "(0 black, 0 white|0 black, 1 white|1 black, 0 white)"  # the seed decides among equal parts
    expect(said).to_have_text(re.compile(rf"^\s*Guess 1 1 2 2: {reply}\. 256 of 1,296 codes left\.\s*$"))
    bars = [int(each) for each in page.locator("reply-bars .bar .number").evaluate_all(COUNTS)]
    assert (sum(bars), bars) == (1296, sorted(bars, reverse=True))

    def type_code(code):
        page.keyboard.type(code)
        page.keyboard.press("Enter")

    play_to_end(page, type_code)
    expect(page.locator(".result h2")).to_contain_text("Solved in")
    expect(page.locator(".result")).to_contain_text("evil had to give in.")
    assert page.locator(GUESSES).count() >= 5
    page.get_by_role("button", name="New game").press("Enter")
    page.locator("code-entry").wait_for()
    expect_guesses(page)


COUNTS = "bars => bars.map(bar => bar.firstChild.nextSibling.data.replace(',', ''))"


@pytest.mark.full
def test_game_by_mouse_against_fixed_secret(open_view):
    page = open_view("#/play/4x6-fixed")

    def click_pegs(code):
        for symbol in code:
            page.get_by_role("group", name="Colors").get_by_role("button", name=symbol).click()

    def click_code(code):
        click_pegs(code)
        page.get_by_role("button", name="Guess", exact=True).click()

    click_code("1122")
    page.locator("guess-table tbody tr").wait_for()
    play_to_end(page, click_code)
    expect(page.locator(".result h2")).to_contain_text("Solved in")
    page.get_by_role("link", name="Game of the day").click()
    page.get_by_role("heading", name="Game of the day").wait_for()


@pytest.mark.full
def test_board_counts_guesses_and_starts_again(open_view):
    page = open_view("#/play/3x5")
    page.locator("code-entry").wait_for()
    heading = page.locator("local-board .heading strong")
    expect(heading).to_have_text("Guess 1 of 20")
    page.keyboard.type("123\n")
    expect(heading).to_have_text("Guess 2 of 20")
    page.get_by_role("button", name="Start again").click()
    expect(heading).to_have_text("Guess 1 of 20")
    expect_guesses(page)


@pytest.mark.full
def test_next_game_is_one_tab_from_end(open_view):
    page = open_view("#/play/2x2")
    page.locator("code-entry").wait_for()
    page.keyboard.type("11\n")
    page.locator("reply-bars").wait_for()
    while page.locator(".result").count() == 0:
        before = page.locator(GUESSES).count()
        page.keyboard.type(first_code_left(page))
        page.keyboard.press("Enter")
        page.locator("guess-table tbody tr").nth(before).wait_for()
    expect(page.locator(".result")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("code-entry").wait_for()
    expect_guesses(page)


@pytest.mark.full
def test_peg_is_dragged_and_moved(open_view):
    page = open_view()
    page.locator(".key").nth(4).drag_to(page.locator("[data-slot='2']"))
    expect_draft(page, "..5.")
    page.locator("[data-slot='2']").drag_to(page.locator("[data-slot='0']"))
    expect_draft(page, "5...")


@pytest.mark.full
def test_guess_by_touch(open_view):
    page = open_view(has_touch=True)
    for _ in range(4):
        page.locator(".key").nth(2).tap()
    page.get_by_role("button", name="Guess", exact=True).tap()
    page.locator("reply-bars").wait_for()
    expect_guesses(page, "3333")


@pytest.mark.full
def test_keys_edit_guess(open_view):
    page = open_view("#/play/5x8")
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


@pytest.mark.full
def test_repeated_color_moves_where_colors_are_distinct(open_view):
    page = open_view("#/play/4x10-distinct")
    page.locator("code-entry").wait_for()
    page.keyboard.type("12")
    expect_draft(page, "12..")
    page.keyboard.type("1")
    expect_draft(page, ".21.")


@pytest.mark.full
def test_reload_keeps_game(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    page.keyboard.type("1122\n")
    page.locator("reply-bars").wait_for()
    page.reload()
    expect_guesses(page, "1122")
    expect(page.locator(LEFT)).to_have_text("256")


@pytest.mark.full
@pytest.mark.parametrize("stored", ["", "{", "null", '{"rules": "9x9"}', '{"rules": "4x6", "guesses": ["<b>"]}'])
def test_unreadable_stored_game_begins_new_one(open_view, stored):
    page = open_view("#/nothing")
    page.evaluate("text => localStorage.setItem('evilpegs.game.4x6-evil', text)", stored)
    page.goto(page.url.replace("nothing", ""))
    page.locator("code-entry").wait_for()
    expect_guesses(page)


@pytest.mark.full
def test_largest_rules_of_browser_answer(open_view):
    page = open_view("#/play/6x10")
    page.locator("code-entry").wait_for()
    page.keyboard.type("112233\n")
    page.locator("reply-bars").wait_for()
    assert int(page.locator(LEFT).inner_text().replace(",", "")) < 1_000_000


@pytest.mark.full
def test_chosen_rules_are_played(open_view):
    page = open_view()
    rules = page.get_by_role("form", name="Rules")
    page.get_by_text("Other rules").click()
    rules.get_by_label("Pegs").select_option("5")
    rules.get_by_label("Colors").first.select_option("8")
    rules.get_by_label("Against").select_option("fixed")
    page.get_by_role("link", name="Play 5x8").click()
    page.get_by_role("heading", name="5x8 against a fixed secret").wait_for()
    page.get_by_text("Other rules").click()
    rules.get_by_label("Pegs").select_option("10")
    expect(page.get_by_role("link", name="The server has larger games")).to_be_visible()


@pytest.mark.full
def test_keys_act_only_while_the_board_has_the_focus(open_view):
    page = open_view("#/play/3x5")
    row = page.get_by_role("group", name="Your guess")
    expect(row).to_be_focused()  # nothing else had the focus
    page.keyboard.type("12")
    expect_draft(page, "12.")
    for elsewhere in (page.get_by_text("Other rules"), page.get_by_role("button", name="theme")):
        elsewhere.focus()
        page.keyboard.type("345")
        page.keyboard.press("Backspace")
        page.keyboard.press("Escape")
        expect_draft(page, "12.")
    page.locator("local-board .left").click()  # beside the board
    page.keyboard.type("3\n")
    page.locator("reply-bars").wait_for()
    expect_guesses(page, "123")
    expect(row).to_be_focused()


@pytest.mark.full
def test_enter_plays_what_was_typed_while_button_of_board_had_focus(open_view):
    page = open_view("#/play/3x5")
    expect(page.get_by_role("group", name="Your guess")).to_be_focused()
    page.keyboard.type("123\n")
    page.get_by_role("button", name="Start again").focus()
    page.keyboard.type("345")
    page.keyboard.press("Enter")
    page.locator("guess-table tbody tr").nth(1).wait_for()
    expect_guesses(page, "123", "345")


@pytest.mark.full
def test_mouse_and_keys_take_turns(open_view):
    """A button that is disabled loses the focus, and the keys must not be lost with it."""
    page = open_view("#/play/3x5-fixed")
    for symbol in "112":
        page.locator(".key").nth(int(symbol) - 1).click()
    page.get_by_role("button", name="Guess", exact=True).click()
    page.locator("guess-table tbody tr").wait_for()
    page.keyboard.type("345")
    page.get_by_role("button", name="Guess", exact=True).click()
    page.locator("guess-table tbody tr").nth(1).wait_for()
    page.keyboard.type("1")
    page.get_by_role("button", name="Take back the last peg").click()
    expect_draft(page, "...")
    page.keyboard.type("4")
    expect_draft(page, "4..")


@pytest.mark.full
def test_game_that_was_started_again_can_be_brought_back(open_view):
    page = open_view("#/play/3x5")
    expect(page.get_by_role("group", name="Your guess")).to_be_focused()
    page.keyboard.type("123\n")
    page.get_by_role("button", name="Start again").press("Enter")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    expect_guesses(page)
    page.reload()
    undo.press("Enter")
    expect_guesses(page, "123")
    page.reload()
    expect_guesses(page, "123")
    page.get_by_role("button", name="Start again").click()
    undo.wait_for()
    page.reload()
    undo.wait_for()
    page.keyboard.type("345\n")
    expect_guesses(page, "345")
    expect(undo).to_have_count(0)


@pytest.mark.full
@pytest.mark.parametrize(("rules", "code", "columns"), [("4x6", "1122", 2), ("5x8", "11223", 3)])
def test_feedback_is_marks_in_the_shape_of_the_board(open_view, rules, code, columns):
    page = open_view(f"#/play/{rules}")
    expect(page.get_by_role("group", name="Your guess")).to_be_focused()
    page.keyboard.type(f"{code}\n")
    page.locator("reply-bars li").nth(5).wait_for()
    for feedback in page.locator(".feedback").all():
        words = feedback.locator(".hidden").inner_text().replace(",", "").split()
        black, white = int(words[0]), int(words[2])
        marks = ["black"] * black + ["white"] * white + ["neither"] * (len(code) - black - white)
        assert feedback.locator("i").evaluate_all("marks => marks.map(mark => mark.className)") == marks
        places = feedback.locator("i").evaluate_all(
            "marks => marks.map(mark => mark.getBoundingClientRect()).map(({ x, y }) => [Math.round(y), Math.round(x)])"
        )
        assert (len({y for y, _ in places}), len({x for _, x in places})) == (2, columns)
        assert places == sorted(places)


@pytest.mark.full
@pytest.mark.parametrize("address", ["#/", "#/daily", "#/server/classic-practice"])
def test_legend_is_above_the_fold_of_a_phone(open_view, address):
    page = open_view(address, viewport={"width": 360, "height": 640})
    if "server" in address:
        page.locator("button.large").click()
    page.locator("code-entry").wait_for()
    for meaning in ("right color and place", "right color, wrong place"):
        box = page.get_by_text(meaning).bounding_box()
        assert box["y"] + box["height"] <= 640


@pytest.mark.full
def test_first_visitor_reads_what_to_do_before_what_marks_mean(open_view):
    page = open_view(viewport={"width": 360, "height": 640})
    page.locator("code-entry").wait_for()
    parts = [
        page.locator("[slot=opening] p"),
        page.locator(".legend"),
        page.locator(".slots"),
        page.locator(".actions"),
    ]
    edges = [part.first.bounding_box() for part in parts]
    for upper, lower in pairwise(edges):
        assert upper["y"] + upper["height"] <= lower["y"]
    assert edges[-1]["y"] + edges[-1]["height"] <= 640


@pytest.mark.full
def test_one_code_is_not_many(open_view):
    page = open_view("#/play/1x1")
    expect(page.locator(".left")).to_have_text("1 code possible")
    page.goto(page.url.replace("1x1", "2x2"))
    page.get_by_role("heading", name="2x2").wait_for()
    expect(page.get_by_role("group", name="Your guess")).to_be_focused()
    page.keyboard.type("11\n")
    expect(page.locator("reply-bars .number")).to_have_text(["2 codes", "1 code", "1 code"])
