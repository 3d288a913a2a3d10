"""Games with a seed: a link that opens the same game for a friend, and the same game again."""

import re

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.local_games import GUESSES, expect_guesses, play_to_end

pytestmark = pytest.mark.full
LINK = "This link opens the same game"
RESULT = "Your result to share"
REPLIES = "guess-table tbody tr"


def play(page, *codes):
    """Play these guesses; return the rows of the board."""
    page.locator("code-entry").wait_for()
    for code in codes:
        before = page.locator(REPLIES).count()
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        page.locator(REPLIES).nth(before).wait_for()
    return page.locator(REPLIES).all_inner_texts()


def copied_link(page):
    page.get_by_text("Challenge a friend").click()
    return page.get_by_label(LINK).input_value()


def finish(page):
    play_to_end(page, lambda code: (page.keyboard.type(code), page.keyboard.press("Enter")))


def test_friend_plays_same_game_from_link_copied_during_game(open_view):
    page = open_view()
    rows = play(page, "1122", "3344")
    link = copied_link(page)
    assert "#/play/4x6-evil?seed=" in link
    assert link.endswith("&v=1")
    friend = open_view("#/nothing")
    friend.goto(link)
    expect(friend.locator("play-view .muted[slot=opening]")).to_contain_text("challenge")
    assert play(friend, "1122", "3344") == rows
    assert copied_link(friend) == link


def test_link_that_only_this_machine_can_open_says_so(open_view):
    page = open_view()
    copied_link(page)
    expect(page.get_by_text("Only this machine can open this address.")).to_be_visible()


def test_seeds_give_other_replies_to_same_guess(open_view):
    page = open_view("#/play/4x6-evil?seed=friend&v=1")
    page.locator("code-entry").wait_for()
    first = play(page, "1122")
    follow(page, "#/play/4x6-evil?seed=class-7b&v=1")
    expect_guesses(page)
    assert play(page, "1122") != first  # both leave 256 codes
    follow(page, "#/play/4x6-evil?seed=friend&v=1")
    expect_guesses(page, "1122")
    assert page.locator(REPLIES).all_inner_texts() == first


def test_fixed_secret_follows_from_seed_of_link(open_view):
    page = open_view("#/play/4x6-fixed?seed=friend&v=1")
    page.locator("code-entry").wait_for()
    page.keyboard.type("5316\n")  # the secret that Python derives
    expect(page.locator(".result h2")).to_have_text("Solved in 1 guess")


def test_same_game_again_after_its_end(open_view):
    page = open_view()
    rows = play(page, "1122", "3344")
    finish(page)
    link = page.get_by_label(RESULT).input_value().split("\n")[-1]
    page.get_by_role("button", name="Same game again").click()
    expect_guesses(page)
    assert play(page, "1122", "3344") == rows
    assert copied_link(page) == link
    page.get_by_role("button", name="Copy").click()
    said = page.locator("details copy-text [role=status]")
    expect(said).to_contain_text(re.compile("Copied|selected"))
    page.get_by_role("button", name="Start again").click()  # another game, whose link is not copied
    expect_guesses(page)
    expect(page.get_by_label(LINK)).not_to_have_value(link)
    expect(said).to_be_empty()


def test_challenge_starts_again_and_ends_without_losing_open_game(open_view):
    page = open_view()
    play(page, "1345")
    follow(page, "#/play/4x6-evil?seed=friend&v=1")
    rows = play(page, "1122")
    page.get_by_role("button", name="Start again").click()
    expect_guesses(page)
    assert play(page, "1122") == rows
    finish(page)
    text = page.get_by_label(RESULT).input_value()
    assert text.startswith(f"evilpegs 4x6 evil {page.locator(GUESSES).count()}/10\n")
    assert text.endswith("#/play/4x6-evil?seed=friend&v=1")
    page.get_by_role("button", name="New game").click()
    page.wait_for_url("**/#/play/4x6-evil")
    expect_guesses(page, "1345")


def test_stored_game_without_seed_goes_on_and_has_no_link(open_view):
    page = open_view("#/nothing")
    stored = '{"rules":"4x6","codemaker":"fixed","limit":10,"guesses":["1122"],"secret":"1234"}'
    page.evaluate("text => localStorage.setItem('evilpegs.game.4x6-fixed', text)", stored)
    follow(page, "#/play/4x6-fixed")
    expect_guesses(page, "1122")
    expect(page.get_by_text("Other rules")).to_be_visible()
    expect(page.get_by_text("Challenge a friend")).to_have_count(0)
    play(page, "1234")
    expect(page.locator(".result h2")).to_have_text("Solved in 2 guesses")


@pytest.mark.parametrize(
    ("address", "heading", "named"),
    [
        ("4x6-evil?seed=a&v=2", "This game cannot be played here", "version '2'"),
        ("4x6-evil?seed=a%20b&v=1", "This game cannot be played here", "'a b'"),
        ("4x6-evil?seed=&v=1", "This game cannot be played here", "seed"),
        ("4x-evil?seed=a&v=1", "These rules cannot be played here", "'4x'"),
        ("9x9-evil?seed=a&v=1", "These rules cannot be played here", "9x9"),
        ("4x6-devil?seed=a&v=1", "These rules cannot be played here", "4x6-devil"),
    ],
)
def test_bad_link_says_why_and_offers_other_games(open_view, address, heading, named):
    page = open_view(f"#/play/{address}")
    page.get_by_role("heading", name=heading).wait_for()
    expect(page.locator("play-view .intro")).to_contain_text(named)
    page.get_by_role("link", name="Play 4x6").click()
    page.locator("code-entry").wait_for()
    expect_guesses(page)
