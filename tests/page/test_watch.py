"""The projector: its QR code is read by zbar, its boards follow the matches, and nobody needs to touch it."""

import contextlib
import json
import shutil
import subprocess

import pytest
from playwright.sync_api import expect

from evilpegs_server.site.page import PAGE_FOLDER
from support.browser import ARTIFACTS, axe_violations, follow, show_theme
from support.page.classroom import CLASSROOM, classroom
from support.page.played_matches import open_match, play_bots, wait_for_leaderboard
from support.page.qr_codes import read_codes
from support.patience import PATIENCE
from support.requirements import require
from support.threaded_server import server_in_thread

pytestmark = pytest.mark.full
LADDER = "classic-evil-practice"
TURN_MS = 10_000
LENGTHS = (1, 14, 15, 26, 42, 62, 84, 106, 122, 152, 153, 180)
CODES = """
import { qrCode } from "./core/qr.js";
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(qrCode)));
"""
SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (360, 740))
OVERFLOW = """() => {
  const view = document.querySelector("watch-view");
  const inner = [...view.shadowRoot.querySelectorAll("aside, .boards, .rest, section, .top")];
  const root = document.documentElement;
  const isBelow = (each) => each.getBoundingClientRect().bottom > innerHeight;
  const isCut = (each) => each.scrollHeight > each.clientHeight + 1 || isBelow(each);
  return root.scrollHeight > root.clientHeight || root.scrollWidth > root.clientWidth || [view, ...inner].some(isCut);
}"""
STYLE = "view => { const {color, backgroundColor} = getComputedStyle(view); return [color, backgroundColor]; }"
FILLED = """list => {
  const parts = [list, list.lastElementChild, list.querySelector(".feedback")];
  const [box, last, mark] = parts.map((each) => each.getBoundingClientRect());
  return Math.max((last.bottom - box.top) / box.height, (mark.right - box.left) / box.width);
}"""
FONT = "view => parseFloat(getComputedStyle(view).fontSize)"
SOME_SHOWN = """names => [...document.querySelector("watch-view").shadowRoot.querySelectorAll("h2")]
  .some((each) => names.includes(each.innerText))"""
WAKE = """() => {
  window.locks = [];
  navigator.wakeLock.request = async (type) => {
    window.locks.push(type);
    return { release: async () => window.locks.push("released") };
  };
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of this module's own, because the projector shows every open match and the first rows."""
    with server_in_thread(f"sqlite:///{tmp_path_factory.mktemp('watch') / 'watch.sqlite3'}") as running:
        yield running


@pytest.fixture(scope="module")
def played(server, tmp_path_factory):
    """Two bots on the leaderboard of classic."""
    bots = ("minimax", "first-consistent")
    for each in play_bots(server, tmp_path_factory.mktemp("bots"), [(bot, "classic", 1) for bot in bots]):
        wait_for_leaderboard(server.site_url, "classic", each.player, len(each.games))


def write_picture(path, code):
    """Write a QR code with its quiet zone as a picture of four pixels for each module."""
    side = len(code) + 8
    rows = ["0" * side] * 4 + [f"0000{row}0000" for row in code] + ["0" * side] * 4
    lines = [" ".join(module for module in row for _ in range(4)) for row in rows for _ in range(4)]
    path.write_text(f"P1\n{4 * side} {4 * side}\n" + "\n".join(lines) + "\n")


def boards(page):
    return page.locator("section")


