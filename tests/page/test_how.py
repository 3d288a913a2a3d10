"""How to play, and the header's links to it and to the results."""

import pytest
from playwright.sync_api import expect

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import feedback
from evilpegs_game.rules import Rules
from support.browser import follow, look

pytestmark = pytest.mark.full
CODES = "figure:nth-child(2) p .pegs .hidden"
MARKS = "figure:nth-child(2) dd .feedback .hidden"
LINES = """() => [...document.querySelectorAll("nav")].map((nav) =>
  new Set([...nav.querySelectorAll("a")].map((link) => Math.round(link.getBoundingClientRect().top))).size)"""
CENTERS = """() => [".name", "nav:not(.more)", ".more", "theme-switch"].map((part) => {
  const { top, bottom } = document.querySelector(part).getBoundingClientRect();
  return Math.round((top + bottom) / 2);
})"""
HEIGHTS = """() => [...document.querySelectorAll("nav a")].map((link) => link.getClientRects().length)"""


def test_pictures_explain_marks_on_one_example(open_view):
    page = open_view("#/how", reduced_motion="reduce")
    expect(page.locator("how-view figure")).to_have_count(3)
    code, guess = (text.replace(" ", "") for text in page.locator(CODES).all_text_contents())
    rules = Rules.parse("4x6")
    black, white = feedback(parse_code(guess, rules), parse_code(code, rules))
    expect(page.locator("figure:nth-child(2) p .feedback .hidden")).to_have_text(f"{black} black, {white} white")
    marks = page.locator(MARKS).all_text_contents()
    assert (marks.count("1 black, 0 white"), marks.count("0 black, 1 white"), len(marks)) == (black, white, 4)
    expect(page.locator("figure:nth-child(2) dt .hidden")).to_have_text(list(guess))
    expect(page.locator("figure:nth-child(3) tbody tr").last).to_contain_text(" ".join(code))
    look(page, "how")


def test_documents_that_are_named_exist(open_view):
    page = open_view("#/how")
    page.locator("#documents").wait_for()
    named = page.locator("#documents ~ ul a").evaluate_all("all => all.map((link) => link.hash)")
    assert len(named) > 4
    for address in [*named, "#/docs"]:
        follow(page, address)
        page.locator("main > document-view article, main > documents-view li").first.wait_for()


def test_header_leads_to_help_and_results_by_keyboard(open_view):
    page = open_view(viewport={"width": 360, "height": 640})
    page.locator("code-entry").wait_for()
    page.get_by_role("navigation").get_by_role("link", name="How to play").press("Enter")
    page.get_by_role("heading", name="How to play").wait_for()
    expect(page.locator("nav [aria-current]")).to_have_attribute("href", "#/how")
    page.get_by_role("link", name="Results").press("Enter")
    page.get_by_role("heading", name="Your results").wait_for()
    expect(page.locator("nav [aria-current]")).to_have_text("Results")
    page.get_by_role("navigation").get_by_role("link", name="Play", exact=True).press("Enter")
    page.locator("[slot=opening]").get_by_role("link", name="How to play").press("Enter")
    page.get_by_role("heading", name="How to play").wait_for()


@pytest.mark.parametrize("width", [360, 390, 800, 844, 900, 1024, 1150, 1180, 1280, 1920])
def test_links_of_header_stay_in_one_line(open_view, width):
    page = open_view("#/how", viewport={"width": width, "height": 640})
    page.locator("how-view h1").wait_for()
    assert page.evaluate(LINES) == [1, 1]
    assert set(page.evaluate(HEIGHTS)) == {1}
    name, views, *others = page.evaluate(CENTERS)
    assert others == [name, name]
    assert (views == name) == (width > 640)  # on a phone they have the line below
