"""A plugin of pytest: write ``pytest_plugins = "evilpegs.pytest"`` into the conftest.py of your tests."""

from collections.abc import Iterator

import pytest

from evilpegs.api.local_server import LocalServer, local_server


@pytest.fixture(scope="session")
def evilpegs_server() -> Iterator[LocalServer]:
    """A server of its own, as `evilpegs.local_server` runs it, for all tests of a session."""
    with local_server() as server:
        yield server
