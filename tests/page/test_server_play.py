"""Games on the server, played in the browser: to their end, through a reload, a cut and another tab."""

import json
import re

import pytest
from playwright.sync_api import expect

from evilpegs_clients.verification.verify import verify_record
from support.browser import follow
from support.page.server_games import (
    CLASSIC,
    begin,
    click_code,
    first_consistent,
    play_to_end,
    replies,
    type_code,
    wait_for_turn,
)


def test_server_game_by_mouse_is_solved_and_verified(open_view):
    page = open_view("#/server/classic-practice")
    begin(page)
    play_to_end(page, click_code)
    expect(page.locator("match-result h2")).to_contain_text("Solved in")
    page.locator("record-check .good").wait_for()
    expect(page.get_by_role("link", name="Replay")).to_have_attribute("href", re.compile("^#/match/"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the record").click()
    record = [json.loads(line) for line in saved.value.path().read_text().splitlines()]
    assert (record[0]["type"], record[-1]["type"]) == ("match_started", "match_over")
    assert verify_record(record) == []


@pytest.mark.full
def test_rated_match_by_keyboard_starts_when_player_says_so(open_view):
    page = open_view("#/nothing")
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(json.loads(frame)["type"])))
    follow(page, "#/server/classic")
    page.get_by_label("New name").fill("keyboarder")
    page.keyboard.press("Enter")
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


@pytest.mark.full
def test_practice_shows_parts_candidates_and_hint(open_view):
    page = open_view("#/server/classic-evil-practice")
    begin(page)
    type_code(page, "1122")
    page.locator("reply-bars li").nth(12).wait_for()
    expect(page.locator(".left strong")).to_have_text("256")
    said = page.locator("server-board [role=status]").first
    expect(said).to_have_text("Guess 1 1 2 2: 0 black, 0 white. 256 codes left.")
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Guess", exact=True).click()
    page.locator("server-board guess-table tbody tr").nth(1).wait_for()
    assert replies(page)[1][0] == "3345"


@pytest.mark.full
def test_practice_is_given_up_after_confirmation(open_view):
    page = open_view("#/server/classic-practice")
    begin(page)
    wait_for_turn(page)
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Keep playing").click()
    wait_for_turn(page)
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up", exact=True).click()
    page.locator("record-check .good").wait_for()
    expect(page.locator("match-result h2")).to_have_text("Given up")
    page.get_by_role("button", name="Start another match").click()
    wait_for_turn(page)
    assert replies(page) == []


@pytest.mark.full
def test_reload_comes_back_to_server_game(open_view):
    page = open_view("#/server/classic-evil-practice")  # no first guess solves it
    begin(page)
    type_code(page, "1122")
    page.locator("server-board guess-table tbody tr").wait_for()
    before = replies(page)
    page.reload()
    wait_for_turn(page)
    assert replies(page) == before
    play_to_end(page, type_code)
    page.locator("record-check .good").wait_for()
    page.reload()
    page.locator("record-check .good").wait_for()
    expect(page.locator("match-result h2")).to_contain_text("Solved in")


@pytest.mark.full
def test_open_match_is_offered_among_ladders(open_view):
    page = open_view("#/server/super-practice")
    begin(page)
    wait_for_turn(page)
    page.get_by_role("link", name="Server").click()
    page.get_by_role("link", name="Continue it").click()
    wait_for_turn(page)


@pytest.mark.full
@pytest.mark.parametrize(("ladder", "has_secret"), [("classic-practice", True), ("classic-evil-practice", False)])
def test_giving_up_shows_a_secret_only_where_there_is_one(open_view, ladder, has_secret):
    page = open_view(f"#/server/{ladder}")
    begin(page)
    wait_for_turn(page)
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Keep playing").wait_for()
    expect(page.locator("server-board dialog p")).to_contain_text("is shown")
    assert ("secret" in page.locator("server-board dialog p").inner_text()) == has_secret


@pytest.mark.full
def test_open_match_on_another_ladder_is_named_and_continued_there(open_view):
    page = open_view("#/server/classic-evil-practice")
    begin(page)
    type_code(page, "1122")
    page.locator("server-board guess-table tbody tr").wait_for()
    follow(page, "#/server/classic-practice")
    expect(page.get_by_text("You have an open match on")).to_contain_text("on classic-evil-practice.")
    page.get_by_role("button", name="Continue it").click()
    expect(page).to_have_url(re.compile("#/server/classic-evil-practice$"))
    page.locator("server-board guess-table tbody tr").wait_for()
    assert [code for code, _ in replies(page)] == ["1122"]


