"""Make the picture of the page for the README: ``make screenshot`` writes docs/page.png.

It shows the first view after two guesses, on a real server in a real browser.
"""

import sys
import tempfile
from pathlib import Path

from support.browser import WatchedPage, running_browser
from support.threaded_server import server_in_thread

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/page.png"
SIZE = {"width": 1040, "height": 720}
# a seed, so that every run shows the same replies
ADDRESS = "#/play/4x6-evil?seed=readme&v=1"
GUESSES = ("1122", "3344")
MOST_BYTES = 150_000


def main():
    """Write the picture; fail if the page had problems or the picture is too large for a README."""
    with (
        tempfile.TemporaryDirectory() as folder,
        server_in_thread(f"sqlite:///{folder}/page.sqlite3") as server,
        running_browser() as browser,
    ):
        watched = WatchedPage(browser, server.site_url, color_scheme="light", reduced_motion="reduce")
        take(watched.open(ADDRESS))
        watched.check()
        watched.context.close()
    size = PICTURE.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{PICTURE} has {size} bytes; at most {MOST_BYTES} are wanted")
    print(f"{PICTURE.relative_to(ROOT)}: {size} bytes")


def take(page):
    """Play the guesses on the page and save a picture of it."""
    page.set_viewport_size(SIZE)
    page.locator("code-entry").wait_for()
    for number, code in enumerate(GUESSES):
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        page.locator("guess-table tbody tr").nth(number).wait_for()
    page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
