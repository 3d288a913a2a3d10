"""Screenshots of every view at a phone's and a desk's width, in both themes, kept in tests/page/artifacts to look at.

A view must not be wider than the screen.
"""

import pytest

from support.browser import ARTIFACTS

pytestmark = pytest.mark.full
SCREENS = [(theme, width) for theme in ("light", "dark") for width in (360, 1280)]
VIEWS = {"daily": "daily", "large": "play/6x10-fixed", "wide": "play/12x2", "no-rules": "play/x"}
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
    site = page.url.partition("#")[0]
    take("not-found")
    page.goto(f"{site}#/")
    page.locator("code-entry").wait_for()
    take("first")
    for name, code in (("first-guess", "1122"), ("second-guess", "1344"), ("few-left", "3526")):
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        take(name)
    for _ in range(7):
        page.keyboard.type("1122")
        page.keyboard.press("Enter")
    page.locator(".result").wait_for()
    take("not-solved")
    for name, address in (
        ("daily", "daily"),
        ("large", "play/6x10-fixed"),
        ("wide", "play/12x2"),
        ("no-rules", "play/x"),
    ):
        page.goto(f"{site}#/{address}")
        page.locator("main h1").first.wait_for()
        page.keyboard.type("121212121212")
        page.keyboard.press("Enter")
        take(name)
