"""What is in sight without scrolling: earlier guesses, the entry, the next game; and long codes stay in one line."""

import pytest
from playwright.sync_api import expect

from support.page.local_games import play
from support.page.server_games import begin, type_code, wait_for_turn

pytestmark = pytest.mark.full
ROWS_IN_SIGHT = """table => {
  const box = table.getBoundingClientRect();
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  return [...table.shadowRoot.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect())
    .filter((row) => row.top >= top - 1 && row.bottom <= bottom + 1).length;
}"""
BOTTOM = "each => each.getBoundingClientRect().bottom"
TOPS = "all => [...new Set(all.map((each) => Math.round(each.getBoundingClientRect().top)))].length"
ENDS = "all => [all[0].getBoundingClientRect().left >= 0, all.at(-1).getBoundingClientRect().right <= innerWidth]"


SIZES = [(390, 664, 8), (1366, 650, 10), (768, 1024, 9), (1920, 1080, 10)]
LONG = [("super-evil-practice", "12345"), ("monster-evil-practice", "1234567890")]
GAME = "#/play/4x6-evil?seed=room&v=1"
CALM = {"reduced_motion": "reduce"}


@pytest.mark.parametrize(("width", "height", "rows"), SIZES)
def test_earlier_guesses_are_in_sight_beside_the_entry(open_view, width, height, rows):
    page = open_view(GAME, viewport={"width": width, "height": height}, **CALM)
    play(page, *["1122"] * 9)
    guess = page.get_by_role("button", name="Guess", exact=True)
    assert guess.evaluate(BOTTOM) <= height
    assert page.locator("guess-table").evaluate(ROWS_IN_SIGHT) >= min(rows, 9)
    play(page, "1122")  # the tenth, after which the board shows all where it may
    expect(page.locator("guess-table tbody tr")).to_have_count(10)
    if rows == 10:
        assert page.locator("guess-table").evaluate(ROWS_IN_SIGHT) == 10


def test_heading_is_one_line_on_the_smallest_phone(open_view):
    page = open_view(GAME, viewport={"width": 360, "height": 640}, **CALM)
    play(page, *["1122"] * 9)
    expect(page.locator(".heading strong")).to_have_text("Guess 10 of 10")
    top = page.locator(".heading .legend").evaluate("each => each.getBoundingClientRect().top")
    assert top < page.locator(".heading strong").evaluate(BOTTOM)


def test_phone_on_its_side_shows_rows_and_button(open_view):
    page = open_view(GAME, viewport={"width": 844, "height": 390}, **CALM)
    play(page, *["1122"] * 6)
    assert page.get_by_role("button", name="Guess", exact=True).evaluate(BOTTOM) <= 390
    assert page.locator("guess-table").evaluate(ROWS_IN_SIGHT) == 6


@pytest.mark.parametrize(("width", "height"), [(390, 664), (1366, 650)])
@pytest.mark.parametrize(("ladder", "code"), LONG)
def test_codes_of_many_pegs_stay_in_one_line(open_view, ladder, code, width, height):
    page = open_view(f"#/server/{ladder}", viewport={"width": width, "height": height}, **CALM)
    begin(page)
    type_code(page, code)
    wait_for_turn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width  # nor do large numbers make the page wider
    for pegs in (page.locator("code-entry .slot"), page.locator("guess-table tbody .peg")):
        expect(pegs).to_have_count(len(code))
        assert pegs.evaluate_all(TOPS) == 1
        assert pegs.evaluate_all(ENDS) == [True, True]


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1280, 800), (1920, 1080)])
def test_numbers_of_codes_stand_beside_six_pegs(open_view, width, height):
    page = open_view("#/play/6x10-evil?seed=room&v=1", viewport={"width": width, "height": height}, **CALM)
    play(page, "112233", "445566")
    expect(page.locator("guess-table tbody tr")).to_have_count(2)
    assert page.locator("guess-table").evaluate("table => table.scrollWidth - table.clientWidth") == 0


def test_finished_game_is_whole_on_paper(open_view):
    page = open_view(GAME, viewport={"width": 360, "height": 640}, **CALM)
    play(page, *["1122"] * 10)
    page.locator(".result").wait_for()
    hidden = "table => table.scrollHeight - table.clientHeight"
    assert page.locator("guess-table").evaluate(hidden) > 0
    page.emulate_media(media="print")
    assert page.locator("guess-table").evaluate(hidden) <= 0
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.get_by_role("button", name="New game")).to_be_hidden()


def test_next_game_stands_above_the_game_before(open_view):
    page = open_view("#/server/classic", viewport={"width": 390, "height": 664}, **CALM)
    page.get_by_label("New name").fill("hasty")
    page.get_by_role("button", name="Take this name").click()
    page.get_by_role("button", name="Start the match").click()
    page.get_by_role("button", name="Start game 1").click()
    type_code(page, "1122")
    wait_for_turn(page)
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up game 1").click()
    start = page.get_by_role("button", name="Start game 2")
    start.wait_for()
    assert start.evaluate(BOTTOM) <= 664
    assert page.locator(".ready game-clock").evaluate(BOTTOM) <= 664
    assert page.locator(".before").evaluate("each => each.getBoundingClientRect().top") > start.evaluate(BOTTOM)