@pytest.mark.full
def test_one_code_left_is_not_many(open_view):
    page = open_view()
    words = page.evaluate(CODES_PANEL)
    assert "1 of 1 code left" in " ".join(words.split())


CODES_PANEL = """async () => {
  const [{ codesPanel }, { render }, { Candidates }, { parseRules }] = await Promise.all([
    importOfPage("components/codes_panel.js"), importOfPage("vendor/lit.js"), importOfPage("game/candidates.js"),
    importOfPage("core/rules.js")]);
  const turns = [1, 2].map((turn) => ({ turn, code: "11", black: 0, white: 0, candidates: 1 }));
  const element = document.createElement("div");
  render(codesPanel({ current: { turns } }, { codemaker: "fixed" }, new Candidates(parseRules("2x2"))), element);
  return element.textContent;
}"""


@pytest.mark.full
def test_second_tab_takes_match_and_first_takes_it_back(open_view):
    first = open_view("#/server/classic-evil-practice")  # no first guess solves it
    begin(first)
    wait_for_turn(first)
    second = first.context.new_page()
    second.goto(first.url)
    wait_for_turn(second)
    type_code(second, "1122")
    second.locator("server-board guess-table tbody tr").wait_for()
    first.get_by_role("button", name="Take it back here").click()
    first.locator("server-board guess-table tbody tr").wait_for()
    assert replies(first) == replies(second)
    second.get_by_role("button", name="Take it back here").wait_for()
    type_code(first, first_consistent(CLASSIC, replies(first)))
    first.locator("server-board guess-table tbody tr").nth(1).wait_for()


@pytest.mark.full
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
    elsewhere.get_by_label("Exported text from another browser").fill(text)
    elsewhere.get_by_role("button", name="Import").click()
    elsewhere.get_by_role("button", name="Use", exact=True).click()
    elsewhere.get_by_role("button", name="Start the match").wait_for()
    expect(elsewhere.locator("player-panel .who strong")).to_have_text("traveller")


@pytest.mark.full
def test_unknown_ladder_is_told_in_words(open_view):
    page = open_view("#/server/nothing")
    page.get_by_text("This server has no such game.").wait_for()


@pytest.mark.full
def test_too_large_ladder_is_not_offered(open_view):
    page = open_view("#/ladders?rules=12x14&codemaker=evil")
    page.get_by_text("Not offered here.").first.wait_for()
    expect(page.get_by_role("link", name="Start colossus-evil")).to_have_count(0)
    expect(page.get_by_text("Loading")).to_have_count(0)


@pytest.mark.full
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


@pytest.mark.full
def test_ladder_of_bots_has_no_large_button(open_view):
    page = open_view("#/server/classic-blitz")
    page.get_by_label("New name").fill("hurried")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start the match").wait_for()
    expect(page.get_by_role("link", name="Start a bot")).to_be_visible()
    expect(page.locator("button.large")).to_have_count(0)
    follow(page, "#/ladder/classic-blitz")
    page.get_by_role("link", name="Start a bot").wait_for()
    expect(page.get_by_role("link", name="Start a match")).to_have_count(0)


@pytest.mark.full
def test_person_has_place_after_each_game(open_view):
    page = open_view("#/ladders")
    page.get_by_role("link", name="Start classic-people").click()
    page.get_by_label("New name").fill("newcomer")
    page.keyboard.press("Enter")
    begin(page)
    play_to_end(page, type_code)
    place = page.locator("own-place [role=status]")
    expect(place).to_contain_text("over 1 game.")
    guesses = len(replies(page)) or int(re.search(r"\d+", page.locator("match-result h2").inner_text())[0])
    expect(place).to_contain_text("Place (1) of 1")
    expect(place).to_contain_text(f"({guesses}.00)")
    page.get_by_role("button", name="Start another match").click()
    wait_for_turn(page)
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up", exact=True).click()
    expect(place).to_contain_text("over 2 games.")
    expect(place).to_contain_text(f"({(guesses + 11) / 2:.2f})")
    follow(page, "#/server/classic")
    expect(page.locator("player-panel .who strong")).to_have_text("newcomer")  # who came as a guest
    follow(page, "#/ladder/classic-people")
    expect(page.locator(".own")).to_contain_text(["newcomer"])
