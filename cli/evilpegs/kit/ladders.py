"""The built-in ladders, with those of evilpegs.toml and of a database."""

import os
from collections.abc import Sequence
from pathlib import Path

from evilpegs.errors import unknown_ladder
from evilpegs_protocol.server_messages import LadderInfo


def local_ladders(database: str | None = None) -> Sequence[LadderInfo]:
    from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415 - with --server no server is needed here

    known = load_ladders()
    if database is not None or os.environ.get("EVILPEGS_CONFIG") or Path("evilpegs.toml").exists():
        from evilpegs.database import open_results, server_settings  # noqa: PLC0415 - needs the extra `server`
        from evilpegs_server.storage.log.ladders import known_ladders  # noqa: PLC0415

        if database is not None:
            with open_results(database) as derived:
                known = known_ladders(derived.engine)
        known |= server_settings().own_ladders()
    return [ladder.info() for ladder in known.values()]


def local_ladder(ladder: str) -> LadderInfo:
    infos = {info.id: info for info in local_ladders()}
    if ladder not in infos:
        raise unknown_ladder(ladder, infos)
    return infos[ladder]
