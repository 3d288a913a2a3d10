"""Text of others is text, never markup, and a page that does something wrong is noticed."""

import json
from urllib.parse import quote

import pytest

from support.page.hostile_texts import HOSTILE, RAN


def test_address_with_hostile_text_runs_nothing(open_view):
    page = open_view()
    for text in HOSTILE:
        page.evaluate("address => { location.hash = address; }", f"#/play/{quote(text, safe='')}")
    page.evaluate("address => { location.hash = address; }", f"#/play/{quote(HOSTILE[0], safe='')}")
    page.get_by_role("heading", name="These rules cannot be played here").wait_for()
    assert HOSTILE[0][:20] in page.locator("play-view .intro").inner_text()
    assert page.evaluate(RAN) is None


@pytest.mark.full
def test_stored_hostile_text_runs_nothing(open_view):
    page = open_view("#/nothing")
    for text in HOSTILE[:8]:
        stored = json.dumps({"rules": text, "codemaker": "evil", "limit": 10, "guesses": [text]})
        page.evaluate("text => localStorage.setItem('evilpegs.game.4x6-evil', text)", stored)
        page.evaluate("text => localStorage.setItem('evilpegs.theme', text)", text)
        page.goto(page.url)
        page.reload()
        page.locator("main h1").wait_for()
        assert page.evaluate(RAN) is None


@pytest.mark.full
def test_inline_script_style_and_foreign_request_are_noticed(watch):
    """The control of every test of the page."""
    watched = watch()
    page = watched.open()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    page.evaluate("fetch('http://192.0.2.1/').catch(() => 0)")
    assert page.evaluate("window.ran") is None
    problems = "\n".join(watched.problems)
    assert all(f"policy violated: {each}" in problems for each in ("style-src-attr", "script-src-elem", "connect-src"))


@pytest.mark.full
def test_request_to_other_machine_is_noticed(watch):
    """A control too."""
    watched = watch(bypass_csp=True)
    watched.open().evaluate("fetch('http://127.0.0.9:1/').catch(() => 0)")
    with pytest.raises(AssertionError):
        watched.check()
    assert "127.0.0.9" in watched.hosts
