"""The delay until the page shows a server's reply after its frame arrived; at most 50 ms are wanted.

A real server and a headless Chromium share this machine. The page notes when the frame of a `feedback` arrives, and
when a frame with the new row has been drawn: that is two animation frames after the row is in the document.
"""

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.browser import CHROMIUM, WatchedPage, running_browser
from support.page.server_games import begin, type_code, wait_for_turn
from support.threaded_server import server_in_thread

LADDERS = {"classic-practice": "1122", "classic-evil-practice": "1122", "super-practice": "11223"}
GAMES = 5
GUESSES = 8
NOTE_REPLIES = """
window.shown = [];
const find = (root, [name, ...names]) => {
  const found = root?.querySelector(name)?.shadowRoot;
  return names.length === 0 || !found ? found : find(found, names);
};
const rows = () => {
  const table = find(document, ["evilpegs-app", "server-play-view", "server-board", "guess-table"]);
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


def main():
    """Print the figures."""
    if CHROMIUM is None:
        sys.exit("this bench needs chromium; on Debian: apt install chromium")
    with tempfile.TemporaryDirectory() as folder, running_browser() as browser, _server(folder) as server:
        for ladder, code in LADDERS.items():
            times = sorted(_play(browser, server.site_url, ladder, code))
            figures = (
                f"{statistics.median(times):.0f} ms, p95 {times[-len(times) // 20]:.0f} ms, at worst {times[-1]:.0f} ms"
            )
            print(f"{ladder}: {len(times)} replies shown in {figures} (wanted: under 50)")


def _server(folder):
    return server_in_thread(f"sqlite:///{folder}/page.sqlite3", log_level="error")


def _play(browser, url, ladder, code):
    """Return the milliseconds from the arrival of each reply until it was shown."""
    watched = WatchedPage(browser, url)
    watched.page.add_init_script(NOTE_REPLIES)
    page = watched.open(f"#/server/{ladder}")
    times = []
    for _ in range(GAMES):
        begin(page)
        for _ in range(GUESSES):
            wait_for_turn(page)
            type_code(page, code)
        wait_for_turn(page)
        page.get_by_role("button", name="Give up…").click()
        page.get_by_role("button", name="Give up", exact=True).click()
        page.locator("match-result").wait_for()
        times = page.evaluate("window.shown")
        page.evaluate("document.querySelector('evilpegs-app').view.play.leave()")
    watched.context.close()
    return times


if __name__ == "__main__":
    main()
