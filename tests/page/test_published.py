"""A published site in a browser, below a path of a host that has nothing but files: every view, and no other host."""

import json
import subprocess
import sys
import urllib.request

import pytest
from playwright.sync_api import expect

from support.browser import follow, look
from support.page.played_matches import play_bots, wait_for_leaderboard
from support.static_host import static_host
from support.threaded_server import server_in_thread
from support.waiting import wait_until

WALKED = {
    "#/": "Find the code that evil has not chosen",
    "#/play/4x6-evil?seed=7f3a&v=1": "4×6 against evil",
    "#/daily": "Game of the day",
    "#/assist/4x6?turns=1122:1,0&v=1": "Solver",
    "#/results": "Your results",
    "#/how": "How to play",
    "#/set": "A code for a friend",
    "#/ladders": "Compete",
    "#/ladder/classic": "Leaderboard of classic",
    "#/ladder/classic?kind=bot": "Leaderboard of classic",
    "#/player/minimax": "minimax",
    "#/matches": "Matches",
    "#/match/{match}": "minimax against",
    "#/rounds": "Contests",
    "#/verify": "Verify a record",
    "#/docs": "Documents",
    "#/docs/scoring": "Scores, luck, intervals and ranks",
    "#/protocol": "The evilpegs protocol",
    "#/server/classic": "",
    "#/watch/classic": "",
    "#/bots": "",
    "#/join": "",
}
QUERIES = [
    "api/v1/ladders/classic/leaderboard",
    "api/v1/ladders/classic/leaderboard?kind=bot",
    "api/v1/ladders/classic/leaderboard?kind=human",
    "api/v1/matches?ladder=classic",
    "api/v1/matches?ladder=classic&limit=1",
    "api/v1/matches?ladder=classic&player=minimax",
    "api/v1/matches?ladder=classic&codemaker=evil",
    "api/v1/matches?ladder=classic-evil&codemaker=evil",
    "api/v1/matches?ladder=classic&player=minimax&games=lost",
    "api/v1/matches?ladder=classic&player=first-consistent&games=longest&limit=5",
    "api/v1/matches?player=nobody",
    "api/v1/rounds",
    "api/v1/keys",
    "api/v1/live",
]
"""What a server without open matches answers in the same way."""


