"""Make the pictures of the page: ``make screenshot`` writes one for the README, docs/page.png, and one for links to it.

They show the first view after two guesses, on a real server in a real browser.
"""

import sys
import tempfile
from pathlib import Path

from support.browser import WatchedPage, running_browser
from support.threaded_server import server_in_thread

ROOT = Path(__file__).parents[1]
PICTURES = {
    ROOT / "docs/page.png": {"width": 1040, "height": 720},
    ROOT / "clients/evilpegs_page/preview.png": {"width": 1200, "height": 630},
}
# a seed, so that every run shows the same replies
ADDRESS = "#/play/4x6-evil?seed=readme&v=1"
GUESSES = ("1122", "3344")
MOST_BYTES = 150_000


def main():
    """Write the pictures; fail if the page had problems or a picture is too large for a README."""
    with (
        tempfile.TemporaryDirectory() as folder,
        server_in_thread(f"sqlite:///{folder}/page.sqlite3") as server,
        running_browser() as browser,
    ):
        watched = WatchedPage(browser, server.site_url, color_scheme="light", reduced_motion="reduce")
        take(watched.open(ADDRESS))
        watched.check()
        watched.context.close()
    for picture in PICTURES:
        size = picture.stat().st_size
        if size > MOST_BYTES:
            sys.exit(f"{picture} has {size} bytes; at most {MOST_BYTES} are wanted")
        print(f"{picture.relative_to(ROOT)}: {size} bytes")


def take(page):
    """Play the guesses on the page and save pictures of it."""
    page.locator("code-entry").wait_for()
    for number, code in enumerate(GUESSES):
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        page.locator("guess-table tbody tr").nth(number).wait_for()
    for picture, size in PICTURES.items():
        page.set_viewport_size(size)
        page.screenshot(path=picture)


if __name__ == "__main__":
    main()
