"""A code for a friend: its link, the friend's game, and the result that the setter's page checks."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from evilpegs_clients.challenge import parse_challenge
from evilpegs_game.feedback import Turn, feedback
from support.browser import axe_violations, follow, look
from support.page.classroom import CLASSROOM, classroom
from support.page.hostile_texts import HOSTILE, KINDS, RAN
from support.page.local_games import expect_guesses, play
from support.page.qr_codes import read_codes

pytestmark = pytest.mark.full
LINK = "Send this link to your friend"
RESULT = "Send your result to whoever set the code"
PASTE = "Paste the text that came back"
BROKEN = "its parts do not fit together"
STORE = "text => localStorage.setItem('evilpegs.set', text)"


def set_code(page, code="1234"):
    """Set a code by keyboard, and return its link."""
    page.locator("set-view code-entry").wait_for()
    page.locator(".slots").focus()
    page.keyboard.type(f"{code}\n")
    return page.get_by_label(LINK).input_value()


def check(page, text):
    page.get_by_label(PASTE).fill(text)
    page.get_by_role("button", name="Check", exact=True).press("Enter")


def verdict(page):
    return page.locator("section.check [role=status] strong, section.check [role=alert]")


@pytest.fixture
def set_view(open_view):
    page = open_view("#/set", reduced_motion="reduce")
    page.locator("set-view code-entry").wait_for()
    return page


def test_code_is_set_found_and_its_result_checked(open_view, set_view):
    set_view.get_by_label("Guesses at most").fill("7")
    link = set_code(set_view)
    assert re.search(r"#/secret/4x6\?limit=7&set=[0-9a-f]{24}&commitment=[0-9a-f]{64}&v=1$", link)
    expect(set_view.get_by_text("Only this machine can open this address.")).to_be_visible()
    look(set_view, "set")
    friend = open_view("#/nothing", reduced_motion="reduce")
    friend.goto(link)
    expect(friend.locator("local-board .heading .number")).to_have_text("Guess 1 of 7")
    look(friend, "secret")
    play(friend, "1122", "1344")
    expect(friend.get_by_role("button", name="Start again")).to_have_count(0)
    friend.reload()
    expect_guesses(friend, "1122", "1344")
    friend.locator(".slots").focus()
    play(friend, "1234")
    expect(friend.locator(".result h2")).to_have_text("Solved in 3 guesses")
    text = friend.get_by_label(RESULT).input_value()
    assert text.startswith("evilpegs 4x6 fixed 3/7\n1122 ⚫⚪··\n1344 ⚫⚫⚪·\n1234 ⚫⚫⚫⚫\nchallenge ")
    look(friend, "secret-over")
    set_view.reload()  # the browser keeps the code
    check(set_view, f"Hi!\n{text}")
    expect(verdict(set_view)).to_have_text("Solved in 3 guesses; every reply is right.")
    expect(set_view.locator("section.check")).to_contain_text("which you set in this browser")
    expect(set_view.locator("section.check")).to_contain_text("No text can show when or by whom")
    look(set_view, "set-checked")


def test_result_is_checked_in_another_browser_by_its_link(open_view, set_view):
    link = set_code(set_view, "5316")
    friend = open_view("#/nothing")
    friend.goto(link)
    play(friend, *["1122"] * 10)
    text = friend.get_by_label(RESULT).input_value()
    other = open_view("#/set")
    other.locator("set-view").wait_for()
    check(other, text)
    expect(verdict(other)).to_contain_text("not set in this browser")
    check(other, f"{text}\n{link}")
    expect(verdict(other)).to_have_text("Not solved in 10 guesses; every reply is right.")
    expect(other.locator("section.check")).to_contain_text("it was not set in this browser")
    check(other, f"{text}\n{link.replace('limit=10', 'limit=11')}")
    expect(verdict(other)).to_contain_text(BROKEN)


def test_result_of_terminal_is_checked(set_view):
    challenge = parse_challenge(set_code(set_view))
    secret = challenge.terms.secret
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in ((0, 0, 1, 1), secret))
    for letters in (False, True):
        check(set_view, challenge.result(history, letters))
        expect(verdict(set_view)).to_have_text("Solved in 2 guesses; every reply is right.")
        check(set_view, challenge.result(history[:1], letters))
        expect(verdict(set_view)).to_have_text("Given up after 1 guess; every reply is right.")


def test_wrong_results_are_refused_and_right_one_after_them_holds(open_view, set_view):
    friend = open_view("#/nothing")
    friend.goto(set_code(set_view))
    play(friend, "1122", "1234")
    text = friend.get_by_label(RESULT).input_value()
    for wrong, words in {
        "": "not a result",
        "nonsense": "not a result",
        text.replace("2/10", "1/10"): "checksum",
        text.replace("1122", "1123"): "checksum",
        text.replace("⚪", "⚫"): "Reply 1 is not right: ⚫⚫·· should be ⚫⚪··.",
    }.items():
        check(set_view, wrong)
        expect(verdict(set_view)).to_contain_text(words)
        check(set_view, text)
        expect(verdict(set_view)).to_have_text("Solved in 2 guesses; every reply is right.")


def test_qr_code_has_the_link(watch, server, tmp_path):
    page = classroom(watch(color_scheme="dark"), server.site_url).open("#/set")
    link = set_code(page)
    assert link.startswith(f"{CLASSROOM}#/secret/")
    code = page.get_by_role("img", name=f"QR code of {link}")
    code.screenshot(path=tmp_path / "code.png")
    assert read_codes(tmp_path / "code.png") == [link]
    assert axe_violations(page) == []


def test_changed_links_are_refused_in_one_line(open_view, set_view):
    link = set_code(set_view)
    page = open_view("#/nothing")
    other = "set=0" if "set=1" in link else "set=1"
    for changed in (
        link.replace("4x6", "4x7"),
        link.replace("limit=10", "limit=9"),
        re.sub("set=.", other, link),
        re.sub("commitment=....", "commitment=0000", link),
        link[:-20],
        link.partition("?")[0],
    ):
        follow(page, f"#{changed.partition('#')[2]}")
        page.get_by_role("heading", name="This game cannot be played here").wait_for()
        expect(page.locator("secret-view .intro")).to_contain_text(BROKEN)
    expect(page.locator("code-entry")).to_have_count(0)
    follow(page, f"#{link.partition('#')[2]}".replace("v=1", "v=2"))
    expect(page.locator("secret-view .intro")).to_contain_text("version '2'")
    look(page, "secret-refused")


def test_code_is_set_by_other_rules_and_limit_stays_possible(set_view):
    page = set_view
    field = page.get_by_label("Guesses at most")
    for wrong in ("0", "100", "", "2.5"):
        field.fill(wrong)
        field.blur()
        expect(field).to_have_value("10")
    page.get_by_text("Other rules").click()
    page.get_by_label("Pegs").select_option("5")
    page.get_by_role("link", name="Use 5×6").click()
    page.get_by_role("heading", name="Your code: 5×6").wait_for()
    expect(field).to_have_value("20")
    assert "#/secret/5x6?limit=20&" in set_code(page, "12345")
    follow(page, "#/set/4x10-distinct")
    page.locator(".slots").focus()
    page.keyboard.type("1123")
    expect(page.get_by_role("button", name="Set this code")).to_be_disabled()
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.get_by_label(LINK)).to_have_value(re.compile(r"#/secret/4x10-distinct\?limit=12&"))
    page.get_by_text("Codes that you set").click()
    expect(page.locator("details li a")).to_have_text(["4×10, no color twice, 12 guesses", "5×6, 20 guesses"])
    follow(page, "#/set/9x9")
    expect(page.get_by_role("alert")).to_contain_text("too many")
    expect(page.locator("code-entry")).to_have_count(0)


def test_hint_is_said_in_result(open_view, set_view):
    friend = open_view("#/nothing")
    friend.goto(set_code(set_view))
    play(friend, "1122")
    friend.get_by_role("button", name="Hints: off").click()
    friend.get_by_text("does not count in your results").wait_for()
    friend.locator(".slots").focus()
    play(friend, "1234")
    check(set_view, friend.get_by_label(RESULT).input_value())
    expect(verdict(set_view)).to_have_text("Solved in 2 guesses, with hints; every reply is right.")


def test_hostile_texts_run_nothing(set_view):
    page = set_view
    for text in HOSTILE:
        check(page, f"evilpegs {text}\n1122 ⚫\nchallenge {'0' * 16} check {'0' * 16}\n{text}")
        verdict(page).first.wait_for()
        assert page.evaluate(RAN) is None
    for text in KINDS:
        page.evaluate(STORE, f'["{quote(text)}", 7, null, {{}}]')
        for address in (f"#/set/{quote(text, safe='')}", f"#/secret/{quote(text, safe='')}?limit=10&set={quote(text)}"):
            follow(page, address)
            page.locator("set-view [role=alert], secret-view .intro").first.wait_for()
            assert page.evaluate(RAN) is None
