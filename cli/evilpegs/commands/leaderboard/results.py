"""The games and matches behind the leaderboards of a database, as CSV."""

import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any, Final, Literal

from evilpegs.commands.leaderboard.comma_separated import write_table
from evilpegs.database import open_results
from evilpegs.kit.standings import FollowedStandings
from evilpegs.signals import run_interruptibly
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.storage.derived.games import GameResult
from evilpegs_server.storage.log.ladders import known_ladders

MATCH_COLUMNS: Final = (
    *("ladder", "match", "player", "kind", "client", "started_at", "ended_at"),
    *("games", "solved", "mean", "elapsed_ms"),
)
GAME_COLUMNS: Final = (*GameResult._fields, "score")


def write_results(
    database: str | None, ladder: str | None, kind: str | None, until: int, each: Literal["match", "game"]
) -> None:
    """Print a line per game that counts on a ladder or on all, or per match; scores and luck are in guesses."""
    with open_results(database) as derived:
        limits = {found.id: found.guess_limit for found in known_ladders(derived.engine).values()}
        followed = FollowedStandings(derived, ladder, until)
        run_interruptibly(followed.complete())
        games = (game for game in followed.leaderboards.counting.results(ladder) if kind in {None, game.kind})
        if each == "game":
            write_table(sys.stdout, GAME_COLUMNS, (game_cells(game, limits) for game in games))
        else:
            matches = groupby(games, key=lambda game: game.match)
            write_table(sys.stdout, MATCH_COLUMNS, (match_cells(list(each), limits) for _, each in matches))


def game_cells(game: GameResult, guess_limits: Mapping[str, int]) -> list[Any]:
    luck = None if game.luck is None else game.luck / MILLIONTHS
    return [luck if name == "luck" else value for name, value in game._asdict().items()] + [_score(game, guess_limits)]


def match_cells(games: Sequence[GameResult], guess_limits: Mapping[str, int]) -> list[Any]:
    scores = [score for game in games if (score := _score(game, guess_limits)) is not None]
    of_games = len(scores), sum(game.outcome == "solved" for game in games), fmean(scores) if scores else None
    first, ended_at = games[0], max(game.ended_at for game in games)
    of_match = first.ladder, first.match, first.player, first.kind, first.client, first.started_at, ended_at
    return [*of_match, *of_games, sum(game.elapsed_ms for game in games)]


def _score(game: GameResult, guess_limits: Mapping[str, int]) -> int | None:
    if game.outcome == "void":
        return None
    return game.guesses if game.outcome == "solved" else guess_limits[game.ladder] + 1
