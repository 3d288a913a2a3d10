"""A server on which matches were played, shared by all tests of the site that change nothing."""

import httpx
import pytest

from support.patience import PATIENCE
from support.site_server import played_site


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The server and its matches."""
    database = f"sqlite:///{tmp_path_factory.mktemp('site') / 'played.sqlite3'}"
    with played_site(database, count_work=1_000_000) as played:
        played.wait_for_leaderboards()
        yield played


@pytest.fixture(scope="session")
def web(site):
    """A client of the site."""
    with httpx.Client(base_url=site.url, timeout=PATIENCE) as client:
        yield client
