"""Names that only an operator can give, such as those of strategies."""

import time

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.acts import add_players
from evilpegs_server.storage.log.players import new_token


def given_names(database, names):
    """Give the names to bots, as their operator does, and return their tokens."""
    tokens = {name: new_token() for name in names}
    engine = open_database(database)
    add_players(engine, tokens, "bot", time.time_ns() // 1_000_000)
    engine.dispose()
    return tokens
