"""Three visitors at once for 100 games: the memory that their pages hold stays flat."""

import pytest
from playwright.sync_api import TimeoutError as LateError

from support.browser import WatchedPage
from support.page.played_matches import play_bots, wait_for_leaderboard
from support.threaded_server import server_in_thread
from support.waiting import wait_until

pytestmark = pytest.mark.full
GAMES = {"evil": 40, "hints": 40, "server": 20}
ADDRESSES = {"evil": "#/", "hints": "#/play/4x6-fixed", "server": "#/server/classic-practice"}
SCRIPT = """
const until = async (find) => {
  for (;;) {
    const found = find();
    if (found) return found;
    await new Promise(requestAnimationFrame);
  }
};
const inside = (...path) =>
  path.reduce((element, name) => element?.shadowRoot?.querySelector(name), { shadowRoot: document });
const guess = async (entry, code) => {
  for (const symbol of code) entry.shadowRoot.querySelectorAll(".key")[symbol - 1].click();
  await until(() => !entry.shadowRoot.querySelector(".primary").disabled);
  entry.shadowRoot.querySelector(".primary").click();
};
const button = (root, words) => [...root.querySelectorAll("button")].find((each) => each.textContent.includes(words));

async function playLocal(tag, hasHints) {
  const view = inside(tag);
  const board = await until(() => inside(tag, "local-board"));
  while (view.game.over === null) {
    const turns = view.game.turns.length;
    const code = turns === 0 ? "1122" : view.game.listCandidates(48)[0];
    await guess(await until(() => inside(tag, "local-board", "code-entry")), code);
    await until(() => inside(tag, "local-board", "guess-table").shadowRoot.querySelectorAll("tbody tr").length > turns);
    if (!hasHints || turns > 0 || view.game.over !== null) continue;
    const advice = await until(() => inside(tag, "game-advice")?.shadowRoot?.querySelector("button"));
    if (advice.textContent.includes("off")) advice.click();
    if (window.gamesLeft % 8 === 0) await until(() => view.game.hinted); // the server takes its time
  }
  (await until(() => button(view.shadowRoot, "New game"))).click();
  await until(() => board.shadowRoot.querySelector("code-entry") && view.game.turns.length === 0);
}

const wall = new BroadcastChannel("wall");
const show = (address, path) => new Promise((resolve) => {
  wall.onmessage = resolve;
  wall.postMessage({ address, path });
});
function startWall() {
  wall.onmessage = async ({ data: { address, path } }) => {
    location.hash = address;
    await until(() => inside(...path));
    wall.postMessage("shown");
  };
}

async function playServer() {
  const tag = "server-play-view";
  const { play } = inside(tag);
  const { id } = play.match;
  await show(`#/match/${id}`, ["replay-view", "match-replay"]);
  while (play.match.phase !== "over") {
    const turns = play.match.current.turns.length;
    const board = inside(tag, "server-board");
    const entry = await until(() => inside(tag, "server-board", "code-entry"));
    await guess(entry, board.candidates.listCandidates(1)[0] ?? "1122");
    await until(() => play.match.phase === "over" || (play.moves.canGuess && play.match.current.turns.length > turns));
  }
  await show("#/ladder/classic", ["leaderboard-view", "result-charts", "svg"]);
  const result = await until(() => inside(tag, "server-board", "match-result"));
  button(result.shadowRoot, "Start another match").click();
  await until(() => play.match && play.match.id !== id && play.moves.canGuess);
  await until(() => inside(tag, "server-board", "code-entry"));
}

const players = {
  evil: () => playLocal("first-view", false),
  hints: () => playLocal("play-view", true),
  server: playServer,
};
async function playGames(who, games, afterGame) {
  for (window.gamesLeft = games; window.gamesLeft > 0; window.gamesLeft -= 1) {
    await players[who]();
    afterGame?.();
  }
}
Object.assign(window, { playGames, startWall });
"""
TEXT = """() => {
  const words = (each) => (each instanceof Text ? each.data : read(each));
  const read = (node) => [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].map(words).join(" ");
  return read(document.body).replace(/\\s+/g, " ");
}"""
"""What the page says, also in elements without a box of their own."""
LEAK = """() => {
  const node = document.createElement("p");
  node.addEventListener("click", () => {});
  (window.kept ??= []).push(node);
}"""


