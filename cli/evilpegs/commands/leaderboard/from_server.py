"""Leaderboards requested from a running server."""

from pydantic import ValidationError

from evilpegs.errors import CommandError
from evilpegs.ladder_errors import practice_ladder, unknown_ladder
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_protocol.client_messages import ReadStandings
from evilpegs_protocol.listings import Standings
from evilpegs_protocol.server_messages import ErrorCode


async def fetch_standings(reader: ServerReader, ladder_id: str | None = None) -> list[Standings]:
    """Return one leaderboard, or all with rated games; raise CommandError for an unknown or practice ladder."""
    if ladder_id is not None:
        return [await _fetch_one(reader, ladder_id)]
    leaderboards = [await reader.standings(info.id) for info in reader.welcome.ladders if info.rated]
    return [standings for standings in leaderboards if standings.rows]


async def _fetch_one(reader: ServerReader, ladder_id: str) -> Standings:
    rated = {info.id: info.rated for info in reader.welcome.ladders}
    if not rated.get(ladder_id, True):
        raise practice_ladder(ladder_id, reader.server)
    try:
        ReadStandings(ladder=ladder_id)
        return await reader.standings(ladder_id)
    except ValidationError:
        raise _unknown(ladder_id, reader) from None
    except ServerRefusedError as error:
        if error.code is not ErrorCode.UNKNOWN_LADDER:
            raise
        raise _unknown(ladder_id, reader) from None


def _unknown(ladder_id: str, reader: ServerReader) -> CommandError:
    return unknown_ladder(ladder_id, [info.id for info in reader.welcome.ladders if info.rated], reader.server)
