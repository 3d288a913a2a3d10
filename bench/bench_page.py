"""The costs of the page: bytes of the first view, time until it can be played, and evil's reply in the browser.

The server and a headless Chromium share this machine. The page is opened ten times with an empty cache. Wanted: the
first view under 60 KiB compressed, the first key answered within a second after the request, and a reply on 4x6 under
10 ms. A reply is timed in a page of its own, each first guess once, with the code warm.
"""

import contextlib
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.browser import CHROMIUM, WatchedPage, running_browser
from support.threaded_server import server_in_thread

TIMES = 10
READY = """() => new Promise((resolve) => {
  const look = () => {
    const view = document.querySelector("evilpegs-app")?.shadowRoot.querySelector("first-view");
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
    import("./static/core/local_game.js"), import("./static/core/rules.js")]);
  const play = (guess) => {
    const game = new LocalGame({ rules: parseRules("4x6") });
    const start = performance.now();
    game.guess(guess);
    return performance.now() - start;
  };
  guesses.forEach(play);
  return guesses.map(play);
}"""


def main():
    """Print the figures."""
    if CHROMIUM is None:
        sys.exit("this bench needs chromium; on Debian: apt install chromium")
    with contextlib.ExitStack() as stack:
        folder, browser = stack.enter_context(tempfile.TemporaryDirectory()), stack.enter_context(running_browser())
        with server_in_thread(f"sqlite:///{folder}/page.sqlite3") as server:
            ready = sorted(_open(browser, server.site_url, READY) for _ in range(TIMES))
            sent = _open(browser, server.site_url, SENT, "code-entry")
            guesses = [f"{each:04o}".translate(str.maketrans("01234567", "12345612")) for each in range(500)]
            replies = sorted(_open(browser, server.site_url, REPLIES, "code-entry", guesses))
    print(f"first view: {sent / 1024:.1f} KiB compressed (wanted: under 60)")
    print(f"can be played after {statistics.median(ready):.0f} ms, at worst {ready[-1]:.0f} ms (wanted: under 1000)")
    mean, p99 = statistics.mean(replies), replies[-5]
    print(f"evil replies on 4x6 in {mean:.2f} ms on average, p99 {p99:.1f} ms (wanted: under 10)")


def _open(browser, url, expression, awaited=None, argument=None):
    """Return the value of an expression in a page that was opened with an empty cache."""
    watched = WatchedPage(browser, url)
    page = watched.open()
    if awaited is not None:
        page.locator(awaited).wait_for()
    value = page.evaluate(expression, argument)
    watched.context.close()
    return value


if __name__ == "__main__":
    main()
