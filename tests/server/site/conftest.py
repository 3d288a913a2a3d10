"""A server on which matches were played, shared by all tests of the site that change nothing."""

import httpx
import pytest

from support.site_server import played_site


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The server and its matches."""
    with played_site(f"sqlite:///{tmp_path_factory.mktemp('site') / 'played.sqlite3'}") as played:
        yield played


@pytest.fixture(scope="session")
def web(site):
    """A client of the site that follows no redirection."""
    with httpx.Client(base_url=site.url) as client:
        yield client
