"""Games with a seed: a link that opens the same game for a friend, and the same game again."""

import re

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.local_games import GUESSES, ROWS, expect_guesses, play, play_to_end

pytestmark = pytest.mark.full
LINK = "This link opens the same game"
RESULT = "Your result to share"
BAD = {
    "4x6-evil?seed=a&v=2": ("This game cannot be played here", "version '2'"),
    "4x6-evil?seed=a%20b&v=1": ("This game cannot be played here", "'a b'"),
    "4x6-evil?seed=&v=1": ("This game cannot be played here", "seed"),
    "4x-evil?seed=a&v=1": ("These rules cannot be played here", "'4x'"),
    "9x9-evil?seed=a&v=1": ("These rules cannot be played here", "9x9"),
    "4x6-devil?seed=a&v=1": ("These rules cannot be played here", "4x6-devil"),
}


def rows(page):
    return page.locator(ROWS).all_inner_texts()


def copied_link(page):
    page.get_by_text("Challenge a friend").click()
    return page.get_by_label(LINK).input_value()


def test_friend_plays_same_game_from_link_copied_during_game(open_view):
    page = open_view()
    play(page, "1122", "3344")
    link = copied_link(page)
    expect(page.get_by_text("Only this machine can open this address.")).to_be_visible()
    assert "#/play/4x6-evil?seed=" in link
    assert link.endswith("&v=1")
    friend = open_view("#/nothing")
    friend.goto(link)
    expect(friend.locator("play-view .muted[slot=opening]")).to_contain_text("challenge")
    play(friend, "1122", "3344")
    assert rows(friend) == rows(page)
    assert copied_link(friend) == link


def test_game_follows_from_seed_of_link(open_view):
    page = open_view("#/play/4x6-evil?seed=friend&v=1")
    play(page, "1122")
    first = rows(page)
    follow(page, "#/play/4x6-evil?seed=class-7b&v=1")
    expect_guesses(page)
    play(page, "1122")
    assert rows(page) != first  # both leave 256 codes
    follow(page, "#/play/4x6-evil?seed=friend&v=1")
    expect_guesses(page, "1122")
    assert rows(page) == first
    follow(page, "#/play/4x6-fixed?seed=friend&v=1")
    play(page, "5316")  # the secret that Python derives
    expect(page.locator(".result h2")).to_have_text("Solved in 1 guess")
    for address, (heading, named) in BAD.items():
        follow(page, f"#/play/{address}")
        page.get_by_role("heading", name=heading).wait_for()
        expect(page.locator("play-view .intro")).to_contain_text(named)
        page.get_by_role("link", name="Play 4×6").click()
        page.locator("code-entry").wait_for()
        expect_guesses(page)


def test_same_game_again_after_its_end(open_view):
    page = open_view()
    play(page, "1122", "3344")
    before = rows(page)
    play_to_end(page)
    link = page.get_by_label(RESULT).input_value().split("\n")[-1]
    page.get_by_role("button", name="Same game again").click()
    expect_guesses(page)
    play(page, "1122", "3344")
    assert rows(page) == before
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
    play(page, "1122")
    before = rows(page)
    page.get_by_role("button", name="Start again").click()
    expect_guesses(page)
    play(page, "1122")
    assert rows(page) == before
    play_to_end(page)
    text = page.get_by_label(RESULT).input_value()
    assert text.startswith(f"evilpegs 4x6 evil {page.locator(GUESSES).count()}/10\n")
    assert text.endswith("#/play/4x6-evil?seed=friend&v=1")
    page.get_by_role("button", name="New game").click()
    page.wait_for_url("**/#/play/4x6-evil")
    expect_guesses(page, "1345")
