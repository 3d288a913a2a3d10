"""Statistics of the page's own games, sharing, and motion."""

import json
import re

import pytest
from playwright.sync_api import expect

from support.browser import follow, look
from support.page.local_games import play, play_to_end

pytestmark = pytest.mark.full
SUMS = ".sums strong"
ADD = "Add from a file"
RESULTS = {"4x6-evil a": 5, "4x6-evil b": 0, "5x8-fixed c": 7, "4x6-evil daily 2026-12-19": 6}
FRIEND = "#/play/4x6-fixed?seed=friend&v=1"
SECRET = "5316"  # as Python derives it
STORE = "text => localStorage.setItem('evilpegs.results', text)"
SHARE = "navigator.share = async (data) => { window.shared = data; if (window.isRefused) throw new Error('no'); }"
NAME = "part => getComputedStyle(part).animationName"


def open_results(open_view, results):
    """Open the statistics on 2026-12-20, two hours before midnight."""
    page = open_view("#/nothing", timezone_id="Europe/Berlin")
    page.clock.install(time="2026-12-20T22:00:00+01:00")
    page.clock.pause_at("2026-12-20T22:00:01+01:00")
    page.evaluate(STORE, json.dumps(results))
    follow(page, "#/results")
    page.locator("results-view h1").wait_for()
    return page


def file_of(text):
    return {"name": "results.json", "mimeType": "application/json", "buffer": text.encode()}


def test_finished_game_counts_once(open_view):
    page = open_view(FRIEND)
    play(page, "1122", SECRET)
    page.get_by_role("button", name="Same game again").click()
    page.locator(".slots").focus()
    play(page, SECRET)
    expect(page.locator(".result h2")).to_have_text("Solved in 1 guess")
    page.get_by_role("link", name="Your results").click()
    expect(page.locator(SUMS).first).to_have_text("1")
    row = page.get_by_role("region", name="4x6-fixed").locator("tbody tr")
    expect(row).to_have_text([re.compile(r"^\s*2\s+1\s*$")])


def test_game_of_day_makes_streak(open_view):
    page = open_results(open_view, RESULTS)
    expect(page.locator(SUMS)).to_have_text(["4", "3", "1 day", "1:59:59"])
    follow(page, "#/daily")
    play_to_end(page)
    expect(page.locator("local-board turn-time, daily-view turn-time")).to_have_text("1:59:59")
    page.clock.run_for(2_000)
    expect(page.locator("daily-view turn-time")).to_have_text("1:59:57")
    page.get_by_role("link", name="Your results").click()
    expect(page.locator(SUMS)).to_have_text(["5", "4", "2 days", "1:59:57"])
    page.clock.resume()  # axe waits
    look(page, "results")


def test_results_move_to_another_browser_by_file(open_view):
    page = open_results(open_view, RESULTS)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    text = saved.value.path().read_text()
    other = open_results(open_view, {"4x6-evil a": 9})
    other.get_by_label(ADD).set_input_files(file_of(text))
    expect(other.get_by_role("status")).to_have_text("3 games added.")
    expect(other.locator(SUMS).first).to_have_text("4")
    kept = json.loads(other.evaluate("localStorage.getItem('evilpegs.results')"))
    assert kept == RESULTS | {"4x6-evil a": 9}
    for nonsense in ("", "{", '{"format": "other"}', "\0"):
        other.get_by_label(ADD).set_input_files(file_of(nonsense))
        expect(other.get_by_role("alert")).to_contain_text("not a file of results")
        other.get_by_label(ADD).set_input_files(file_of(text))  # so that each is seen to come
        expect(other.get_by_role("alert")).to_have_count(0)
        expect(other.locator(SUMS).first).to_have_text("4")


def test_broken_storage_is_empty(open_view):
    page = open_results(open_view, RESULTS)
    for stored in ("{", "null", "7", '{"<b>": 1}', '{"4x6-evil a": "5"}'):
        follow(page, "#/nothing")
        page.evaluate(STORE, stored)
        follow(page, "#/results")
        expect(page.locator(SUMS)).to_have_text(["0", "0", "0 days", "1:59:59"])
        expect(page.get_by_role("button", name="Save as a file")).to_be_disabled()


def test_result_is_shared_with_its_link_where_browser_can(open_view):
    page = open_view("#/nothing")
    page.evaluate("delete Navigator.prototype.share")
    follow(page, FRIEND)
    play(page, SECRET)
    expect(page.get_by_role("button", name="Copy").first).to_be_visible()
    expect(page.get_by_role("button", name="Share")).to_have_count(0)
    follow(page, "#/nothing")
    page.evaluate(SHARE)
    follow(page, FRIEND)
    share = page.locator(".result, local-board").get_by_role("button", name="Share").first
    share.click()
    page.wait_for_function("() => window.shared")
    text = page.get_by_label("Your result to share").input_value()
    assert page.evaluate("window.shared") == {"text": text}
    assert text.endswith(FRIEND)
    page.evaluate("window.isRefused = true")
    share.click()
    expect(page.get_by_text("copy the text instead")).to_be_visible()


@pytest.mark.parametrize(
    ("motion", "names"), [("no-preference", ["pop", "hop", "grow"]), ("reduce", ["none", "none", "none"])]
)
def test_reply_and_win_move_unless_motion_is_reduced(open_view, motion, names):
    page = open_view(FRIEND, reduced_motion=motion)
    play(page, "1122")
    bar = page.locator("reply-bars .bar i").first
    bar.wait_for()
    grow = bar.evaluate(NAME)
    play(page, SECRET)
    page.locator(".result").wait_for()
    pop = page.locator("guess-table tr:last-child .feedback i").first.evaluate(NAME)
    hop = page.locator("guess-table .solved .peg").first.evaluate(NAME)
    assert [pop, hop, grow] == names
    expect(page.locator("guess-table .solved")).to_have_count(1)
