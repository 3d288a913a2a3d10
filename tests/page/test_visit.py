"""What `make test` sees of the page in a browser: a game alone and one on the server, a bot, and what others wrote."""

import json
import re
from urllib.parse import quote

from playwright.sync_api import expect

from evilpegs_clients.verification.verify import verify_record
from support.browser import follow
from support.page import local_games, server_games
from support.page.hostile_texts import HOSTILE, RAN
from support.page.local_games import GUESSES, expect_guesses

BARS = "bars => bars.map(bar => bar.firstChild.nextSibling.data.replace(',', ''))"
EVIL_GAVE_IN = "Evil gave in after"


def test_game_by_keyboard_from_first_key_to_next_game(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    page.keyboard.type("1122\n")
    page.locator("reply-bars").wait_for()
    expect(page.locator(".left strong")).to_have_text("256")
    reply = "(0 black, 0 white|0 black, 1 white|1 black, 0 white)"  # the seed decides among equal parts
    said = re.compile(rf"^\s*Guess 1 1 2 2: {reply}\. 256 of 1,296 codes left\.\s*$")
    expect(page.locator("local-board [role=status]").first).to_have_text(said)
    bars = [int(each) for each in page.locator("reply-bars .bar .number").evaluate_all(BARS)]
    assert (sum(bars), bars) == (1296, sorted(bars, reverse=True))
    local_games.play_to_end(page)
    expect(page.locator(".result h2")).to_contain_text("Solved in")
    expect(page.locator(".result")).to_contain_text("evil had to give in.")
    assert page.locator(GUESSES).count() >= 5
    page.get_by_role("button", name="New game").press("Enter")
    page.locator("code-entry").wait_for()
    expect_guesses(page)


def test_server_game_by_mouse_is_solved_and_verified(open_view):
    page = open_view("#/server/classic-practice")
    server_games.begin(page)
    server_games.play_to_end(page, server_games.click_code)
    expect(page.locator("match-result h2")).to_contain_text("Solved in")
    page.locator("record-check .good").wait_for()
    expect(page.get_by_role("link", name="Replay")).to_have_attribute("href", re.compile("^#/match/"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the record").click()
    record = [json.loads(line) for line in saved.value.path().read_text().splitlines()]
    assert (record[0]["type"], record[-1]["type"]) == ("match_started", "match_over")
    assert verify_record(record) == []


def test_bot_plays_against_evil_and_practice_as_guest(open_view):
    page = open_view("#/bots")
    page.locator("#code").fill("function choose(position) { return position.candidates[0]; }")
    page.get_by_role("button", name="Play against evil").click()
    expect(page.locator(".editor > [role=status]")).to_contain_text(EVIL_GAVE_IN)
    expect(page.locator("bot-editor guess-table tbody tr").first).to_contain_text("625")
    page.get_by_text("A match on this server").click()
    page.get_by_role("button", name="Let the bot play").click()
    page.locator("bot-match record-check .good").wait_for()
    expect(page.locator("bot-match match-result h2")).to_contain_text("Solved in")
    replay = page.get_by_role("link", name="Replay")
    before = replay.get_attribute("href")
    page.get_by_role("button", name="Start another match", exact=True).click()
    expect(replay).not_to_have_attribute("href", before)
    page.locator("bot-match record-check .good").wait_for()
    expect(page.get_by_role("button", name="Start another match", exact=True)).to_be_visible()


def test_address_with_hostile_text_runs_nothing(open_view):
    page = open_view()
    for text in [*HOSTILE, HOSTILE[0]]:
        follow(page, f"#/play/{quote(text, safe='')}")
        page.get_by_role("heading", name="These rules cannot be played here").wait_for()
        assert page.evaluate(RAN) is None
    expect(page.locator("play-view .intro")).to_contain_text(HOSTILE[0][:20])
