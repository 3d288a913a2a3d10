"""The documents in the page: their list, one of each, and the addresses of their parts."""

import pytest
from playwright.sync_api import expect

from evilpegs.commands.docs import FOLDER
from support.browser import follow, look

pytestmark = pytest.mark.full
PROTOCOL = (FOLDER / "protocol/README.md").read_text()
WIDER = "element => element.scrollWidth > element.clientWidth"


def test_all_documents_are_listed_and_shown(open_view):
    page = open_view("#/docs")
    names = {path.stem for path in (FOLDER / "docs").glob("*.md")} | {"protocol"}
    links = page.locator("documents-view li a")
    expect(links).to_have_count(len(names))
    titles = dict(
        zip(links.evaluate_all("all => all.map((link) => link.hash)"), links.all_text_contents(), strict=True)
    )
    assert titles.keys() == {f"#/docs/{name}" for name in names}
    look(page, "documents")
    for address, title in titles.items():
        follow(page, address)
        expect(page.get_by_role("heading", level=1)).to_have_text(title.replace("`", ""))
        assert page.locator("article p").first.is_visible()


def test_unknown_document_says_so(open_view):
    page = open_view("#/docs/nothing")
    expect(page.get_by_role("alert")).to_have_text("No document is called nothing.")
    page.get_by_role("link", name="All documents").click()
    expect(page.get_by_role("link", name="A tour of evilpegs")).to_be_visible()


def test_link_to_another_document_leads_to_its_part(open_view):
    page = open_view("#/docs/strategies")
    link = page.locator('article a[href^="#/docs/"][href*="?part="]:not([href^="#/docs/strategies"])').first
    address = link.get_attribute("href")
    link.click()
    expect(page.locator(f"[id='{address.partition('=')[2]}']")).to_be_focused()


def test_pictures_are_loaded(open_view):
    page = open_view("#/docs/scoring")
    picture = page.locator("article img")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    look(page, "document")


@pytest.mark.parametrize("address", ["#/protocol", "#/docs/protocol"])
def test_protocol_is_shown_at_its_part(open_view, address):
    page = open_view(f"{address}?part=errors")
    headings = [line.lstrip("# ") for line in PROTOCOL.splitlines() if line.startswith("## ")]
    expect(page.locator("article h2")).to_have_text(headings)
    tables = [line for line in PROTOCOL.splitlines() if line.startswith("|---")]
    expect(page.locator("article table")).to_have_count(len(tables))
    expect(page.locator("#errors")).to_be_focused()
    expect(page.locator("#errors")).to_be_in_viewport()
    assert not any("**" in text for text in page.locator("article p, article li").all_inner_texts())
    for other in (address, f"{address}?part=", f'{address}?part="]x'):
        follow(page, other)
        expect(page.locator("article h1")).to_be_in_viewport()
    page.set_viewport_size({"width": 360, "height": 740})  # where tables scroll in their boxes
    assert page.locator("article .scroll:has(table)").first.evaluate(WIDER)
    assert not page.locator("html").evaluate(WIDER)
