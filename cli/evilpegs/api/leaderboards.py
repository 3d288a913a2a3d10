"""What a running server knows, without playing on it."""

from evilpegs.errors import as_malformed
from evilpegs.reading import fetch_standings, retry_policy
from evilpegs_clients.bot.bot import without_await
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_game.errors import require
from evilpegs_protocol.leaderboard import LeaderboardDocument


def leaderboard(server: str, ladder: str) -> LeaderboardDocument:
    """Read the leaderboard of a rated ladder from a running server, as ``evilpegs leaderboard --server`` does.

    It has ``rows``, best first, each with ``player``, ``games``, ``score``, ``rank`` and more, and ``places``, the
    place of each row. ``model_dump(mode="json")`` is its JSON object in ``evilpegs leaderboard --json``.

    Args:
        server: The server's address, such as ``ws://127.0.0.1:8765``, or several with commas between them.
        ladder: The id of a rated ladder that the server offers, such as ``classic``.

    Raises:
        MalformedError: an argument is wrong, or the server has no such ladder, or no leaderboard for it.
        ClientError: the server cannot be reached, or runs without its site.

    In the example, ``server`` is the address that ``evilpegs serve`` prints.

    >>> import evilpegs
    >>> standings = evilpegs.leaderboard(server, "classic")
    >>> standings.ladder, standings.rules
    ('classic', '4x6')
    """
    require(server, str, "a server", "its address, such as 'ws://127.0.0.1:8765'")
    require(ladder, str, "a ladder", "its id, such as 'classic'")
    with as_malformed():
        return without_await(_fetch)(server, ladder)


async def _fetch(server: str, ladder: str) -> LeaderboardDocument:
    async with ServerReader(server, "evilpegs", retry_policy(), lambda _: None) as reader:
        (standings,) = await fetch_standings(reader, ladder)
        return standings
