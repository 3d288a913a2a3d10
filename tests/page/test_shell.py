"""The shell of the page: addresses, navigation, theme, keyboard, and the words for errors."""

import re

import pytest
from playwright.sync_api import expect

from support.browser import follow, hold

pytestmark = pytest.mark.full
REFUSAL = "path => importOfPage('api.js').then(api => api.getJson(path)).catch(error => [error.name, error.message])"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
VIEWS = ["first", "daily", "assist", "ladders", "leaderboard", "matches", "bots", "results", "how"]
UNDER = {"play/5x8": "Play", "server/classic": "Compete", "protocol": "Bots", "verify": "Matches"}
COUNT_VIEWS = """() => {
  window.views = 0;
  const observer = new MutationObserver((records) => { window.views += records.length; });
  observer.observe(document.querySelector("main"), {childList: true});
}"""


def places(page):
    """Return where the parts of the shell begin, and their widths."""
    parts = [each for name in (".name", "nav a", "theme-switch", "main") for each in page.locator(name).all()]
    boxes = [part.bounding_box() for part in parts]
    return [[box[key] for key in ("x", "y", "width")] for box in boxes]


def test_shell_is_there_without_script_and_stays_in_its_place(open_view):
    plain, page = open_view(java_script_enabled=False), open_view()
    assert plain.locator("noscript p").is_visible()
    page.locator("code-entry").wait_for()
    for width in (360, 1280, 1920):
        for each in (plain, page):
            each.set_viewport_size({"width": width, "height": 800})
        shown = places(plain)
        assert len(shown) > 6
        assert shown == places(page)


def test_navigation_opens_views_marks_them_and_moves_focus(open_view):
    page = open_view()
    marked = page.locator("nav [aria-current]")
    for link, view in zip(page.locator("nav a").all(), VIEWS, strict=True):
        link.click()
        page.locator(f"main > {view}-view h1").wait_for()
        expect(marked).to_have_count(1)
        expect(link).to_have_attribute("aria-current", "page")
    follow(page, "#/")
    page.get_by_role("heading", name="Find the code").wait_for()
    page.get_by_role("link", name="Daily").press("Enter")
    page.get_by_role("heading", name="Game of the day").wait_for()
    expect(page).to_have_title("Game of the day · evilpegs")
    expect(page.get_by_role("group", name="Your guess")).to_be_focused()
    page.get_by_role("link", name="Bots").press("Enter")
    page.get_by_role("heading", name="bot").first.wait_for()
    expect(page.locator("main")).to_be_focused()
    page.go_back()
    page.go_back()
    page.get_by_role("heading", name="Find the code").wait_for()
    expect(page).to_have_title("evilpegs")
    for address, link in UNDER.items():
        follow(page, f"#/{address}")
        expect(marked).to_have_text([link])
        expect(marked).to_have_attribute("aria-current", "true")
    follow(page, "#/no/such/view")
    page.get_by_role("heading", name="There is nothing at this address").wait_for()
    page.get_by_role("link", name="Play against evil").click()
    page.locator("code-entry").wait_for()


def test_skip_link_comes_first_and_leads_to_content(open_view):
    page = open_view("#/bots")
    page.locator("bots-view h1").wait_for()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


@pytest.mark.parametrize(("system", "other"), [("light", "dark"), ("dark", "light")])
def test_theme_follows_system_until_it_is_switched(open_view, system, other):
    page = open_view(color_scheme=system)
    before = page.evaluate(BACKGROUND)
    page.get_by_role("button", name=f"Use the {other} theme").click()
    page.get_by_role("button", name=f"Use the {system} theme").wait_for()
    after = page.evaluate(BACKGROUND)
    page.reload()
    page.get_by_role("button", name=f"Use the {system} theme").wait_for()
    assert before != after == page.evaluate(BACKGROUND)


