"""The page at other addresses than localhost, and what leaves the machine, which is nothing."""

import pytest

from support.browser import WatchedPage, follow, own_address
from support.page.local_games import play
from support.threaded_server import server_in_thread

pytestmark = pytest.mark.full


def open_socket(page):
    """Open a WebSocket to the game as the page learns it; return the type of the first answer."""
    return page.evaluate("""async () => {
      const { url } = await (await fetch("api/v1/game")).json();
      const socket = new WebSocket(url, "evilpegs.v1");
      await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
      socket.send(JSON.stringify({type: "hello", client: {name: "page", version: "1"}}));
      const answer = await new Promise((resolve) => { socket.onmessage = resolve; });
      socket.close();
      return JSON.parse(answer.data).type;
    }""")


def play_first_guess(page):
    play(page, "1122")
    page.locator("reply-bars").wait_for()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_page_on_own_machine_plays_and_reaches_game(open_view, server, host):
    page = open_view(url=server.site_url.replace("127.0.0.1", host))
    play_first_guess(page)
    assert open_socket(page) == "welcome"


def test_page_in_classroom_plays_and_reaches_game(open_view, tmp_path):
    """A plain address of the network is no secure context, so what needs one must not be missed."""
    host = own_address()
    with server_in_thread(f"sqlite:///{tmp_path / 'class.sqlite3'}", host=host) as server:
        page = open_view(url=server.site_url)
        play_first_guess(page)
        assert open_socket(page) == "welcome"
        assert host in server.site_url
        assert page.evaluate("isSecureContext") == host.startswith("127.")
        page.goto("about:blank")  # before its server stops


def test_policy_refuses_other_port_of_same_machine(watch):
    watched = watch()
    page = watched.open()
    with page.expect_console_message(lambda message: "connect-src" in message.text):
        page.evaluate("new WebSocket('ws://127.0.0.1:9/v1')")
    assert any("connect-src" in each for each in watched.problems)


def test_every_file_that_views_load_is_kept(open_view):
    page = open_view("#/nothing")
    kept = {}
    page.on("response", lambda answer: kept.update({answer.url: answer.headers.get("cache-control", "")}))
    page.reload()
    site = page.url.partition("#")[0]
    for view, drawn in {"": "code-entry", "bots": "textarea", "protocol": "article h2"}.items():
        follow(page, f"#/{view}")
        page.locator(drawn).first.wait_for()
    files = {url: cache for url, cache in kept.items() if "/api/" not in url and url != site}
    assert {url.rpartition(".")[2] for url in files} == {"js", "css", "svg", "md", "json", "txt"}
    assert set(files.values()) == {"public, max-age=31536000, immutable"}


def visit(context, url):
    """Open the first view in a page of its own; return the addresses of the requests that left the browser."""
    page = context.new_page()
    network = context.new_cdp_session(page)
    asked, sent = {}, set()
    network.on("Network.requestWillBeSent", lambda event: asked.update({event["requestId"]: event["request"]["url"]}))
    network.on("Network.requestServedFromCache", lambda event: asked.pop(event["requestId"]))
    network.on(
        "Network.responseReceived",
        lambda event: event["response"]["fromDiskCache"] or sent.add(asked.get(event["requestId"])),
    )
    network.send("Network.enable")
    page.goto(url, wait_until="load")
    play_first_guess(page)
    page.get_by_role("button", name="Hints").wait_for()  # it is loaded after the first guess
    page.close()
    return sent - {None}


def test_second_visit_asks_for_the_page_and_for_open_rounds_only(browser, server):
    watched = WatchedPage(browser, server.site_url)
    first, second = (visit(watched.context, server.site_url) for _ in range(2))
    watched.close()
    assert len(first) > 20
    assert second == {server.site_url, f"{server.site_url}api/v1/rounds"}
