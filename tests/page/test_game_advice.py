"""After a game in the browser: what its guesses cost, luck, its replay. During it: hints, and idle guesses."""

import re

import pytest
from playwright.sync_api import expect

from support.browser import follow, look
from support.page.local_games import GUESSES, ROWS, expect_guesses, play, play_to_end
from support.site_server import read_computed

pytestmark = pytest.mark.full
FIXED, EVIL = "#/play/4x6-fixed?seed=friend&v=1", "#/play/4x6-evil?seed=friend&v=1"
SECRET = "5316"  # as Python derives it
SUMMARY = "[slot=over] game-advice"
HINTS_OFF, HINTS_ON = "Hints: off", "Hints: on"
COSTLY = "#/replay/4x6-fixed?guesses=1122-1122-5316&seed=friend&v=1"
BAD = {
    "4x6-fixed?guesses=1122&v=1": "incomplete",
    "4x6-fixed?guesses=1122&secret=12&v=1": "2 pegs",
    "4x6-fixed?guesses=1122&secret=1234&seed=friend&v=1": "incomplete",
    "4x6-evil?guesses=<b>&v=1": "<b>",
    "4x6-evil?guesses=1127&v=1": "1127",
    f"4x6-evil?guesses={'1122-' * 11}&v=1": "over",
    "4x6-evil?v=1": "no guesses",
    "4x6-evil?guesses=1122&seed=a%20b&v=1": "'a b'",
    "4x6-evil?guesses=1122&v=2": "version '2'",
    "9x9?guesses=112233445": "387,420,489",
    "<b>": "no guesses|<b>",
}


def asked(server, rules, turns):
    """Return what the site says."""
    return read_computed(f"{server.site_url}api/v1/position?rules={rules}&turns={turns}").raise_for_status().json()