def test_error_of_server_is_shown_in_words(watch):
    page = watch().open()
    ladder = "There is no ladder 'none'; see /api/v1/ladders."
    assert page.evaluate(REFUSAL, "api/v1/ladders/none/leaderboard") == ["ApiError", ladder]
    page.route("**/api/v1/ladders", lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>"))
    assert page.evaluate(REFUSAL, "api/v1/ladders") == ["ApiError", "The server refused with status 502."]
    page.route("**/api/v1/rounds", lambda route: route.abort())
    [name, message] = page.evaluate(REFUSAL, "api/v1/rounds")
    assert (name, message.partition(".")[0]) == ("ApiError", "The server does not answer")


def test_view_that_cannot_be_loaded_says_so_and_tries_again(watch):
    page = watch().open()
    page.locator("code-entry").wait_for()
    page.route("**/views/daily.js", lambda route: route.abort())
    page.get_by_role("link", name="Daily").click()
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/views/daily.js")
    expect(page.locator("main > daily-view")).to_be_visible()


LOADED = {
    "#/ladders": "ladders-view .card",
    "#/bots": "bots-view copy-text#python",
    "#/ladder/classic": "leaderboard-view .card",
    "#/rounds": "rounds-view .card",
    "#/matches": "matches-view .card",
    "#/server/classic-practice": "server-play-view button.large",
    "#/docs": "documents-view li",
    "#/protocol": "document-view article",
}


@pytest.mark.parametrize("address", LOADED)
def test_view_whose_documents_fail_loads_them_when_the_network_is_back(watch, address):
    page = watch().open("#/nothing")
    shown, alert = page.locator(LOADED[address]).first, page.get_by_role("alert").first
    follow(page, address)
    shown.wait_for()
    follow(page, "#/nothing")
    documents = re.compile(r"/api/v1/|/documents/")
    answers = []
    for fail in (lambda route: route.abort(), lambda route: route.fulfill(status=503)):
        answers.append(fail)
        page.route(documents, fail)
        follow(page, address)
        expect(alert).to_contain_text("tries again by itself")
        button = alert.get_by_role("button", name="Try again now")
        button.wait_for()
        page.unroute(documents)
        if len(answers) > 1:  # once by itself, then by the button
            button.click()
        shown.wait_for()
        expect(page.get_by_role("alert")).to_have_count(0)
        follow(page, "#/nothing")


def test_button_tries_again_at_once(watch):
    page = watch().open("#/nothing")
    page.clock.install()  # nothing waits to its end
    page.route("**/api/v1/ladders", lambda route: route.abort())
    follow(page, "#/ladders")
    button = page.get_by_role("alert").get_by_role("button", name="Try again now")
    button.wait_for()
    page.unroute("**/api/v1/ladders")
    button.click()
    page.locator("ladders-view .card").first.wait_for()


def test_refusal_that_stays_is_not_tried_again(watch):
    page = watch().open("#/round/nothing")
    expect(page.get_by_role("alert")).to_have_text("This server has no such round.")
    expect(page.get_by_role("button", name="Try again now")).to_have_count(0)


def test_view_that_fails_late_leaves_the_one_opened_since(watch):
    page = watch().open()
    page.locator("code-entry").wait_for()
    held = hold(page, "daily", "Daily")
    page.get_by_role("link", name="Bots").click()
    page.locator("bots-view h1").wait_for()
    with page.expect_console_message(lambda message: "dynamically imported module" in message.text):
        held[0].abort()
    expect(page.locator("main > bots-view")).to_have_count(1)
    expect(page).to_have_title("Start a bot · evilpegs")


def test_view_that_is_opened_twice_while_it_loads_is_shown_once(open_view):
    page = open_view()
    page.locator("code-entry").wait_for()
    held = hold(page, "daily", "Daily")
    page.get_by_role("link", name="Bots").click()
    page.locator("bots-view h1").wait_for()
    page.evaluate(COUNT_VIEWS)
    page.get_by_role("link", name="Daily").click()
    expect(page.locator("nav [aria-current]")).to_have_text("Daily")
    held[0].continue_()
    page.locator("daily-view h1").wait_for()
    assert page.evaluate("window.views") == 1


def test_page_below_path_of_proxy_asks_below_it(watch):
    watched = watch()
    asked = []
    watched.page.on("request", lambda request: asked.append(request.url))
    site = watched.url

    def proxy(route):
        answer = route.fetch(url=route.request.url.replace("/pegs/", "/"))
        route.fulfill(response=answer)

    watched.page.route(f"{site}pegs/**", proxy)
    watched.page.goto(f"{site}pegs/")
    watched.page.locator("code-entry").wait_for()
    watched.page.evaluate(REFUSAL, "api/v1/ladders")
    assert asked
    assert all(url.startswith(f"{site}pegs/") for url in asked)