def test_codes_of_every_version_are_read(tmp_path):
    texts = [f"{CLASSROOM}#/server/classic?and={'more' * 40}"[:length] for length in LENGTHS]
    node = shutil.which("node")
    require(node, "the page's JavaScript needs node; on Debian: apt install nodejs")
    printed = subprocess.run(
        [node, "--input-type=module", "-e", CODES, json.dumps(texts)],
        cwd=PAGE_FOLDER, capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    paths = [tmp_path / f"{index:02}.pbm" for index, _ in enumerate(texts)]
    for path, code in zip(paths, json.loads(printed.stdout), strict=True):
        write_picture(path, code)
    assert read_codes(*paths) == texts


def test_address_stands_in_large_letters_and_in_code(watch, server, tmp_path):
    page = classroom(watch(), server.site_url).open("#/nothing")
    for address, way in (("#/watch", "#/ladders"), ("#/watch/classic", "#/server/classic")):
        follow(page, address)
        code = page.get_by_role("img", name=f"QR code of {CLASSROOM}{way}")
        expect(page.locator(".address")).to_have_text(CLASSROOM.rstrip("/"))
        code.screenshot(path=tmp_path / "code.png")
        assert read_codes(tmp_path / "code.png") == [f"{CLASSROOM}{way}"]
        assert page.locator(".address").evaluate(FONT) == pytest.approx(0.056 * 1280, rel=0.02)


def test_boards_follow_matches(open_view, server):
    page = open_view("#/nothing")
    page.clock.install()
    follow(page, "#/watch/monster-evil-practice")
    # the page of one's own machine
    expect(page.get_by_text("Only this machine can open this address.")).to_be_visible()
    expect(page.get_by_role("img")).to_have_count(0)
    expect(page.get_by_text("Waiting for the first match")).to_be_visible()
    with open_match(server, "monster-evil-practice") as match:
        expect(page.get_by_role("heading", name=match.player)).to_be_visible()
        expect(page.locator("li")).to_have_count(0)
        match.resign()
        expect(boards(page)).to_contain_text("Given up")
    for _ in range(2):
        page.clock.fast_forward(TURN_MS)
    expect(page.get_by_text("Waiting for the next match")).to_be_visible()
    follow(page, "#/watch/no-such")
    expect(page.get_by_text("This server has no such ladder or round.")).to_be_visible()


def test_match_is_shown_from_its_first_guess_and_more_than_fit_take_turns(open_view, server):
    page = open_view("#/nothing")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.clock.install()
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(open_match(server, LADDER))
        for code in ("1122", "3344"):
            first.guess(code)
        follow(page, f"#/watch/{LADDER}")
        board = page.get_by_role("region", name=first.player)
        expect(board.locator("li")).to_have_count(2)
        first.guess("5566")
        expect(board.locator("li .pegs > .hidden")).to_have_text(["1 1 2 2", "3 3 4 4", "5 5 6 6"])
        matches = [first, *(stack.enter_context(open_match(server, LADDER)) for _ in range(7))]
        expect(page.get_by_text("8 open matches")).to_be_visible()
        expect(boards(page)).to_have_count(6)
        seen = set()
        while missing := {match.player for match in matches} - seen:  # each turn shows those that were not shown
            page.clock.fast_forward(TURN_MS if seen else 0)
            page.wait_for_function(SOME_SHOWN, arg=list(missing))
            seen |= set(page.locator("h2").all_inner_texts())
        for match in matches:
            match.resign()


@pytest.mark.usefixtures("played")
def test_standings_are_first_rows_of_leaderboard(open_view):
    page = open_view("#/ladder/classic")
    page.get_by_role("link", name="Projector").click()
    expect(page.locator("caption")).to_have_text("Guesses per game on classic, no ranks yet")
    expect(page.locator("tbody th")).to_have_text(["minimax", "first-consistent"])
    expect(page.locator("tbody td:first-child")).to_have_text(["(1)", "(2)"])


ROWS_WHOLE = """([rows, least]) => {
  const root = document.querySelector("watch-view").shadowRoot;
  const box = root.querySelector(".rest, aside:has(table)").getBoundingClientRect();
  const shown = root.querySelectorAll("tbody tr").length;
  const parts = [...root.querySelectorAll("tbody tr, table ~ p")].map((each) => each.getBoundingClientRect());
  const names = [...root.querySelectorAll("th")];
  return shown >= least && root.querySelector("table ~ p").innerText === `and ${rows - shown} more`
    && parts.every(({ top, bottom }) => top >= box.top - 1 && bottom <= Math.min(box.bottom, innerHeight) + 1)
    && names.every((each) => each.scrollWidth <= each.clientWidth);
}"""


def test_standings_are_whole_on_every_projector(open_view, server):
    """As many rows as fit, none of them cut, and how many more there are; also beside boards."""
    row = {
        "client": "some 1", "games": 200, "mean": 4.5, "low": 4.4, "high": 4.6, "worst": 6, "solved": 1.0, "p95_ms": 3,
        "mean_ms": 1.2, "histogram": [[4, 100], [5, 100]], "rank": 1, "rank_worst": 30, "adjusted_mean": None,
        "adjusted_low": None, "adjusted_high": None, "all_games": 200, "undecided": True, "score": 4.5, "placed": True,
        "kind": "human",
    }  # fmt: skip
    names = [f"{'wwwwwwwwwwwwwwwwwwww'[: 20 - 2 * (number % 5)]}{number}"[-20:] for number in range(30)]
    board = {
        "ladder": "classic-evil", "rules": "4x6", "codemaker": "evil", "guess_limit": 10, "ranked_from": 20,
        "placed_from": 10, "rows": [row | {"player": name} for name in names], "places": list(range(1, 31)),
    }  # fmt: skip
    page = open_view("#/nothing", reduced_motion="reduce")
    page.route("**/classic-evil/leaderboard", lambda route: route.fulfill(json=board))
    follow(page, "#/watch/classic-evil")
    page.locator(".rest tbody tr").first.wait_for()
    with contextlib.ExitStack() as stack:
        for boards_shown in (0, 4):
            for number in range(boards_shown):
                stack.enter_context(open_match(server, "classic-evil", f"player-{number}")).guess("1122")
            if boards_shown:
                page.locator("aside tbody tr").first.wait_for()
            for width, height in ((1280, 720), (1280, 800), (1920, 1080), (1024, 768)):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_function(ROWS_WHOLE, arg=[30, 1 if boards_shown else 4])


def test_screen_stays_on_and_escape_leaves(open_view):
    page = open_view("#/nothing")
    page.evaluate(WAKE)
    follow(page, "#/watch/classic")
    expect(page.locator("header")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("leaderboard-view h1")).to_contain_text("classic")
    expect(page.locator("header")).to_be_visible()
    assert page.evaluate("window.locks") == ["screen", "released"]


@pytest.mark.usefixtures("played")
def test_view_fills_every_screen_in_black_on_white(watch, server):
    watched = watch(reduced_motion="reduce")
    page = watched.open("#/nothing")
    ARTIFACTS.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        matches = [stack.enter_context(open_match(server, LADDER)) for _ in range(6)]
        for match in matches:
            for code in ("1122", "3344", "5566", "1234", "4321", "6543"):
                match.guess(code)
        for name, theme, address in (("all", "light", "#/watch"), ("ladder", "dark", f"#/watch/{LADDER}")):
            show_theme(page, theme)
            follow(page, address)
            expect(page.locator("tbody")).to_have_count(1 if name == "all" else 0)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                expect(page.locator("li")).to_have_count(30 if width > height else 10)
                assert not page.evaluate(OVERFLOW), (address, width, height)
                assert page.locator("section ol").first.evaluate(FILLED) > 0.9, (address, width, height)
                assert page.locator("watch-view").evaluate(STYLE) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
                if width > height:
                    assert page.locator("watch-view").evaluate(FONT) == pytest.approx(0.022 * width, rel=0.01)
                page.screenshot(path=ARTIFACTS / f"watch-{name}-{width}-{theme}.png")
            assert axe_violations(page) == []
        for match in matches:
            match.resign()
    watched.check()
