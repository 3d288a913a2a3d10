"""The server that the tests of the site share does not touch the global random generator.

Hypothesis fails a test with FlakyStrategyDefinition if the state of that generator changes while the test draws.
"""

import random

from websockets.asyncio import connection

from support.servers import dial


async def state_changes_with_ping(url):
    """Return whether a ping, as the keepalive of each connection sends one, changes the global random state."""
    async with dial(url) as client:
        before = random.getstate()
        await (await client.socket.ping())
        return random.getstate() != before


async def test_ping_leaves_global_random_state_alone(site):
    assert not await state_changes_with_ping(site.game_url)


async def test_ping_changes_global_random_state_by_default(site, monkeypatch):
    """The control: as websockets comes, a ping draws from the global generator."""
    monkeypatch.setattr(connection, "random", random)
    assert await state_changes_with_ping(site.game_url)
