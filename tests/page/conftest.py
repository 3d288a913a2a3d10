"""A real server, a browser, and pages that may do nothing wrong."""

import pytest

from support.browser import WatchedPage, running_browser
from support.leftovers import no_thread_left
from support.page.played_matches import play_bots, wait_for_leaderboard
from support.site_server import wait_for_analysis
from support.threaded_server import server_in_thread


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """A server without matches, which tests may play on."""
    database = f"sqlite:///{tmp_path_factory.mktemp('page') / 'page.sqlite3'}"
    with server_in_thread(database) as running:
        yield running


@pytest.fixture(scope="package")
def played(server, tmp_path_factory):
    """The last match of each bot by its name and ladder, after bots have played on the server."""
    plan = [("minimax", "classic", 2), ("first-consistent", "classic", 1), ("minimax", "classic-evil", 1)]
    plan.append(("random-consistent", "classic-practice", 27))
    summaries = play_bots(server, tmp_path_factory.mktemp("bots"), plan)
    matches = {
        (each.player, ladder): each.matches[-1].match for each, (_, ladder, _) in zip(summaries, plan, strict=True)
    }
    for each, (_, ladder, _) in zip(summaries[:3], plan[:3], strict=True):
        wait_for_leaderboard(server.site_url, ladder, each.player, len(each.games))  # practice has none
    return matches


@pytest.fixture(scope="package")
def analyzed(server, played):
    """The matches of `played`, of which those on rated ladders are analyzed."""
    for (_, ladder), match in played.items():
        if ladder != "classic-practice":
            wait_for_analysis(server.site_url, match)  # the first starts a process and loads kernels
    return played


@pytest.fixture(scope="package")
def browser():
    """The browser of these tests; Playwright's loop must have ended before tests with other loops begin."""
    with running_browser() as browser:
        yield browser


@pytest.fixture
def open_view(browser, server):
    """Open a view by its address, with options of Playwright's context; at the end its page must have no problems."""
    opened = []

    def open_view(address="#/", url=None, **options):
        watched = WatchedPage(browser, url or server.site_url, **options)
        opened.append(watched)
        return watched.open(address)

    yield open_view
    for watched in opened:
        watched.close()
    for watched in opened:
        watched.check()


@pytest.fixture
def watch(browser, server):
    """Return a page that is not checked at the end, for tests of the checks."""
    opened = []

    def watch(url=None, **options):
        opened.append(WatchedPage(browser, url or server.site_url, **options))
        return opened[-1]

    yield watch
    for watched in opened:
        watched.close()
