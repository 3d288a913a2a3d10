"""Rounds on the page: what is shown before and after their end, and a round that is played in the browser."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest
from playwright.sync_api import expect

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_server.leaderboard import round_results
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.acts import act_on_player
from evilpegs_server.storage.log.rounds import Round, exclude, open_round, set_closing
from support.browser import follow, look
from support.named_players import given_names
from support.patience import PATIENCE
from support.threaded_server import server_in_thread
from support.waiting import wait_until

pytestmark = pytest.mark.full
BOTS = ("minimax", "random-consistent")
ABSENT = "zoe"
ENTRANTS = (*BOTS, ABSENT, "ada", "sly", "shy")
GAMES = 12
REFUSALS = {
    ("eve", "hand"): "This name is not on the list of players here.",
    ("ada", "later"): "No match can start on this ladder",
}


def now():
    return time.time_ns() // 1_000_000


class Contest:
    """A server with the rounds `done`, `quiet`, which is sealed, and `hand`, all open, and `later`, which is not."""

    def __init__(self, server, engine, tokens):
        self.server, self.engine, self.tokens = server, engine, tokens

    def document(self, name):
        """Return a round as the API has it; None if its luck is not measured yet."""
        answer = httpx.get(f"{self.server.site_url}api/v1/rounds/{name}", timeout=PATIENCE)
        assert answer.status_code in {200, 503}
        return answer.json() if answer.status_code == 200 else None

    def close(self, name):
        """Close a round, wait until its results can be read, and return them."""
        set_closing(self.engine, name, now())
        wait_until(lambda: (self.document(name) or {}).get("state") == "over")
        return self.document(name)

    def become(self, page, name):
        """Let the browser play under a name; the page is loaded again."""
        url = httpx.get(f"{self.server.site_url}api/v1/game", timeout=PATIENCE).json()["url"]
        kept = {"tokens": {url: {name: [self.tokens[name]]}}, "player": {url: name}}
        for key, value in kept.items():
            page.evaluate("pair => localStorage.setItem(...pair)", [f"evilpegs.{key}", json.dumps(value)])


def play_bots(server, folder, name, tokens):
    """Let the bots play a round."""
    for bot in BOTS:
        match = play_matches(
            server=server.url,
            ladder=name,
            strategy=load_strategy(bot),
            name=bot,
            token=tokens[bot],
            is_round=True,
            token_file=folder / "tokens.json",
        )
        asyncio.run(match)


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rounds")
    database = f"sqlite:///{folder / 'rounds.sqlite3'}"
    tokens = given_names(database, [*ENTRANTS, "eve"])
    engine = open_database(database)
    far = now() + 10**9
    for each in (
        Round("done", "classic", GAMES, sealed=False, opens=0, closes=None, published=None),
        Round("quiet", "classic", GAMES, sealed=True, opens=1, closes=None, published=None),
        Round("hand", "classic", 2, sealed=False, opens=2, closes=far, published=None),
        Round("later", "classic", GAMES, sealed=False, opens=far, closes=2 * far, published=None),
    ):
        open_round(engine, each, ENTRANTS)
        exclude(engine, each.id, "sly", "asked <b>a solver</b>", now())
    act_on_player(engine, "hide", "shy", now())
    with pytest.MonkeyPatch.context() as patch, server_in_thread(database) as server:
        patch.setattr(round_results, "MINUTE_MS", 1)  # of the progress of a sealed round
        patch.setattr(round_results, "SETTLED_MS", 0)
        with ThreadPoolExecutor(1) as thread:  # Playwright runs an event loop in this one
            for each in ("done", "quiet"):
                thread.submit(partial(play_bots, server, folder, each, tokens)).result(PATIENCE)
        yield Contest(server, engine, tokens)
    engine.dispose()


@pytest.fixture
def open_round_view(open_view, contest):
    return partial(open_view, url=contest.server.site_url)


def cells(page, row):
    return page.locator("tbody tr").nth(row).locator("th, td")


def test_server_links_its_rounds(open_round_view, open_view):
    page = open_round_view("#/ladders")
    page.get_by_role("link", name="Contests").click()
    expect(page.locator("tbody th")).to_have_text(["later", "hand", "quiet", "done"])
    row = cells(page, 2)
    expect(row.nth(1)).to_have_text("open")
    expect(row.nth(2)).to_have_text("4×6")
    expect(row.nth(3)).to_have_text("A fixed secret")
    expect(row.nth(4)).to_have_text("12")
    expect(row.nth(6)).to_have_text("by hand")
    expect(row.nth(7)).to_have_text("yes")
    expect(cells(page, 0).nth(1)).to_have_text("not open yet")
    page.get_by_role("link", name="quiet").click()
    expect(page.locator("h1")).to_have_text("Round quiet")
    without = open_view("#/ladders")
    without.locator(".way").first.wait_for()
    expect(without.get_by_role("link", name="Contests")).to_have_count(0)


def test_unknown_round_is_one_line(watch):
    page = watch().open("#/round/no-such")
    expect(page.get_by_role("alert")).to_have_text("This server has no such round.")


def test_projector_of_sealed_round_shows_progress_and_no_board(open_round_view, contest):
    page = open_round_view("#/round/quiet")
    page.get_by_role("link", name="Projector").click()
    expect(page.get_by_text("This round is sealed")).to_be_visible()
    expect(page.locator("caption")).to_have_text("2 of 4 players finished")
    expect(page.locator("tbody th")).to_have_text(["minimax", "random-consistent", "ada", ABSENT])
    expect(page.locator("tbody td:last-child")).to_have_text(["finished", "finished", "not started", "not started"])
    expect(page.locator("section")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("h1")).to_have_text("Round quiet")
    results = [each for each in contest.close("done")["entrants"] if each["result"]]
    follow(page, "#/watch/done")
    expect(page.get_by_text("The round is over.")).to_be_visible()
    expect(page.locator("tbody th")).to_have_text([each["player"] for each in results])
    expect(page.locator("tbody td:last-child")).to_have_text([f"{each['result']['mean']:.2f}" for each in results])
    follow(page, "#/watch/later")
    expect(page.get_by_text("The round opens")).to_be_visible()


def test_sealed_round_shows_progress_until_it_is_over(open_round_view, contest):
    page = open_round_view("#/nothing")
    page.clock.install()
    follow(page, "#/round/quiet")
    expect(page.locator(".intro [role=status]")).to_contain_text("Open until the person who runs this server closes it")
    expect(page.locator(".intro [role=status]")).to_contain_text("Sealed")
    expect(page.locator("tbody th")).to_have_text(["ada", "minimax", "random-consistent", ABSENT])
    expect(page.locator("tbody td")).to_have_text(["not started", "finished", "finished", "not started"])
    expect(page.locator("tbody a")).to_have_count(0)
    expect(page.locator("li")).to_have_text(["sly is excluded: asked <b>a solver</b>", "1 entrant withdrew."])
    expect(page.get_by_role("link", name="Enter this round")).to_have_count(0)
    results = contest.close("quiet")["entrants"]
    page.clock.fast_forward(15_000)
    expect(page.locator(".intro [role=status]")).to_contain_text("Over. It closed ")
    expect(page.locator("tbody th")).to_have_text([each["player"] for each in results if each["result"]])


def test_results_are_those_of_api(open_round_view, contest):
    document = contest.close("done")
    assert document["adjusted"]
    page = open_round_view("#/round/done")
    expected = [(each["player"], each["result"]) for each in document["entrants"] if each["result"]]
    assert [player for player, _ in expected][2:] == ["ada", ABSENT]
    for row, (player, result) in enumerate(expected):
        ahead = [name for name in result["ahead_of"] if name not in {"ada", ABSENT}]  # who never played
        names = f"{len(ahead)} player{'s' * (len(ahead) > 1)}" if ahead else "nobody"
        names = "did not play" if player in {"ada", ABSENT} else names
        shown = page.locator("tbody tr:not(.more)").nth(row).locator("th, td")
        expect(shown).to_have_text([f"{result['place']}", player, f"{result['mean']:.3f}", names])
    assert {"ada", ABSENT} <= set(expected[0][1]["ahead_of"])
    facts = page.locator("dl").nth(3)
    expect(facts).to_be_hidden()
    page.emulate_media(media="print")
    expect(facts).to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_role("button", name=ABSENT).press("Enter")
    result = expected[3][1]
    expect(facts).to_contain_text(
        f"Games: {result['games']}, {result['failed']} not solved, {result['not_played']} of them never"
    )
    page.get_by_role("button", name=ABSENT).press("Enter")
    expect(facts).to_be_hidden()
    expect(page.locator("thead th").nth(2)).to_have_text("Mean")
    expect(page.get_by_role("status")).not_to_contain_text("changed")
    expect(page.locator("li")).to_have_text(["sly is excluded: asked <b>a solver</b>", "1 entrant withdrew."])
    page.get_by_role("button", name="minimax").click()
    page.get_by_role("link", name="The match of minimax").click()
    expect(page.locator("match-list tbody tr")).to_have_count(1)
    expect(page.locator("match-list tbody td").nth(2)).to_have_text("done")
    exclude(contest.engine, "done", "sly", "asked <b>a solver</b>", now())
    page = open_round_view("#/round/done")
    expect(page.get_by_role("status")).to_contain_text("Who is in these results was last changed ")


def test_bot_is_offered_rounds_of_its_names(open_round_view, contest):
    page = open_round_view("#/nothing")
    options = page.locator("bot-match select option")
    for name, rounds in ((None, 0), ("sly", 0), (ABSENT, 1)):  # sly is excluded
        if name is not None:
            contest.become(page, name)
        follow(page, "#/bots")
        page.get_by_text("A match on this server").click()
        options.first.wait_for(state="attached")
        expect(options.filter(has_text="Round hand")).to_have_count(rounds)
        follow(page, "#/nothing")
    follow(page, "#/bots")
    page.get_by_text("A match on this server").click()
    page.locator("bot-match select").select_option("hand")
    expect(page.locator("bot-match .facts")).to_contain_text("You enter once.")


def test_entrant_plays_in_round(open_round_view, contest):
    page = open_round_view("#/nothing")
    contest.become(page, "ada")
    follow(page, "#/round/hand")
    page.get_by_role("link", name="Enter this round").click()
    expect(page.locator(".facts")).to_contain_text("2 games in one match. You enter once.")
    page.get_by_role("button", name="Start the match").click()
    page.get_by_role("button", name="Start game 1").click()
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up the whole match").click()
    page.locator("record-check .good").wait_for()
    expect(page.get_by_role("button", name="Start another match")).to_have_count(0)
    wait_until(
        lambda: any(each["player"] == "ada" and each["ended"] == 2 for each in contest.document("hand")["entrants"])
    )
    page.locator("match-result").get_by_role("link", name="The round").click()
    expect(page.locator(".intro")).to_contain_text("ada has finished.")
    expect(page.get_by_role("link", name="ada")).to_have_attribute("href", "#/matches?ladder=hand&player=ada")
    expect(cells(page, 0)).to_have_text(["ada", "2 of 2"])
    page.evaluate("localStorage.removeItem('evilpegs.matches')")
    follow(page, "#/server/hand")
    page.get_by_role("button", name="Start the match").click()
    expect(page.get_by_role("alert")).to_contain_text("You have entered this round already")


def test_round_that_was_begun_elsewhere_is_continued(open_round_view, contest):
    page = open_round_view("#/nothing")
    contest.become(page, "minimax")
    follow(page, "#/server/hand")
    page.get_by_role("button", name="Start the match").click()
    page.get_by_role("button", name="Start game 1").wait_for()
    page.evaluate("localStorage.removeItem('evilpegs.matches')")
    page.reload()
    page.get_by_role("button", name="Continue it").click()
    page.get_by_role("button", name="Start game 1").wait_for()


def test_refusals_of_round_have_words(open_round_view, contest):
    page = open_round_view("#/nothing")
    for (name, ladder), words in REFUSALS.items():
        contest.become(page, name)
        follow(page, f"#/round/{ladder}")
        page.locator("tbody tr").first.wait_for()
        expect(page.get_by_role("link", name="Enter this round")).to_have_count(0)
        follow(page, f"#/server/{ladder}")
        page.get_by_role("button", name="Start the match").click()
        expect(page.get_by_role("alert")).to_contain_text(words)


def test_rounds_fit_every_screen(open_round_view, contest):
    contest.close("done")
    page = open_round_view("#/nothing", reduced_motion="reduce")
    contest.become(page, ABSENT)
    for address, awaited in (("rounds", "tbody a"), ("round/hand", ".button.primary"), ("round/done", "tbody .name")):
        follow(page, f"#/{address}")
        page.locator(awaited).first.wait_for()
        for name in page.locator("tbody .name").all():
            name.click()
        look(page, address.replace("/", "-"))
