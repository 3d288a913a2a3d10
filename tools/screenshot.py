"""Make the pictures of the page: ``make screenshot`` writes one for the README, docs/page.png, and one for links to it.

They show the first view after two guesses, on a real server in a real browser. The icons of the installed page are
those of the site on a whole square, of which a system may cut off all but the circle that has 80 % of its width.
"""

import sys
import tempfile
from pathlib import Path

from support.browser import WatchedPage, running_browser
from support.threaded_server import server_in_thread

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "clients/evilpegs_page"
PICTURES = {
    ROOT / "docs/page.png": {"width": 1040, "height": 720},
    PAGE / "preview.png": {"width": 1200, "height": 630},
}
# a seed, so that every run shows the same replies
ADDRESS = "#/play/4x6-evil?seed=readme&v=1"
GUESSES = ("1122", "3344")
MOST_BYTES = 150_000
ICONS = {PAGE / f"icon-{width}.png": width for width in (192, 512)}
SQUARE = """<style>* {{ margin: 0 }} svg {{ display: block; width: {width}px }}</style>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="#4b2bb8"/>
<g transform="translate(3.2 4.4) scale(.8)">{face}</g></svg>"""


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
        draw_icons(browser)
    for picture in [*PICTURES, *ICONS]:
        size = picture.stat().st_size
        if size > MOST_BYTES:
            sys.exit(f"{picture} has {size} bytes; at most {MOST_BYTES} are wanted")
        print(f"{picture.relative_to(ROOT)}: {size} bytes")


def draw_icons(browser):
    face = (PAGE / "favicon.svg").read_text().partition("/>")[2].removesuffix("</svg>\n")
    for icon, width in ICONS.items():
        page = browser.new_page(viewport={"width": width, "height": width})
        page.set_content(SQUARE.format(width=width, face=face))
        page.screenshot(path=icon)
        page.close()


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
