"""Replays of real matches, the verification of records, and records from files."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from evilpegs_clients.verification.verify import verify_record
from support.browser import follow, hold
from support.page.played_matches import open_match
from support.page.record_files import HONEST, record_file
from support.site_server import wait_for_analysis
from support.threaded_server import server_in_thread
from tools.page_records import VECTORS, apply

pytestmark = pytest.mark.full
PLAY_MS = 1_100
FORGED = {row["refused_by"]: row for row in json.loads((VECTORS / "forgeries.json").read_text())["forged"]}
"""One forgery for each check; node refuses all of them."""
INSIGHTS = """async (record) => {
  const [{ readRecord }, { readReplay }, { insights }] = await Promise.all([
    importOfPage("core/record_file.js"), importOfPage("replay/timeline.js"), importOfPage("replay/insight.js")]);
  const replay = readReplay(readRecord(await (await fetch(record)).text()));
  return replay.games.map((game) => insights(replay.rules, game.turns));
}"""
HOLD_SLOW_FILE = """() => {
  const read = Blob.prototype.text;
  window.slow = new Promise((...ends) => [window.resolve, window.reject] = ends);
  Blob.prototype.text = function () { return this.name === "slow" ? window.slow : read.call(this); };
}"""
DROP = """(element, text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "dropped.jsonl"));
  element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def expect_shown(page, guess):
    """Wait until this guess is shown; 0 is before the first."""
    expect(page.locator("match-replay .jump[aria-current]")).to_have_text([str(guess)] if guess else [])


def wait_for_place(page, game, guess):
    page.get_by_role("heading", name=f"Game {game}", exact=False).wait_for()
    expect_shown(page, guess)


def test_replay_by_keyboard(open_view, analyzed):
    match = analyzed["minimax", "classic-evil"]
    page = open_view("#/nothing")
    page.clock.install(time=0)
    page.clock.pause_at(1)
    follow(page, f"#/match/{match}")
    page.locator("match-replay").wait_for()
    expect_shown(page, 1)
    for key, expected in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 5), ("Home", 0)):
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"guess={expected}$"))
        expect_shown(page, expected)
    page.keyboard.press("PageDown")
    page.get_by_role("heading", name="Game 2").wait_for()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="Game 3").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.clock.run_for(PLAY_MS)
    expect_shown(page, 1)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.clock.run_for(3 * PLAY_MS)
    expect_shown(page, 1)
    follow(page, f"#/match/{match}?game=2&guess=3")
    wait_for_place(page, 2, 3)
    page.get_by_role("button", name="Guess 2").click()
    expect(page).to_have_url(re.compile("guess=2$"))
    expect_shown(page, 2)
    page.reload()
    wait_for_place(page, 2, 2)


def test_guess_has_parts_best_guesses_regret_and_luck(open_view, server, analyzed):
    match = analyzed["minimax", "classic-evil"]
    analysis = wait_for_analysis(server.site_url, match)
    page = open_view(f"#/match/{match}?game=1&guess=1")
    page.locator(".regret").wait_for()
    first = analysis["games"][0]["turns"][0]["analysis"]
    expect(page.locator("guess-worth .left")).to_have_text(f"{first['after']} of 1,296 codes left")
    expect(page.locator("guess-worth reply-bars li")).to_have_count(first["parts"])
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(f"guess={len(analysis['games'][0]['turns'])}$"))
    page.get_by_text("Against evil there is no luck").wait_for()
    match = analyzed["minimax", "classic"]
    games = wait_for_analysis(server.site_url, match)["games"]
    follow(page, f"#/match/{match}?game=1&guess={len(games[0]['turns'])}")
    luck = -sum(turn["analysis"]["luck"] for turn in games[0]["turns"])
    sign = "" if round(luck, 2) == 0 else "+" if luck > 0 else "−"
    expect(page.locator(".ending")).to_contain_text(f"Luck of the game: {sign}{abs(luck):.2f} guesses.")
    expect(page.locator(".ending")).not_to_contain_text("bits")
    match = analyzed["first-consistent", "classic"]
    analysis = wait_for_analysis(server.site_url, match)
    worst, game, turn = max(
        ((turn["analysis"]["regret"] or {}).get("at_least") or 0, -game["game"], -turn["turn"])
        for game in analysis["games"]
        for turn in game["turns"]
    )
    follow(page, f"#/match/{match}")
    links = page.get_by_role("region", name="The costliest guesses").locator("li")
    expect(links.first).to_contain_text(f"{worst:.2f} guesses")
    expect(links).to_have_count(5)
    link = links.first.get_by_role("link", name=f"Game {-game}, guess {-turn}", exact=True)
    link.click()
    expect(page).to_have_url(re.compile(f"game={-game}&guess={-turn}$"))
    expect_shown(page, -turn)


