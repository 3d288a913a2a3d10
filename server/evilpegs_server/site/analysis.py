"""The analysis of matches that are over."""

import asyncio
from typing import Any

from sqlalchemy import Engine

from evilpegs_server.storage.archive import load_match


class MatchNotOverError(Exception):
    """The refusal to analyze a match while it is played."""


class MatchAnalyses:
    """The analyses of matches, by id."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def document(self, match_id: str) -> dict[str, Any]:
        """Return the analysis of a match.

        Raises:
            LookupError: there is no such match.
            MatchNotOverError: the match is not over.
        """
        stored = await asyncio.to_thread(load_match, self._engine, match_id)
        if stored is None:
            raise LookupError(match_id)
        if not stored.over:
            raise MatchNotOverError(match_id)
        return {"match": match_id}
