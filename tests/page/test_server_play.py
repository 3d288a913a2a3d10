"""Games on the server, played in the browser: to their end, through a reload, a cut and another tab."""

import json
import re

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.server_games import CLASSIC, begin, first_consistent, play_to_end, replies, type_code, wait_for_turn

pytestmark = pytest.mark.full
EVIL, FIXED = "#/server/classic-evil-practice", "#/server/classic-practice"
ROWS = "server-board guess-table tbody tr"
CODES_PANEL = """async () => {
  const [{ codesPanel }, { render }, { Candidates }, { parseRules }] = await Promise.all([
    importOfPage("components/codes_panel.js"), importOfPage("vendor/lit.js"), importOfPage("game/candidates.js"),
    importOfPage("core/rules.js")]);
  const turns = [1, 2].map((turn) => ({ turn, code: "11", black: 0, white: 0, candidates: 1 }));
  const element = document.createElement("div");
  render(codesPanel({ current: { turns } }, { codemaker: "fixed" }, new Candidates(parseRules("2x2"))), element);
  return element.textContent;
}"""


def claim(page, name):
    page.get_by_label("New name").fill(name)
    page.keyboard.press("Enter")


def ask_to_give_up(page):
    wait_for_turn(page)
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Keep playing").wait_for()
    return page.locator("server-board dialog p")


def give_up(page):
    ask_to_give_up(page)
    page.get_by_role("button", name="Give up", exact=True).click()


def test_rated_match_by_keyboard_starts_when_player_says_so(open_view):
    page = open_view("#/nothing")
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(json.loads(frame)["type"])))
    follow(page, "#/server/classic")
    claim(page, "keyboarder")
    page.get_by_role("button", name="Start the match").press("Enter")
    start = page.get_by_role("button", name="Start game 1")
    start.wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(start).to_be_focused()
    assert "ready" not in sent
    page.keyboard.press("Enter")
    play_to_end(page, type_code)
    page.get_by_role("button", name="Start game 2").wait_for()
    expect(page.locator(".before h2")).to_contain_text("Game 1: Solved in")
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up the whole match").click()
    page.locator("record-check .good").wait_for()
    expect(page.locator("match-result h2")).to_have_text("1 of 10 games solved")


def test_practice_shows_parts_candidates_and_hint_and_survives_reload(open_view):
    page = open_view(EVIL)
    begin(page)
    type_code(page, "1122")  # no first guess solves it
    page.locator("reply-bars li").nth(12).wait_for()
    expect(page.locator(".left strong")).to_have_text("256")
    said = page.locator("server-board [role=status]").first
    expect(said).to_have_text("Guess 1 1 2 2: 0 black, 0 white. 256 codes left.")
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Guess", exact=True).click()
    expect(page.locator(ROWS)).to_have_count(2)
    before = replies(page)
    assert before[1][0] == "3345"
    page.reload()
    wait_for_turn(page)
    assert replies(page) == before
    play_to_end(page, type_code)
    page.locator("record-check .good").wait_for()
    page.reload()
    page.locator("record-check .good").wait_for()
    expect(page.locator("match-result h2")).to_contain_text("Solved in")
    words = page.evaluate(CODES_PANEL)  # one code is not many
    assert "1 of 1 code left" in " ".join(words.split())


@pytest.mark.parametrize("address", [EVIL, "#/server/classic-evil"], ids=["practice", "rated"])
def test_guess_that_tells_nothing_is_said_to_be_one(open_view, address):
    page = open_view(address)
    if address == EVIL:
        begin(page)
    else:
        claim(page, "repeater")
        page.get_by_role("button", name="Start the match").click()
        page.get_by_role("button", name="Start game 1").click()
    type_code(page, "1122")
    below = page.locator("code-entry p")
    expect(page.locator(ROWS)).to_have_count(1)
    wait_for_turn(page)
    page.keyboard.type("112")
    expect(page.locator("[data-slot='2']")).to_have_attribute("aria-label", "Peg 3: 2")
    expect(below).not_to_contain_text("tells you nothing")
    page.keyboard.type("2")
    expect(below).to_contain_text("tells you nothing")
    page.keyboard.press("Enter")
    expect(page.locator(ROWS)).to_have_count(2)
    expect(page.get_by_role("region", name="Codes left")).to_contain_text("This guess told you nothing")
    expect(page.locator("server-board [role=status]").first).to_contain_text("told you nothing")
    expect(below).not_to_contain_text("tells you nothing")
    type_code(page, "3345")
    expect(page.locator(ROWS)).to_have_count(3)
    expect(page.get_by_role("region", name="Codes left")).not_to_contain_text("told you nothing")


def test_practice_is_given_up_after_confirmation(open_view):
    page = open_view(EVIL)
    begin(page)
    words = ask_to_give_up(page)
    expect(words).to_contain_text("is shown")
    expect(words).not_to_contain_text("secret")  # evil has none
    follow(page, FIXED)
    page.locator("button.large").click()
    words = ask_to_give_up(page)
    expect(words).to_contain_text("is shown")
    expect(words).to_contain_text("secret")
    page.get_by_role("button", name="Keep playing").click()
    give_up(page)
    page.locator("record-check .good").wait_for()
    expect(page.locator("match-result h2")).to_have_text("Given up")
    page.get_by_role("button", name="Start another match").click()
    wait_for_turn(page)
    assert replies(page) == []