def test_insights_are_those_of_analysis(open_view, server, analyzed):
    page = open_view("#/nothing")
    for ladder in ("classic-evil", "classic"):
        match = analyzed["minimax", ladder]
        computed = page.evaluate(INSIGHTS, f"api/v1/matches/{match}/record")
        games = wait_for_analysis(server.site_url, match)["games"]
        expected = [[turn["analysis"] for turn in game["turns"]] for game in games]
        assert [len(game) for game in computed] == [len(game) for game in expected]
        for game, analyzed_game in zip(computed, expected, strict=True):
            for turn, worth in zip(game, analyzed_game, strict=True):
                counts = (turn["before"], turn["after"], len(turn["parts"]))
                assert counts == (worth["before"], worth["after"], worth["parts"])
                assert turn["bits"] == pytest.approx(worth["bits"], abs=1e-3)
                assert turn["expectedBits"] == pytest.approx(worth["expected_bits"], abs=1e-3)
                if ladder == "classic":
                    assert turn["chance"] == pytest.approx(worth["chance"], abs=1e-3)


def test_match_is_verified_and_downloaded(open_view, analyzed):
    page = open_view(f"#/match/{analyzed['minimax', 'classic']}")
    page.get_by_role("button", name="Verify in this page").click()
    page.locator("record-check .good").wait_for()
    page.get_by_text("What was checked").click()
    page.locator("record-check li").nth(10).wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the record").click()
    record = [json.loads(line) for line in saved.value.path().read_text().splitlines()]
    assert verify_record(record) == []


def test_unknown_match_is_one_line(watch):
    page = watch().open("#/match/0000000000000000")
    expect(page.get_by_role("alert")).to_have_text("This server has no such match.")


def choose_file(page, file):
    page.get_by_label("choose its file").set_input_files(file)
    page.get_by_role("heading", name=file["name"]).wait_for()


def test_file_is_verified_and_replayed_without_request(open_view):
    page = open_view("#/verify")
    page.get_by_label("choose its file").wait_for()
    requests = []
    # the page asks for its own module for visits without a network when it is idle, which may be now
    page.on("request", lambda request: request.url.endswith("/keep_offline.js") or requests.append(request.url))
    for name in ("evil", "devil practice", "fixed 0.1.0"):
        choose_file(page, record_file(HONEST[name], f"{name}.jsonl"))
        page.locator("record-check .good").wait_for()
        page.keyboard.press("End")
        page.locator("guess-worth").wait_for()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect_shown(page, 1)
    expect(page.locator("match-replay .note")).to_contain_text("Best guesses and regret are computed by a server")
    expect(page.locator("match-replay turn-time")).to_have_count(0)
    assert requests == []
    follow(page, "#/nothing")
    follow(page, "#/verify")
    page.locator(".drop").evaluate(DROP, record_file(HONEST["evil"])["buffer"].decode())
    page.get_by_role("heading", name="dropped.jsonl").wait_for()
    page.locator("record-check .good").wait_for()


def test_forged_file_is_refused_and_other_file_is_one_line(open_view):
    page = open_view("#/verify")
    for check, forged in FORGED.items():
        choose_file(page, record_file(apply(HONEST[forged["record"]], forged["changes"]), f"{check}.jsonl"))
        page.locator("record-check .bad, [role=alert]").first.wait_for()
        expect(page.locator("record-check .good")).to_have_count(0)
        follow(page, "#/nothing")
        follow(page, "#/verify")
    for number, text in enumerate(("", "no record\n", "[]\n", '{"type": "match_started"}\n' * 2)):
        file = {"name": f"x{number}", "mimeType": "", "buffer": text.encode()}
        page.get_by_label("choose its file").set_input_files(file)
        expect(page.get_by_role("alert")).to_contain_text(f"x{number} cannot be read: this")