class Visitor:
    def __init__(self, page, who):
        self.page, self.who = page, who
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable")

    def start(self, games, after_game="undefined"):
        self.page.evaluate(f"games => {{ void playGames('{self.who}', games, {after_game}); }}", games)

    def wait(self):
        while (left := self.page.evaluate("gamesLeft")) > 0:  # each game has the patience of a test
            try:
                self.page.wait_for_function("left => window.gamesLeft < left", arg=left)
            except LateError:
                pytest.fail(f"{self.who} waits, {left} games left: {self.page.evaluate(TEXT)}")

    def held(self):
        """Return what the page holds, after garbage was collected."""
        for _ in range(3):  # what the first collection finalizes goes with the next
            self._devtools.send("HeapProfiler.collectGarbage")
        metrics = {each["name"]: each["value"] for each in self._devtools.send("Performance.getMetrics")["metrics"]}
        return {name: metrics[name] for name in ("Nodes", "JSEventListeners", "JSHeapUsedSize")}


def grown(early, late, games):
    """Return what has grown by more than flat memory may, although `games` were played in between."""
    # what the last game showed is held until the next one ends, and not every game shows the same
    limits = {name: value + 0.75 * games for name, value in early.items()}
    limits["JSHeapUsedSize"] = 1.1 * early["JSHeapUsedSize"] + 500_000
    return {name: (early[name], value) for name, value in late.items() if value > limits[name]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of this module's own, with a bot on the leaderboard of classic."""
    folder = tmp_path_factory.mktemp("soak")
    with server_in_thread(f"sqlite:///{folder / 'soak.sqlite3'}") as running:
        play_bots(running, folder, [("first-consistent", "classic", 1)])
        wait_for_leaderboard(running.site_url, "classic", "first-consistent", 10)
        yield running


@pytest.fixture
def visit(browser, server):
    """Open a view for a visitor with a browser of their own."""
    watched = []

    def visit(who):
        watched.append(WatchedPage(browser, server.site_url))
        watched[-1].context.add_init_script(SCRIPT)
        return Visitor(watched[-1].open(ADDRESSES[who]), who)

    yield visit
    for each in watched:
        each.check()
        each.close()


def open_wall(visitor):
    """Open another window, because a tab in the background is not drawn."""
    with visitor.page.context.expect_page() as opened:
        visitor.page.evaluate("() => void open('#/matches', '', 'popup,noopener')")
    wall = Visitor(opened.value, "wall")
    wall.page.locator("matches-view h1").wait_for()
    wall.page.evaluate("startWall()")
    assert [each.page.evaluate("document.visibilityState") for each in (visitor, wall)] == ["visible"] * 2
    return wall


def test_memory_stays_flat_for_100_games_of_three_visitors(visit):
    players = [visit(who) for who in GAMES]
    server = players[-1]
    server.page.locator("button.large").click()
    server.page.locator("code-entry .key:not([disabled])").first.wait_for()
    wall = open_wall(server)
    early, late_games = [], [4 * GAMES[each] // 5 for each in ("evil", "hints", "server", "server")]
    for fifths in (1, 4):
        for each in players:
            each.start(fifths * GAMES[each.who] // 5)
        for each in players:
            each.wait()
        early = early or [each.held() for each in (*players, wall)]

    def has_grown():
        late = [each.held() for each in (*players, wall)]
        return [grown(*each) for each in zip(early, late, late_games, strict=True)]

    # a view that is just being drawn again holds the one of before too
    wait_until(lambda: has_grown() == [{}] * 4)


def test_page_that_keeps_nodes_and_listeners_is_noticed(visit):
    """The control of the test above."""
    evil = visit("evil")
    held = []
    for games in (4, 8):
        evil.start(games, LEAK)
        evil.wait()
        held.append(evil.held())
    assert set(grown(*held, 8)) >= {"Nodes", "JSEventListeners"}
