"""A database in which tests store matches."""

import pytest

from support.stored_matches import store_players


@pytest.fixture
def classic_database(engine):
    """A database with players and no match."""
    store_players(engine)
    return engine
