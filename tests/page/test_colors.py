"""Colors that mean something are seen in browsers without light-dark(), and where the system forces its colors."""

import pytest
from playwright.sync_api import expect

from support.browser import CHROMIUM, FLAGS, follow, show_theme
from support.page.local_games import play

pytestmark = pytest.mark.full
PARTS = {
    "peg": (".key .peg", "backgroundColor"),
    "black mark": ("reply-bars i.black", "backgroundColor"),
    "ring of black mark": ("reply-bars i.black", "borderTopColor"),
    "white mark": ("reply-bars i.white", "backgroundColor"),
    "ring of white mark": ("reply-bars i.white", "borderTopColor"),
    "bar": ("reply-bars li:not(.taken) .bar i", "backgroundColor"),
    "bar of reply": ("reply-bars li.taken .bar i", "backgroundColor"),
    "button": (".actions .primary", "backgroundColor"),
    "words of button": (".actions .primary", "color"),
    "ring of other button": (".actions button:not(.primary)", "borderTopColor"),
    "peg that is marked": (".slot.cursor", "borderTopColor"),
    "other peg": (".slot:not(.cursor)", "borderTopColor"),
    "page": ("body", "backgroundColor"),
    "text": ("local-board .heading strong", "color"),
}
CLEAR = "rgba(0, 0, 0, 0)"
ORANGE = "rgb(230, 159, 0)"
READ = "(part, name) => getComputedStyle(part)[name]"
FONT_SIZE = "part => parseFloat(getComputedStyle(part).fontSize)"
SHADOW = "part => getComputedStyle(part).boxShadow"


def make_guess(page):
    """Make a guess, and have the next one ready to be played."""
    play(page, "1122")
    page.locator("reply-bars").wait_for()
    page.keyboard.type("1345")
    expect(page.locator(".actions .primary")).to_be_enabled()


def shown_colors(page):
    return {name: page.locator(part).first.evaluate(READ, style) for name, (part, style) in PARTS.items()}


def without_light_dark(page):
    """Serve a style sheet in which the function is one that no browser knows."""

    def change(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("light-dark(", "unknown("))

    page.route("**/style.css", change)
    page.reload()


def test_marks_have_one_meaning_in_every_theme(open_view):
    page = open_view(reduced_motion="reduce")
    make_guess(page)
    shown = {}
    for scheme in ("light", "dark"):
        show_theme(page, scheme)
        shown[scheme] = colors = shown_colors(page)
        assert colors["black mark"] == colors["ring of black mark"] == colors["text"]
        assert (colors["white mark"], colors["ring of white mark"]) == (CLEAR, colors["text"])
    assert shown["light"]["text"] != shown["dark"]["text"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, forced_colors="active")
        colors = shown_colors(page)
        canvas, text = colors["page"], colors["text"]
        assert canvas != text
        assert colors["peg"] == ORANGE
        assert (colors["black mark"], colors["ring of black mark"]) == (text, text)
        assert (colors["white mark"], colors["ring of white mark"]) == (CLEAR, text)
        assert colors["bar"] == text
        assert colors["bar of reply"] == colors["button"] == colors["peg that is marked"]
        assert len({canvas, text, colors["button"]}) == 3
        assert colors["words of button"] != colors["button"]
        assert colors["ring of other button"] != canvas
        assert colors["other peg"] == CLEAR
    follow(page, "#/ladders")
    chosen = page.locator(".chip[aria-current]").first
    chosen.wait_for()
    assert "inset" in chosen.evaluate(SHADOW)
    follow(page, "#/assist/4x6?turns=1111:4,0;2222:0,0;1122:0,0&v=1")
    clash = page.locator(".clash td").first
    clash.wait_for()
    assert "inset" in clash.evaluate(SHADOW)


def test_browser_without_light_dark_shows_light_theme(open_view):
    page = open_view("#/play/4x6?seed=friend&v=1", color_scheme="light", reduced_motion="reduce")
    make_guess(page)
    usual = shown_colors(page)
    assert usual["bar"] != usual["bar of reply"] != usual["page"]
    show_theme(page, "dark")
    follow(page, "#/bots")
    without_light_dark(page)
    expect(page.locator("theme-switch")).to_have_css("visibility", "hidden")
    follow(page, "#/play/4x6?seed=friend&v=1")
    page.locator("reply-bars").wait_for()
    page.keyboard.type("1345")
    expect(page.locator(".actions .primary")).to_be_enabled()
    assert shown_colors(page) == usual


@pytest.mark.parametrize("chosen", ["system", "dark"])
def test_paper_is_light_and_keeps_marks_pegs_and_bars(open_view, chosen):
    page = open_view(color_scheme="light", reduced_motion="reduce")
    make_guess(page)
    usual = shown_colors(page)
    if chosen == "dark":
        page.get_by_role("button", name="Use the dark theme").click()
    page.emulate_media(color_scheme="dark")
    assert shown_colors(page)["text"] != usual["text"]
    page.emulate_media(media="print", color_scheme="dark")
    assert shown_colors(page) == usual
    for part in ("guess-table .peg", "reply-bars i.black", "reply-bars .bar i", "reply-bars .taken .bar i"):
        expect(page.locator(part).first).to_have_css("print-color-adjust", "exact")
    expect(page.locator("body")).to_have_css("print-color-adjust", "economy")


def test_page_follows_the_font_size_of_the_browser(browser, server):
    sizes = {}
    for chosen in (16, 24):
        flags = [*FLAGS, f"--blink-settings=defaultFontSize={chosen}"]
        own = browser.browser_type.launch(executable_path=CHROMIUM, args=flags)
        page = own.new_page(viewport={"width": 1280, "height": 800})
        page.goto(server.site_url)
        page.locator("code-entry").wait_for()
        sizes[chosen] = [page.locator(part).first.evaluate(FONT_SIZE) for part in ("body", "local-board .heading")]
        own.close()
    assert sizes[16][0] == pytest.approx(16.5, abs=0.2)
    grown = [large / small for large, small in zip(sizes[24], sizes[16], strict=True)]
    assert grown == pytest.approx([24 / 16.5] * 2, abs=0.05)
