"""Screenshots of every view at three widths, in both themes and with forced colors, to look at in tests/page/artifacts.

A view must not be wider than the screen. Rounds are in test_rounds.py, which has a server with some.
"""

import json

import pytest
from playwright.sync_api import expect

from support.browser import ARTIFACTS, follow, theme_options
from support.page.played_matches import open_match

pytestmark = pytest.mark.full
SCREENS = [(theme, width) for theme in ("light", "dark", "forced") for width in (360, 1280, 1920)]
BOARDS = {"daily": "daily/2026-11-22", "large": "play/6x10-fixed", "wide": "play/12x2"}
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ON_SCREENS = pytest.mark.parametrize("shoot", SCREENS, indirect=True, ids=lambda screen: f"{screen[0]}-{screen[1]}")
RESULTS = {"4x6-evil a": 5, "4x6-evil b": 0, "5x8-fixed c": 7, "4x6-evil daily 2026-12-19": 6}
ADVICE = "#/replay/4x6-fixed?guesses=1122-1122-5316&seed=friend&v=1"


@pytest.fixture
def shoot(open_view, request):
    theme, width = request.param
    page = open_view("#/nothing", **theme_options(theme))
    page.set_viewport_size({"width": width, "height": 740 if width < 600 else 900})
    ARTIFACTS.mkdir(exist_ok=True)

    def shoot(name):
        page.screenshot(path=ARTIFACTS / f"{name}-{width}-{theme}.png", full_page=True)
        assert page.evaluate(WIDER) == 0, name

    return page, shoot


@ON_SCREENS
def test_local_games_fit_every_screen(shoot):
    page, take = shoot
    page.locator("not-found-view h1").wait_for()
    take("not-found")
    follow(page, "#/")
    page.locator("code-entry").wait_for()
    take("first")
    rows = page.locator("guess-table tbody tr")
    for turn, (name, code) in enumerate((("first-guess", "1122"), ("second-guess", "1344"), ("few-left", "3526"))):
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        rows.nth(turn).wait_for()
        take(name)
    for turn in range(3, 10):
        page.keyboard.type("1122")
        page.keyboard.press("Enter")
        rows.nth(turn).wait_for()
    page.locator(".result").wait_for()
    take("not-solved")
    for name, address in BOARDS.items():
        follow(page, f"#/{address}")
        page.locator("code-entry").wait_for()
        page.keyboard.type("121212121212")
        page.keyboard.press("Enter")
        rows.nth(1 if name == "daily" else 0).wait_for()
        page.locator("reply-bars").wait_for()
        take(name)
    follow(page, "#/daily/2026-11-22")
    page.get_by_text("Challenge a friend").click()
    page.get_by_text("Earlier days").click()
    page.locator(".days li").nth(27).wait_for()
    take("daily-archive")
    follow(page, "#/play/4x6-evil?seed=friend&v=1")
    page.locator("code-entry").wait_for()
    take("challenge")
    follow(page, "#/play/4x6-evil?seed=friend&v=2")
    page.locator("play-view h1").wait_for()
    take("unknown-version")
    follow(page, "#/play/x")
    page.locator("play-view h1").wait_for()
    take("no-rules")


@ON_SCREENS
def test_views_of_server_fit_every_screen(shoot, server, played):
    page, take = shoot
    page.evaluate("text => localStorage.setItem('evilpegs.results', text)", json.dumps(RESULTS))
    match = played["minimax", "classic-evil"]
    for name, address, awaited in (
        ("results", "#/results", ".sums strong"),
        ("assist-empty", "#/assist", "assist-view [aria-busy=false]"),
        ("assist", "#/assist/4x6?turns=1122:1,0;3344:0,2&v=1", "[aria-label='Codes left'] .pegs >> nth=23"),
        ("assist-clash", "#/assist/4x6?turns=1111:4,0;2222:0,0;1122:0,0&v=1", "assist-view [aria-busy=false]"),
        ("local-replay", f"{ADVICE}&guess=2", ".regret"),
        ("leaderboard", "#/ladder/classic", "result-charts svg"),
        ("player", "#/player/minimax", "player-view match-list tbody tr"),
        ("compare", "#/player/minimax?ladder=classic&against=first-consistent", "player-view result-charts svg"),
        ("matches", "#/matches", "match-list tbody tr"),
        ("replay", f"#/match/{match}?game=2&guess=2", ".regret"),
        ("verify", "#/verify", ".drop"),
        ("bots", "#/bots", "#code"),
        ("protocol", "#/protocol", "article table"),
        ("ladders", "#/ladders", "ladders-view a.button"),
        ("lobby", "#/server/classic-practice", "button.large"),
    ):
        follow(page, address)
        page.locator(awaited).first.wait_for()
        take(name)
    with open_match(server, "classic-evil-practice") as live:
        live.guess("1122")
        follow(page, "#/watch")
        page.locator("watch-view li").first.wait_for()
        take("watch")
        live.resign()
    follow(page, "#/bots")
    page.get_by_role("button", name="Try all 1,296 secrets").click()
    expect(page.locator(".editor > [role=status]")).to_contain_text("Mean")
    take("bots-tried")
    follow(page, "#/play/4x6-fixed?seed=friend&v=1")
    rows = page.locator("guess-table tbody tr")
    page.locator("code-entry").wait_for()
    for turn, code in enumerate(("1122", "1122", "5316")):  # the secret of this seed, after a guess that brings nothing
        page.keyboard.type(f"{code}\n")
        rows.nth(turn).wait_for()
        if turn == 0:
            page.get_by_role("button", name="Hints: off").click()
            expect(page.locator("game-advice p").first).to_contain_text("The best play is")
            take("hint")
            page.get_by_role("button", name="Hints: on").click()
    expect(page.locator("game-advice p", has_text="cost")).to_contain_text("on average")
    take("advice")
