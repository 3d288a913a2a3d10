"""A server on which matches were played, shared by all tests of the site that change nothing."""

import time

import httpx
import pytest

from support.site_server import PATIENCE, played_site


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The server and its matches."""
    database = f"sqlite:///{tmp_path_factory.mktemp('site') / 'played.sqlite3'}"
    with played_site(database, count_work=1_000_000) as played:
        yield played


@pytest.fixture(scope="session")
def web(site):
    """A client of the site. The leaderboards, which change at most once per second, have the matches already."""
    with httpx.Client(base_url=site.url) as client:
        deadline = time.monotonic() + PATIENCE
        for ladder in ("classic", "classic-evil"):
            while not client.get(f"/api/v1/ladders/{ladder}/leaderboard").json()["rows"]:
                assert time.monotonic() < deadline
                time.sleep(0.02)
        yield client