def test_record_that_was_cut_off_is_not_called_verified(open_view):
    """As `evilpegs verify`, whose exit status is another then."""
    page = open_view("#/verify")
    choose_file(page, record_file(HONEST["evil"][:5], "cut.jsonl"))
    page.locator("record-check .verdict", has_text="not over").wait_for()
    expect(page.locator("record-check .good, record-check .bad")).to_have_count(0)


def test_file_that_is_read_late_leaves_the_one_chosen_since(open_view):
    page = open_view("#/nothing")
    for end in ("resolve('no record')", "reject(new Error('gone'))"):
        follow(page, "#/verify")
        page.evaluate(HOLD_SLOW_FILE)
        field = page.get_by_label("choose its file")
        field.set_input_files(record_file([], "slow"))
        field.set_input_files(record_file(HONEST["evil"], "fast"))
        page.locator("record-check .good").wait_for()
        page.evaluate(f"() => {{ {end}; return new Promise((then) => setTimeout(then)); }}")
        expect(page.get_by_role("heading", name="fast")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        follow(page, "#/nothing")


def test_live_match_shows_time_of_turn(open_view, server):
    with open_match(server) as match:
        page = open_view(f"#/match/{match.match}")
        page.get_by_text("since the game started").wait_for()
        before = time.monotonic()
        match.guess("1122")
        page.get_by_text("since the last reply").wait_for()
        minutes, seconds = page.locator("turn-time").evaluate("time => time.shadowRoot.textContent").split(":")
        # the page knows the time of the server to the second
        assert int(minutes) * 60 + int(seconds) <= time.monotonic() - before + 1
        match.resign()
        page.locator("turn-time").wait_for(state="detached")


WIDE = {"rules": "12x2", "codemaker": "fixed", "guess_limit": 10, "games": 1}
ENDS = "pegs => pegs.map((each) => Math.round(each.getBoundingClientRect().right))"
TOPS = "pegs => new Set(pegs.map((each) => Math.round(each.getBoundingClientRect().top))).size"


def test_reply_to_a_code_of_twelve_pegs_is_in_sight(tmp_path, watch):
    with server_in_thread(f"sqlite:///{tmp_path / 'wide.sqlite3'}", ladders={"wide": WIDE}) as running:
        page = watch(running.site_url).open("#/matches")
        with open_match(running, "wide", "wide") as match:
            match.guess("112211221122")
            follow(page, f"#/match/{match.match}")
            for width in (360, 768, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                page.locator("match-replay tbody .feedback").wait_for()
                assert page.locator("match-replay .pegs").first.locator(".peg").evaluate_all(TOPS) == 1
                assert max(page.locator("match-replay tbody :is(.peg, .feedback)").evaluate_all(ENDS)) <= width
                assert page.locator("match-replay .scroll").evaluate("each => each.scrollWidth - each.clientWidth") == 0


GAMES = 3
LONG = {"rules": "4x6", "codemaker": "evil", "guess_limit": 10, "games": GAMES}


@pytest.fixture
def own_server(tmp_path):
    """A server for one test, whose rated match no other test finds on a leaderboard."""
    with server_in_thread(f"sqlite:///{tmp_path / 'own.sqlite3'}", ladders={"long": LONG}) as running:
        yield running


def test_live_match_is_followed_to_its_end_and_keeps_its_place(own_server, watch):
    watched = watch(own_server.site_url)
    page = watched.open("#/matches")
    page.clock.install()
    with open_match(own_server, "long", "followed") as match:
        match.guess("1122")
        follow(page, f"#/match/{match.match}")
        wait_for_place(page, 1, 1)
        for game in range(1, GAMES + 1):
            for guess in range(2 if game == 1 else 1, 4):
                match.guess("3456")
                page.clock.fast_forward(2_000)
                wait_for_place(page, game, guess)
            if game < GAMES:
                match.next_game()
                page.clock.fast_forward(2_000)
                wait_for_place(page, game + 1, 0)
        assert "?" not in page.url
        page.keyboard.press("ArrowLeft")
        wait_for_place(page, GAMES, 2)
        match.resign()
    page.locator(".live").wait_for(state="detached")
    wait_for_place(page, GAMES, 2)
    wait_for_analysis(own_server.site_url, match.match)
    page.locator("guess-worth table").wait_for()
    wait_for_place(page, GAMES, 2)
    page.get_by_role("button", name="Verify in this page").click()
    page.locator("record-check .good").wait_for()
    wait_for_place(page, GAMES, 2)
    expect(page).to_have_url(re.compile(rf"\?game={GAMES}&guess=2$"))
    page.goto("about:blank")
    # Chromium reports every answer of 503, which says that the analysis is not ready.
    assert [problem for problem in watched.problems if "503" not in problem] == []


@pytest.fixture
def open_match_view(watch, server):
    """Open the view of a match, and return its page and the last parts of the paths that it asks for."""

    def open_match_view(match, *, streams=True):
        page = watch().open("#/nothing")
        asked = []
        page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
        if not streams:
            page.route("**/events", lambda route: route.fulfill(status=503))
        follow(page, f"#/match/{match}")
        page.locator("match-replay").wait_for()
        return page, asked

    return open_match_view


def test_guess_shows_without_a_request(open_match_view, server):
    with open_match(server) as match:
        page, asked = open_match_view(match.match)
        for guess, code in enumerate(("1122", "3456"), 1):
            match.guess(code)
            wait_for_place(page, 1, guess)
        assert [each for each in asked if each in {"record", "events"}] == ["record", "events"]
        held = hold(page, "bots", "Bots")  # a guess leaves the address of a view that loads
        match.guess("3456")
        wait_for_place(page, 1, 3)
        expect(page).to_have_url(re.compile("#/bots$"))
        held[0].continue_()
        page.locator("bots-view h1").wait_for()


def test_match_is_followed_without_a_stream(open_match_view, server):
    """As on a server that has too many streams."""
    with open_match(server) as match:
        page, asked = open_match_view(match.match, streams=False)
        match.guess("1122")
        wait_for_place(page, 1, 1)
        assert asked.count("record") > 1
        page.unroute_all()
        match.guess("3456")
        wait_for_place(page, 1, 2)


def test_finished_match_opens_at_its_first_guess(open_match_view, analyzed):
    page, asked = open_match_view(analyzed["minimax", "classic"])
    wait_for_place(page, 1, 1)
    page.get_by_text("Regret").wait_for()  # of the analysis, which is asked for where a stream would be opened
    assert "events" not in asked


def test_who_steps_away_from_live_match_comes_back_to_live(open_view, server):
    with open_match(server) as match:
        match.guess("1122")
        match.guess("3456")
        page = open_view(f"#/match/{match.match}")
        back = page.get_by_role("button", name="Back to live")
        wait_for_place(page, 1, 2)
        expect(back).to_have_count(0)
        page.keyboard.press("ArrowLeft")
        wait_for_place(page, 1, 1)
        match.guess("3456")
        page.get_by_role("button", name="Guess 3").wait_for()
        expect_shown(page, 1)
        expect(page).to_have_url(re.compile("guess=1$"))
        back.press("Enter")
        wait_for_place(page, 1, 3)
        expect(back).to_have_count(0)
        expect(page.locator("match-replay .board")).to_be_focused()
        expect(page).to_have_url(re.compile(f"#/match/{match.match}$"))
        match.guess("3456")
        wait_for_place(page, 1, 4)
        page.keyboard.press("ArrowLeft")
        back.wait_for()
        match.resign()
        back.wait_for(state="detached")
        page.locator(".live").wait_for(state="detached")
        wait_for_place(page, 1, 3)


def test_guess_in_address_is_shown_and_followed_only_if_it_is_the_newest(open_view, server):
    with open_match(server) as match:
        match.guess("1122")
        older = open_view(f"#/match/{match.match}?game=1&guess=0")
        older.get_by_role("button", name="Back to live").wait_for()
        expect_shown(older, 0)
        newest = open_view(f"#/match/{match.match}?guess=1")
        wait_for_place(newest, 1, 1)
        match.guess("3456")
        wait_for_place(newest, 1, 2)
        expect(newest).to_have_url(re.compile(f"#/match/{match.match}$"))
        older.get_by_role("button", name="Guess 2").wait_for()
        expect_shown(older, 0)
        older.get_by_role("button", name="Back to live").click()
        wait_for_place(older, 1, 2)
        follow(older, f"#/match/{match.match}?game=1&guess=1")
        wait_for_place(older, 1, 1)
        match.resign()
        older.locator(".live").wait_for(state="detached")
        wait_for_place(older, 1, 1)
