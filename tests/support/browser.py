"""A browser for tests of the page: Debian's Chromium, driven by Playwright, and pages that report problems.

A page of evilpegs may not write errors to the console, violate its Content-Security-Policy, or send a request to
another machine than its server. A `WatchedPage` notes each of these, and its `check` fails the test if there are any.
Scripts of tests get a module of the page, whose address contains a digest, by `importOfPage("api.js")`.

A test asserts what a page shows by Playwright's `expect`, which waits. What it reads without waiting, it reads after a
wait for what is there only since the last action and is drawn together with it.
"""

import contextlib
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect, sync_playwright

from support.patience import PATIENCE
from support.requirements import require

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The shell alone starts and opens pages in half the time: it draws no window."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 1_000 * PATIENCE
expect.set_options(timeout=PATIENCE_MS)
NODE_MODULES = Path(__file__).parents[1] / "page/node_modules"
ARTIFACTS = Path(__file__).parents[1] / "page/artifacts"
_INIT = """
window.importOfPage = (name) => import(new URL(name, document.querySelector("script[type=module]").src));
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy violated: ${event.violatedDirective} by ${event.blockedURI}`);
});
"""


@contextlib.contextmanager
def running_browser():
    """Run a browser during the block and yield it.

    The test must not be async, because Playwright runs an event loop of its own.
    """
    require(CHROMIUM, "the page needs chromium; on Debian: apt install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class WatchedPage:
    """A page of a browser that notes in ``problems`` what no page may do; ``page`` is Playwright's object."""

    def __init__(self, browser, url, **options):
        self.url = url
        self.problems = []
        self.hosts = set()
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.page.add_init_script(_INIT)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("websocket", lambda opened: self._note(opened.url))

    def open(self, address="#/"):
        """Open the view with this address, and return Playwright's page."""
        self.page.goto(self.url + address)
        return self.page

    def check(self):
        """Fail the test if the page had problems, or sent a request to another host than its server."""
        assert not self.problems, self.problems
        assert self.hosts <= {urlsplit(self.url).hostname}

    def close(self):
        """Close the page, and forget handlers of routes that still wait: their errors would fail the test after it."""
        self.page.unroute_all(behavior="ignoreErrors")
        self.context.close()

    def _on_console(self, message):
        is_busy = "/api/v1/position" in message.location["url"] and "503" in message.text  # the page asks again
        if message.type in {"error", "warning"} and not is_busy:
            self.problems.append(f"{message.type}: {message.text}")

    def _note(self, url):
        if urlsplit(url).scheme not in {"data", "blob"}:
            self.hosts.add(urlsplit(url).hostname)


SCREENS = (("light", 360, 740), ("dark", 1280, 900), ("forced", 1920, 900))
"""Each theme and each width once: what axe finds depends on one of them, and what fits on the width alone."""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def look(page, name, screens=SCREENS):
    """Take screenshots of what is shown now, in `ARTIFACTS`: no screen may be too narrow, and axe may find nothing."""
    ARTIFACTS.mkdir(exist_ok=True)
    for theme, width, height in screens:
        show_theme(page, theme)
        page.set_viewport_size({"width": width, "height": height})
        page.screenshot(path=ARTIFACTS / f"{name}-{width}-{theme}.png", full_page=True)
        assert page.evaluate(WIDER) == 0, (name, width)
        if theme != "forced":  # it is the system that chooses those
            assert axe_violations(page) == [], (name, theme)


def show_theme(page, theme):
    """Show the page without motion in `light`, `dark`, or in `forced` colors."""
    scheme, forced = ("light", "active") if theme == "forced" else (theme, "none")
    page.emulate_media(color_scheme=scheme, forced_colors=forced, reduced_motion="reduce")


def follow(page, address):
    """Open another view by its address, and wait until it has replaced the one before."""
    assert page.url.partition("#")[2] != address[1:], "the address must change"
    before = page.locator("main > :not(noscript)").element_handle()
    page.goto(page.url.partition("#")[0] + address)
    page.wait_for_function("before => !before.isConnected && document.querySelector('main > *')", arg=before)


def hold(page, name, link):
    """Click the link to a view whose module is held back; return the list that has the route of its request."""
    held = []

    def keep(route):  # Playwright notes something on a handler, which a method of a list refuses
        held.append(route)

    page.route(f"**/views/{name}.js", keep)
    with page.expect_request(f"**/views/{name}.js"):
        page.get_by_role("link", name=link).click()
    expect(page.locator("nav [aria-current]")).to_have_text(link)
    return held


def own_address():
    """Return an address of this machine that is not loopback, or another loopback address if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a datagram socket sends nothing when it connects
        except OSError:
            return "127.0.0.2"
        return probe.getsockname()[0]


def axe_violations(page):
    """Return the violations that axe finds on a page, as one line per violation with its elements."""
    script = NODE_MODULES / "axe-core/axe.min.js"
    require(script, "the check of accessibility needs axe-core; run: npm ci --prefix tests/page")
    if not page.evaluate("'axe' in window"):
        page.evaluate(script.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{each['id']}: {[node['html'][:120] for node in each['nodes']]}" for each in found]