def test_open_match_is_offered_elsewhere_and_continued(open_view):
    page = open_view("#/server/super-practice")
    begin(page)
    wait_for_turn(page)
    page.get_by_role("link", name="Compete").click()
    page.get_by_role("link", name="Continue it").click()
    type_code(page, "11223")
    expect(page.locator(ROWS)).to_have_count(1)
    follow(page, FIXED)
    expect(page.get_by_text("You have an open match on")).to_contain_text("on super-practice.")
    page.get_by_role("button", name="Continue it").click()
    expect(page).to_have_url(re.compile("#/server/super-practice$"))
    expect(page.locator(ROWS)).to_have_count(1)
    assert [code for code, _ in replies(page)] == ["11223"]


def test_second_tab_takes_match_and_first_takes_it_back(open_view):
    first = open_view(EVIL)  # no first guess solves it
    begin(first)
    wait_for_turn(first)
    second = first.context.new_page()
    second.goto(first.url)
    type_code(second, "1122")
    expect(second.locator(ROWS)).to_have_count(1)
    first.get_by_role("button", name="Take it back here").click()
    expect(first.locator(ROWS)).to_have_count(1)
    assert replies(first) == replies(second)
    second.get_by_role("button", name="Take it back here").wait_for()
    type_code(first, first_consistent(CLASSIC, replies(first)))
    expect(first.locator(ROWS)).to_have_count(2)


def test_names_are_claimed_exported_and_used_elsewhere(open_view):
    page = open_view("#/server/classic")
    page.get_by_label("New name").fill("traveller")
    page.get_by_role("button", name="Take this name").click()
    page.get_by_role("button", name="Start the match").wait_for()
    page.get_by_text("Names", exact=True).click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export names").click()
    text = saved.value.path().read_text()
    elsewhere = open_view("#/server/classic")
    elsewhere.get_by_label("Names exported from another browser").fill(text)
    elsewhere.get_by_role("button", name="Import").click()
    elsewhere.get_by_role("button", name="Use", exact=True).click()
    elsewhere.get_by_role("button", name="Start the match").wait_for()
    expect(elsewhere.locator("player-panel .who strong")).to_have_text("traveller")


def test_one_game_is_offered_once_and_bots_have_theirs(open_view):
    page = open_view("#/ladders")
    ways = page.locator(".ways a.button")
    expect(ways).to_have_text(["Start", "Play", "Start"])
    addresses = ["#/server/classic-people", "#/play/4x6-fixed", "#/server/classic"]
    assert ways.evaluate_all("all => all.map((each) => each.getAttribute('href'))") == addresses
    expect(page.locator(".fast a")).to_have_text(["classic-blitz", "Start a bot"])
    expect(page.get_by_role("link", name="Start a bot")).to_have_attribute("href", "#/bots")
    page.get_by_role("link", name="The devil").click()
    page.get_by_role("link", name="Start classic-devil-practice").wait_for()  # the browser has no devil
    page.get_by_role("link", name="10×12").click()
    page.get_by_role("link", name="Start monster-practice").wait_for()  # nor so many codes
    follow(page, "#/ladders?rules=12x14&codemaker=evil")
    page.get_by_text("Not offered here.").first.wait_for()
    expect(page.get_by_role("link", name="Start colossus-evil")).to_have_count(0)
    expect(page.get_by_text("Loading")).to_have_count(0)
    follow(page, "#/server/nothing")
    page.get_by_text("This server has no such game.").wait_for()
    follow(page, "#/server/classic-blitz")
    claim(page, "hurried")
    page.get_by_role("button", name="Start the match").wait_for()
    expect(page.get_by_role("link", name="Start a bot")).to_be_visible()
    expect(page.locator("button.large")).to_have_count(0)
    follow(page, "#/ladder/classic-blitz")
    page.get_by_role("link", name="Start a bot").wait_for()
    expect(page.get_by_role("link", name="Start a match")).to_have_count(0)


def test_person_has_place_after_each_game(open_view):
    page = open_view("#/ladders")
    page.get_by_role("link", name="Start classic-people").click()
    claim(page, "newcomer")
    begin(page)
    play_to_end(page, type_code)
    place = page.locator("own-place [role=status]")
    expect(place).to_contain_text("over 1 game.")
    guesses = len(replies(page)) or int(re.search(r"\d+", page.locator("match-result h2").inner_text())[0])
    expect(place).to_contain_text("No place yet")
    expect(place).to_contain_text("A rank takes 20 games")
    expect(place).to_contain_text(f"{guesses}.00")
    page.get_by_role("button", name="Start another match").click()
    give_up(page)
    expect(place).to_contain_text("over 2 games.")
    expect(place).to_contain_text(f"{(guesses + 11) / 2:.2f} with it")  # once the luck is measured
    follow(page, "#/server/classic")
    expect(page.locator("player-panel .who strong")).to_have_text("newcomer")  # who came as a guest
    follow(page, "#/ladder/classic-people")
    expect(page.locator(".own")).to_contain_text(["newcomer"])