def test_cost_and_luck_are_those_of_site_and_have_a_replay(open_view, server):
    page = open_view(FIXED)
    play(page, "1122", "1122", SECRET)
    analyses = asked(server, "4x6", "1122:0,1;1122:0,1;5316:4,0")["analyses"]
    costs = [each["regret"]["at_least"] for each in analyses]
    luck = -sum(each["luck"] for each in analyses)
    assert max(costs) == costs[1]
    assert luck > 0
    summary = page.locator(SUMMARY)
    best = " ".join(analyses[1]["optimal"])
    expect(summary).to_contain_text("You used 3 guesses; the best play needs 4.34 on average.")
    expect(summary).to_contain_text(re.compile(rf"Guess 2 cost {costs[1]:.2f} guesses on average: {best}.* was better"))
    expect(summary).to_contain_text(f"Luck of the game: +{luck:.2f} guesses. The replies were that much better")
    look(page, "advice-summary")
    page.get_by_role("link", name="Replay").click()
    expect(page).to_have_url(re.compile(re.escape(COSTLY) + "$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("4×6 against a fixed secret")
    page.get_by_role("region", name="The costliest guesses").get_by_role("link", name="Game 1, guess 2").click()
    expect(page).to_have_url(re.compile(r"&v=1&game=1&guess=2$"))
    page.reload()
    worth = page.get_by_role("region", name="The guess")
    expect(worth.get_by_role("heading", name="Guess 2")).to_be_visible()
    expect(worth).to_contain_text("256 of 256 codes left")
    expect(worth).to_contain_text("This guess told you nothing")
    expect(worth.locator(".regret")).to_contain_text("Regret: 1.00 guesses")
    look(page, "advice-replay")
    page.keyboard.press("End")
    expect(page.locator(".ending")).to_contain_text("Luck of the game: +")
    link = page.get_by_label("This link opens this replay").input_value()
    assert link.endswith(COSTLY)
    page.go_back()
    expect_guesses(page, "1122", "1122", SECRET)


def test_evil_gives_no_luck_and_best_play_is_named(open_view):
    page = open_view(EVIL)
    play(page, "1122")
    play_to_end(page)
    summary = page.locator(SUMMARY)
    expect(summary).to_contain_text(f"You used {page.locator(GUESSES).count()} guesses; the best play needs 5.")
    expect(summary).to_contain_text(
        re.compile(r"Guess \d cost 1 guess: after it, even the best play needed \d more instead of \d. .* was better")
    )
    expect(summary).to_contain_text("Against evil there is no luck.")


def test_who_follows_the_hints_against_evil_needs_no_more_than_par(open_view, server):
    page = open_view("#/play/4x6-evil?seed=t1&v=1")
    play(page, "1122")
    page.get_by_role("button", name=HINTS_OFF).click()
    hint = page.locator("[slot=playing] game-advice, game-advice[slot=playing]")
    for more in range(4, 0, -1):
        expect(hint).to_contain_text(f"{more} more guess{'es are' if more > 1 else ' is'} enough, counting this one.")
        if more == 4:
            look(page, "advice-par-hint")
        best = hint.locator("p").first.locator(".pegs").inner_text().replace("\n", "")
        page.locator(".slots").focus()
        play(page, re.sub(r"\D", "", best))
    summary = page.locator(SUMMARY)
    expect(summary).to_contain_text("You used 5 guesses. Nobody can do it in fewer!")
    expect(summary).to_contain_text("You lost no guesses.")
    expect(summary).not_to_contain_text("on average")
    look(page, "advice-par")
    page.get_by_role("link", name="Replay").click()
    page.get_by_role("button", name="Last").click()
    page.get_by_role("button", name="Back").click()
    worth = page.get_by_role("region", name="The guess")
    expect(worth.locator(".regret")).to_contain_text("The guess played lost nothing.")
    expect(worth).not_to_contain_text("bits")


def test_guess_of_date_is_not_the_players(open_view):
    page = open_view("#/daily/2026-11-22")
    expect(page.locator(ROWS)).to_have_count(1)
    page.locator(".slots").focus()
    play(page, *["1112"] * 9)
    summary = page.locator(SUMMARY)
    expect(summary).to_contain_text(re.compile(r"Guess ([3-9]|10) cost"))
    expect(summary).not_to_contain_text("You used")  # as it was not solved
    follow(page, "#/daily/2026-11-23")
    page.locator("code-entry").wait_for()
    expect(page.get_by_role("button", name="Hints")).to_have_count(0)


def test_bounds_are_said_to_be_bounds(open_view):
    page = open_view("#/play/5x8-fixed?seed=friend&v=1")
    play(page, "11223", "33445", "55667", "55667", "56866")  # the secret that Python derives
    page.locator(".result").wait_for()
    expect(page.locator(SUMMARY)).to_contain_text(
        re.compile("Guess .* cost (at least )?.* guesses on average.*too long to compute", re.DOTALL)
    )


def test_without_site_one_line_says_so_and_answer_comes_when_it_is_back(watch):
    opened = watch()
    page = opened.open(FIXED)
    play(page, "1122")
    page.get_by_role("button", name=HINTS_OFF).wait_for()
    opened.context.set_offline(True)
    play(page, SECRET)
    summary = page.locator(SUMMARY)
    expect(summary).to_contain_text("What your guesses cost is not known yet: The server does not answer.")
    expect(page.locator(".result h2")).to_have_text("Solved in 2 guesses")
    assert page.get_by_label("Your result to share").input_value().startswith("evilpegs 4x6 fixed 2/10\n")
    opened.context.set_offline(False)
    expect(summary).to_contain_text("Luck of the game: +")
    expect(summary).not_to_contain_text("does not answer")


def test_replay_without_site_has_all_that_browser_knows(watch):
    opened = watch()
    page = opened.page
    page.route("**/api/v1/position**", lambda route: route.abort())
    opened.open(f"{COSTLY}&guess=1")
    worth = page.get_by_role("region", name="The guess")
    expect(worth).to_contain_text("256 of 1,296 codes left")
    expect(worth.locator(".note")).to_contain_text(
        "There are no best guesses and no regret: The server does not answer."
    )
    page.unroute("**/api/v1/position**")
    expect(worth.locator(".regret")).to_contain_text("guesses on average")


def test_replay_of_unsolved_game_has_its_secret_and_bad_address_is_one_line(open_view):
    page = open_view(FIXED)
    play(page, *["1122"] * 10)
    page.get_by_role("link", name="Replay").click()
    expect(page).to_have_url(re.compile("-1122&seed=friend&v=1$"))
    page.locator("match-replay .board").wait_for()
    page.keyboard.press("End")
    expect(page.locator(".ending")).to_contain_text("was the secret.")
    expect(page.locator(".ending")).to_contain_text(" ".join(SECRET))
    for address, named in BAD.items():
        follow(page, f"#/replay/{address}")
        expect(page.get_by_role("alert")).to_contain_text(re.compile(named))
        expect(page.locator("match-replay")).to_have_count(0)


def test_hint_is_what_site_advises_and_game_with_it_does_not_count(open_view, server):
    page = open_view(FIXED)
    play(page, "1122")
    page.get_by_role("button", name=HINTS_OFF).click()
    best = asked(server, "4x6", "1122:0,1")["guesses"][0]["code"]
    hint = page.locator("game-advice p").first
    expect(hint).to_contain_text(f"Best guess: {' '.join(best)}")
    page.reload()
    expect(page.get_by_role("button", name=HINTS_ON)).to_be_visible()
    expect(hint).to_contain_text(" ".join(best))
    page.locator(".slots").focus()
    play(page, SECRET)
    expect(page.locator(".result h2")).to_have_text("Solved in 2 guesses, with hints")
    assert page.get_by_label("Your result to share").input_value().startswith("evilpegs 4x6 fixed 2/10 with hints\n")
    assert page.evaluate("localStorage.getItem('evilpegs.results') ?? '{}'") == "{}"
    page.get_by_role("button", name="Same game again").click()
    expect_guesses(page)
    page.locator(".slots").focus()
    play(page, "1122")
    page.get_by_role("button", name=HINTS_ON).click()
    expect(page.get_by_role("button", name=HINTS_OFF)).to_be_visible()


def test_guess_that_brings_nothing_is_said_to_be_one_before_and_after(open_view):
    page = open_view(FIXED)
    play(page, "1122")
    page.get_by_role("button", name=HINTS_OFF).click()
    expect(page.locator("game-advice p").first).to_contain_text("Best guess:")
    below = page.locator("code-entry p")
    page.keyboard.type("112")  # the switch has the focus
    expect(page.locator("[data-slot='2']")).to_have_attribute("aria-label", "Peg 3: 2")
    expect(below).not_to_contain_text("tells you nothing")
    page.keyboard.type("2")
    expect(below).to_contain_text("tells you nothing")
    look(page, "advice-hint")
    page.keyboard.press("Enter")
    expect_guesses(page, "1122", "1122")
    codes_left = page.get_by_role("region", name="Codes left")
    expect(codes_left).to_contain_text("This guess told you nothing: its reply was certain.")
    expect(below).not_to_contain_text("tells you nothing")
    play(page, SECRET)  # the reply was not certain