def board(server):
    with urllib.request.urlopen(f"{server.site_url}api/v1/ladders/classic/leaderboard") as answer:
        return json.load(answer)["rows"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of their own: no other test may play on it between the publishing and a comparison."""
    with server_in_thread(f"sqlite:///{tmp_path_factory.mktemp('page') / 'page.sqlite3'}") as running:
        yield running


@pytest.fixture(scope="module")
def played(server, tmp_path_factory):
    """The last match of each bot by its name and ladder."""
    plan = [("minimax", "classic", 2), ("first-consistent", "classic", 1), ("minimax", "classic-evil", 1)]
    summaries = play_bots(server, tmp_path_factory.mktemp("bots"), plan)
    for each, (_, ladder, _) in zip(summaries, plan, strict=True):
        wait_for_leaderboard(server.site_url, ladder, each.player, len(each.games))
    wait_until(lambda: all(row["adjusted_games"] == row["games"] for row in board(server)))
    return {(each.player, ladder): each.matches[-1].match for each, (_, ladder, _) in zip(summaries, plan, strict=True)}


@pytest.fixture(scope="module")
def folder(server, played, tmp_path_factory):
    root = tmp_path_factory.mktemp("host")
    out = root / "some/path"
    chosen = "--ladder", "classic", "--ladder", "classic-evil"
    command = [sys.executable, "-m", "evilpegs", "publish", "--out", out, "--database", server.database, *chosen]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # Playwright has a loop in this thread
    return root


@pytest.fixture(scope="module")
def site(folder):
    with static_host(folder) as address:
        yield f"{address}some/path/"


def test_every_view_works_without_a_server(open_view, site, played):
    page = open_view("#/", url=site)
    for address, heading in WALKED.items():
        if address != "#/":
            follow(page, address.format(match=played["minimax", "classic"]))
        page.wait_for_load_state("networkidle")
        expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
        expect(page.locator("footer")).to_contain_text("nobody can play against the server here")


def test_what_needs_a_server_says_so(open_view, site):
    page = open_view("#/bots", url=site)
    expect(page.get_by_role("alert")).to_contain_text("need a server")
    assert page.get_by_role("link", name="Bots").count() == 0
    follow(page, "#/ladders")
    expect(page.get_by_role("link", name="Leaderboard").nth(1)).to_be_visible()
    assert page.get_by_role("link", name="Start").count() == 0
    for address in ("#/join", "#/server/classic", "#/watch/classic", "#/player/minimax?ladder=classic&against=eve"):
        follow(page, address)
        expect(
            page.get_by_text("server", exact=False).and_(page.locator("[role=alert], [role=status]"))
        ).to_be_visible()
        assert page.get_by_text("tries again").count() == 0  # no server will come


def test_documents_are_those_of_the_server(open_view, server, site):
    page = open_view("#/verify", url=site)
    for query in QUERIES:
        with urllib.request.urlopen(server.site_url + query) as answer:
            live = json.load(answer)
        published = page.evaluate("(path) => importOfPage('api.js').then(({ getJson }) => getJson(path))", query)
        live.pop("next", None), published.pop("next", None)  # compared by the test of pages
        assert published == live, query


def test_pages_of_a_list_follow_one_another(open_view, site):
    page = open_view("#/verify", url=site)
    read = "(path) => importOfPage('api.js').then(({ getJson }) => getJson(path))"
    whole = page.evaluate(read, "api/v1/matches?limit=100")["matches"]
    path, paged = "api/v1/matches?limit=1", []
    while path is not None:
        part = page.evaluate(read, path)
        paged += part["matches"]
        path = part["next"]
    assert paged == whole
    assert len(whole) == 4


def test_replay_has_analysis_and_its_record_is_verified(open_view, site, played):
    page = open_view(f"#/match/{played['minimax', 'classic']}?game=1&guess=1", url=site)
    expect(page.get_by_role("heading", name="Best guesses")).to_be_visible()
    page.get_by_role("button", name="Verify in this page").click()
    expect(page.locator("record-check .good")).to_be_visible()


def test_solver_counts_in_the_browser(open_view, site):
    page = open_view("#/assist/4x6?turns=1122:1,0&v=1", url=site)
    expect(page.locator(".left")).to_contain_text("256 of 1,296 codes left")
    expect(page.locator(".best").first).to_contain_text("minimax")
    follow(page, "#/assist/4x6?turns=1122:4,0;1111:4,0&v=1")
    expect(page.get_by_role("heading", name="No code fits rows 1 and 2 together")).to_be_visible()


ADVISE = """async ([rules, turns]) => {
  const load = (name) => importOfPage(name);
  const names = ["game/own_advice.js", "game/own_board.js", "core/rules.js"];
  const [{ advise }, { readRows }, { parseRules }] = await Promise.all(names.map(load));
  return advise(parseRules(rules), readRows(parseRules(rules), turns));
}"""


@pytest.mark.parametrize(
    ("rules", "turns"),
    [("4x6", ""), ("4x6", "1122:1,0"), ("4x6", "1122:1,0;3344:1,1"), ("4x6", "1122:4,0;1111:4,0"), ("3x4", "123:0,1")],
)
def test_advice_of_the_browser_is_that_of_the_server(open_view, server, site, rules, turns):
    """Codes left and contradictions are the same; of guesses, the best values."""
    with urllib.request.urlopen(f"{server.site_url}api/v1/position?rules={rules}&turns={turns}") as answer:
        wanted = json.load(answer)
    found = open_view("#/verify", url=site).evaluate(ADVISE, [rules, turns])
    assert found["candidates"] == wanted["candidates"]
    assert [each["row"] for each in found["clash"]] == [each["row"] for each in wanted["clash"]]
    for one, other in zip(found["clash"], wanted["clash"], strict=True):
        assert sorted(one["fitting"]) == sorted(other["fitting"])
    if wanted["candidates"]:
        assert found["codes"] == (wanted["codes"] if wanted["candidates"] <= 30 else [])
        for name, value in (("minimax", "largest"), ("expected-size", "expected_size")):
            (own,), (theirs,) = (
                [each[value] for each in advice["guesses"] if name in each["best_by"]] for advice in (found, wanted)
            )
            assert own == pytest.approx(theirs)


def test_site_that_is_replaced_meanwhile_is_read_again(watch, site, folder, played):
    """A page that has the manifest of before finds none of its files."""
    page = watch(site).open("#/matches")
    expect(page.locator("match-list")).to_be_visible()
    manifest = folder / "some/path/data/manifest.json"
    text = manifest.read_text()
    lost = json.loads(text)
    lost["matches"] = dict.fromkeys(lost["matches"], "0" * 32)
    try:
        manifest.write_text(json.dumps(lost))
        page.reload()
        expect(page.locator("match-list")).to_be_visible()
    finally:
        manifest.write_text(text)
    follow(page, f"#/match/{played['minimax', 'classic']}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("minimax")


@pytest.mark.full
def test_published_views_fit_every_screen(open_view, site):
    page = open_view("#/", url=site, reduced_motion="reduce")
    expect(page.locator("footer")).to_be_visible()
    look(page, "published")
    follow(page, "#/ladder/classic")
    expect(page.get_by_role("table").first).to_be_visible()
    look(page, "published-leaderboard")


@pytest.mark.full
def test_other_origins_are_refused(watch, site):
    """The control of the policy: the page of a published site may not ask another host."""
    page = watch(site).open("#/verify")
    with page.expect_console_message(lambda message: "policy violated: connect-src" in message.text):
        page.evaluate("fetch('http://127.0.0.2:9/').catch(() => null)")
