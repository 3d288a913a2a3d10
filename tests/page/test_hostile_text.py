"""Text of others is text, never markup, and a page that does something wrong is noticed."""

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.hostile_texts import HOSTILE, RAN


def test_address_with_hostile_text_runs_nothing(open_view):
    page = open_view()
    for text in [*HOSTILE, HOSTILE[0]]:
        follow(page, f"#/play/{quote(text, safe='')}")
        page.get_by_role("heading", name="These rules cannot be played here").wait_for()
        assert page.evaluate(RAN) is None
    expect(page.locator("play-view .intro")).to_contain_text(HOSTILE[0][:20])


@pytest.mark.full
def test_stored_hostile_text_runs_nothing(open_view):
    page = open_view()
    for text in HOSTILE[:8]:
        stored = json.dumps({"rules": text, "codemaker": "evil", "limit": 10, "guesses": [text]})
        page.evaluate("text => localStorage.setItem('evilpegs.game.4x6-evil', text)", stored)
        page.evaluate("text => localStorage.setItem('evilpegs.theme', text)", text)
        page.reload()
        page.locator("first-view h1").wait_for()
        assert page.evaluate(RAN) is None


@pytest.mark.full
def test_inline_script_style_and_foreign_request_are_noticed(watch):
    """The control of every test of the page."""
    watched = watch()
    page = watched.open()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    with page.expect_console_message(lambda message: "policy violated: connect-src" in message.text):
        page.evaluate("fetch('http://192.0.2.1/').catch(() => 0)")
    assert page.evaluate("window.ran") is None
    problems = "\n".join(watched.problems)
    assert all(f"policy violated: {each}" in problems for each in ("style-src-attr", "script-src-elem", "connect-src"))


@pytest.mark.full
def test_request_to_other_machine_is_noticed(watch):
    """A control too."""
    watched = watch(bypass_csp=True)
    page = watched.open()
    with page.expect_request("http://127.0.0.9:1/"):
        page.evaluate("fetch('http://127.0.0.9:1/').catch(() => 0)")
    with pytest.raises(AssertionError):
        watched.check()
    assert "127.0.0.9" in watched.hosts
