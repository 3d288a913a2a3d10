"""Measure the page: bytes of the first view, time until it can be played, evil's reply, and a server's reply shown.

A server and a headless Chromium share this machine. The page is opened ten times with an empty cache. Wanted: the
first view under 60 KiB compressed, the first key answered within a second after the request, and a reply on 4x6 under
10 ms. A reply is timed in a page of its own, each first guess once, with the code warm.

Then the delay until the page shows a server's reply after its frame arrived; at most 50 ms are wanted. The page notes
when the frame of a `feedback` arrives, and when a frame with the new row has been drawn: that is two animation frames
after the row is in the document.

    python -m bench.page [--times 10] [--guesses 500] [--games 5]
"""

import argparse
import contextlib
import statistics
import sys
import tempfile

from bench.command import TESTS, MissingProgramError, Option, run_alone
from bench.figures import Figure
from bench.timing import percentiles

sys.path.append(str(TESTS))
from support.browser import CHROMIUM, WatchedPage, running_browser
from support.page.server_games import OPEN, OVER, begin, type_code
from support.threaded_server import server_in_thread

LADDERS = {"classic-practice": "1122", "classic-evil-practice": "1122", "super-practice": "11223"}
GUESSES_PER_GAME = 8
WANTED_KIBIBYTES, WANTED_READY_MS, WANTED_REPLY_MS, WANTED_SHOWN_MS = 60.0, 1000.0, 10.0, 50.0
OPTIONS = (
    Option("times", 10, 1, "times that the page is opened"),
    Option("guesses", 500, 20, "first guesses that evil answers in the browser"),
    Option("games", 5, 1, "games on each ladder of the server"),
)
READY = """() => new Promise((resolve) => {
  const look = () => {
    const view = document.querySelector("first-view");
    const board = view?.shadowRoot.querySelector("local-board")?.shadowRoot;
    const isReady = board?.querySelector("code-entry")?.shadowRoot?.querySelector(".key");
    isReady ? resolve(performance.now()) : setTimeout(look, 1);
  };
  look();
})"""
SENT = """performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .reduce((sum, each) => sum + each.encodedBodySize, 0)"""
REPLIES = """async (guesses) => {
  const [{ LocalGame }, { parseRules }] = await Promise.all([
    importOfPage("core/local_game.js"), importOfPage("core/rules.js")]);
  const play = (guess) => {
    const game = new LocalGame({ rules: parseRules("4x6") });
    const start = performance.now();
    game.guess(guess);
    return performance.now() - start;
  };
  guesses.forEach(play);
  return guesses.map(play);
}"""
NOTE_REPLIES = """
window.shown = [];
const find = (root, [name, ...names]) => {
  const found = root?.querySelector(name)?.shadowRoot;
  return names.length === 0 || !found ? found : find(found, names);
};
const rows = () => {
  const table = find(document, ["server-play-view", "server-board", "guess-table"]);
  return table ? table.querySelectorAll("tbody tr").length : 0;
};
const note = (start, turn) => {
  const look = () => {
    if (rows() < turn) requestAnimationFrame(look);
    else requestAnimationFrame(() => window.shown.push(performance.now() - start));
  };
  requestAnimationFrame(look);
};
window.WebSocket = class extends WebSocket {
  constructor(...options) {
    super(...options);
    this.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "feedback") note(performance.now(), message.turn);
    });
  }
};
"""


def measure_first_view(browser, url, options):
    """Open the page with an empty cache, again and again, and play against it."""
    ready = [open_and_evaluate(browser, url, READY) for _ in range(options.times)]
    sent = open_and_evaluate(browser, url, SENT, "code-entry") / 1024
    guesses = [f"{each:04o}".translate(str.maketrans("01234567", "12345612")) for each in range(options.guesses)]
    replies = open_and_evaluate(browser, url, REPLIES, "code-entry", guesses)
    print(f"first view: {sent:.1f} KiB compressed")
    print(f"can be played after {statistics.median(ready):.0f} ms, at worst {max(ready):.0f} ms")
    p99 = percentiles(replies, 99)[0]
    print(f"evil replies on 4x6 in {statistics.mean(replies):.2f} ms on average, p99 {p99:.1f} ms")
    return [
        Figure("first view of the page, compressed", sent, "KiB", WANTED_KIBIBYTES),
        Figure("first view until it can be played, worst", max(ready), "ms", WANTED_READY_MS),
        Figure("evil's reply on 4x6 in the browser, p99", p99, "ms", WANTED_REPLY_MS),
    ]


def open_and_evaluate(browser, url, expression, awaited=None, argument=None):
    """Return the value of an expression in a page that was opened with an empty cache."""
    watched = WatchedPage(browser, url)
    page = watched.open()
    if awaited is not None:
        page.locator(awaited).wait_for()
    value = page.evaluate(expression, argument)
    watched.context.close()
    return value


def measure_shown_replies(browser, url, games):
    """Play on some ladders of a server."""
    figures = []
    for ladder, code in LADDERS.items():
        times = milliseconds_until_shown(browser, url, ladder, code, games)
        p50, p95, worst = percentiles(times, 50, 95, 100)
        print(f"{ladder}: {len(times)} replies shown in {p50:.0f} ms, p95 {p95:.0f} ms, at worst {worst:.0f} ms")
        figures.append(Figure(f"server's reply on {ladder} until it is shown, p95", p95, "ms", WANTED_SHOWN_MS))
    return figures


def guess(page, code):
    """Guess a code again and again and give up, unless it is the secret."""
    for number in range(GUESSES_PER_GAME):
        type_code(page, code)
        page.locator("server-board guess-table tbody tr").nth(number).wait_for()
        page.locator(f"{OPEN}, {OVER}").first.wait_for()
        if page.locator(OVER).count():
            return
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up", exact=True).click()


def milliseconds_until_shown(browser, url, ladder, code, games):
    """Return the milliseconds from the arrival of each reply until it was shown."""
    watched = WatchedPage(browser, url)
    watched.page.add_init_script(NOTE_REPLIES)
    page = watched.open(f"#/server/{ladder}")
    times = []
    for _ in range(games):
        begin(page)
        guess(page, code)
        page.locator("match-result").wait_for()
        times = page.evaluate("window.shown")
        page.evaluate("document.querySelector('server-play-view').play.leave()")
    watched.context.close()
    return times


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure the first view, then replies of the server."""
    if CHROMIUM is None:
        raise MissingProgramError("this needs chromium; on Debian: apt install chromium-headless-shell")
    with contextlib.ExitStack() as stack:
        folder, browser = stack.enter_context(tempfile.TemporaryDirectory()), stack.enter_context(running_browser())
        server = stack.enter_context(server_in_thread(f"sqlite:///{folder}/page.sqlite3", log_level="error"))
        figures = measure_first_view(browser, server.site_url, options)
        return figures + measure_shown_replies(browser, server.site_url, options.games)


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
