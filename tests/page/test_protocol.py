"""The protocol in the page: `protocol/README.md` rendered, and the view that shows it."""

import re
from html.parser import HTMLParser

import pytest
from playwright.sync_api import expect

from support.browser import follow
from tools.protocol_page import RENDERED, SOURCE, render

PROTOCOL = SOURCE.read_text()


class Texts(HTMLParser):
    """The tags of an HTML text, and the words between them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += re.findall(r"\w+", data)


def test_protocol_of_page_is_that_of_repository():
    assert RENDERED.read_text() == render(PROTOCOL)


def test_protocol_of_page_has_only_plain_tags():
    tags = Texts(RENDERED.read_text()).tags
    text = {"p", "ul", "ol", "li", "pre", "code", "strong", "em", "h1", "h2", "h3", "nav", "a"}
    assert {tag for tag, _ in tags} <= text | {"div", "table", "thead", "tbody", "tr", "th", "td"}
    named = {name for _, attributes in tags for name in attributes}
    assert named <= {"id", "tabindex", "class", "role", "aria-label", "scope", "href"}
    assert all(attributes.get("href", "#/").startswith(("#/", "https://")) for _, attributes in tags)


def test_protocol_loses_no_word():
    source = re.sub(r"\]\([^)]*\)|^```\w*|^\d+\.", " ", PROTOCOL, flags=re.MULTILINE)
    words = Texts(re.sub("<nav.*</nav>", "", render(PROTOCOL), flags=re.DOTALL)).words
    assert words == re.findall(r"\w+", source)


def test_markup_in_text_is_shown_as_text():
    html = render("# <b>\n\n<script>x</script> [f](g.md) [x](javascript:x) [e](https://example.org)\n\n    <i>\n")
    found = Texts(html)
    assert [tag for tag, _ in found.tags] == ["h1", "nav", "p", "a", "pre", "code"]
    assert dict(found.tags)["a"] == {"href": "https://example.org"}
    assert found.words == ["b", "script", "x", "script", "f", "x", "e", "i"]


def test_parts_are_linked_and_wide_blocks_scroll():
    tags = Texts(render("# T\n\n## One `x`, two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```json\n{}\n```\n")).tags
    assert [attributes["href"] for tag, attributes in tags if tag == "a"] == ["#/protocol?part=one-x-two"]
    assert [attributes["id"] for tag, attributes in tags if tag == "h2"] == ["one-x-two"]
    assert [attributes for tag, attributes in tags if tag == "th"] == [{"scope": "col"}] * 2
    boxes = [attributes for tag, attributes in tags if tag in {"div", "pre"}]
    assert [(box["role"], box["tabindex"], box["aria-label"]) for box in boxes] == [
        ("region", "0", "Table 1"),
        ("region", "0", "Example 1"),
    ]
    assert not [attributes for _, attributes in tags if "style" in attributes]


@pytest.mark.full
def test_protocol_is_shown_at_its_part(open_view):
    page = open_view("#/protocol?part=errors")
    headings = [line.lstrip("# ") for line in PROTOCOL.splitlines() if line.startswith("## ")]
    expect(page.locator("article h2")).to_have_text(headings)
    tables = [line for line in PROTOCOL.splitlines() if line.startswith("|---")]
    expect(page.locator("article table")).to_have_count(len(tables))
    expect(page.locator("#errors")).to_be_focused()
    expect(page.locator("#errors")).to_be_in_viewport()
    assert not any("**" in text for text in page.locator("article p, article li").all_inner_texts())
    for address in ("#/protocol", "#/protocol?part=", '#/protocol?part="]x'):
        follow(page, address)
        expect(page.locator("article h1")).to_be_in_viewport()
    page.set_viewport_size({"width": 360, "height": 740})  # where tables scroll in their boxes
    wider = "element => element.scrollWidth > element.clientWidth"
    assert page.locator("article .scroll").first.evaluate(wider)
    assert not page.locator("html").evaluate(wider)
