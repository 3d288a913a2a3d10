"""Screenshots of every view at a phone's and a desk's width, in both themes, kept in tests/page/artifacts to look at.

A view must not be wider than the screen.
"""

import pytest

from support.browser import ARTIFACTS, follow

pytestmark = pytest.mark.full
SCREENS = [(theme, width) for theme in ("light", "dark") for width in (360, 1280)]
BOARDS = {"daily": "daily/2026-11-22", "large": "play/6x10-fixed", "wide": "play/12x2"}
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def shoot(open_view, request):
    theme, width = request.param
    page = open_view("#/nothing", color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 740 if width < 600 else 900})
    ARTIFACTS.mkdir(exist_ok=True)

    def shoot(name):
        page.screenshot(path=ARTIFACTS / f"{name}-{width}-{theme}.png", full_page=True)
        assert page.evaluate(WIDER) == 0, name

    return page, shoot


@pytest.mark.parametrize("shoot", SCREENS, indirect=True, ids=lambda screen: f"{screen[0]}-{screen[1]}")
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
