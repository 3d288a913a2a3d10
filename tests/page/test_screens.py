"""Every view that needs no game on the server: it fits three screens, and axe finds nothing in either theme.

The screenshots are in tests/page/artifacts, to look at. Other views are in the tests of what they do.
"""

import pytest
from playwright.sync_api import expect

from support.browser import axe_violations, follow, look
from support.page.local_games import ROWS, play
from support.page.record_files import HONEST, record_file

pytestmark = pytest.mark.full
FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return [element.localName, getComputedStyle(element).outlineStyle];
}"""


def test_local_games_fit_every_screen(open_view):
    page = open_view(reduced_motion="reduce")
    page.locator("code-entry").wait_for()
    look(page, "first")
    for name, code in (("first-guess", "1122"), ("second-guess", "1344"), ("few-left", "3526")):
        play(page, code)
        if name == "few-left":
            for summary in ("code-list summary", "text=Other rules", "text=Challenge a friend"):
                page.locator(summary).first.click()
        look(page, name)
    page.locator(".slots").focus()
    play(page, *["1122"] * 7)
    page.locator(".result").wait_for()
    look(page, "not-solved")
    for name, address in {"large": "play/6x10-fixed", "wide": "play/12x2"}.items():
        follow(page, f"#/{address}")
        play(page, "121212121212" if name == "wide" else "121212")
        page.locator("reply-bars").wait_for()
        look(page, name)


def test_game_of_day_fits_every_screen(open_view):
    page = open_view("#/daily/2026-11-22", reduced_motion="reduce")
    expect(page.locator(ROWS)).to_have_count(1)
    page.locator(".slots").focus()
    play(page, *["1122"] * 9)
    page.locator(".result").wait_for()
    page.get_by_text("Challenge a friend").click()
    page.get_by_text("Earlier days").click()
    page.locator(".days li").first.wait_for()
    look(page, "daily-archive")


def test_views_without_a_server_fit_every_screen(open_view):
    page = open_view("#/", reduced_motion="reduce")
    for name, address, awaited in (
        ("not-found", "nothing", "not-found-view h1"),
        ("daily", "daily", "code-entry"),
        ("challenge", "play/4x6-evil?seed=friend&v=1", "code-entry"),
        ("every-color", "play/1x34", ".key >> nth=33"),
        ("unknown-version", "play/4x6-evil?seed=friend&v=2", "play-view h1"),
        ("no-rules", "play/<b>", "play-view h1"),
        ("too-large", "play/9x9", "play-view h1"),
        ("no-day", "daily/2026-11-31", "daily-view h1"),
        ("rounds-none", "rounds", "rounds-view h1"),
        ("protocol", "protocol", "article table"),
        ("verify", "verify", ".drop"),
    ):
        follow(page, f"#/{address}")
        page.locator(awaited).first.wait_for()
        look(page, name)
    page.get_by_label("choose its file").set_input_files(record_file(HONEST["evil"]))
    page.locator("record-check .good").wait_for()
    page.get_by_text("What was checked").click()
    page.keyboard.press("ArrowRight")
    page.locator("guess-worth").wait_for()
    look(page, "verified")


def test_views_of_results_fit_every_screen(open_view, analyzed):
    page = open_view("#/nothing", reduced_motion="reduce")
    match = analyzed["minimax", "classic-evil"]
    for name, address, awaited in (
        ("leaderboard", "ladder/classic", "result-charts svg"),
        ("leaderboard-empty", "ladder/huge-evil", "leaderboard-view copy-text"),
        ("player", "player/minimax", "player-view match-list tbody tr"),
        ("compare", "player/minimax?ladder=classic&against=first-consistent", "player-view result-charts svg"),
        ("matches", "matches", "match-list tbody tr"),
        ("replay", f"match/{match}?game=2&guess=2", ".regret"),
        ("replay-end", f"match/{match}?game=2&guess=5", ".ending"),
    ):
        follow(page, f"#/{address}")
        page.locator(awaited).first.wait_for()
        look(page, name)


def test_violation_and_wide_view_are_noticed(open_view):
    """The control of the tests above, and of all that look at the page."""
    page = open_view("#/nothing")
    page.locator("not-found-view h1").wait_for()
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert any(each.startswith("image-alt") for each in axe_violations(page))
    page.evaluate("document.querySelector('main img').style.width = '2000px'")
    with pytest.raises(AssertionError, match="control"):
        look(page, "control")


def test_every_focus_is_visible(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert all(outline != "none" for name, outline in seen if name != "body")
    assert len({name for name, _ in seen}) >= 3
