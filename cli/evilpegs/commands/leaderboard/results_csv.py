"""The matches and games behind leaderboards as comma-separated values; times are Unix milliseconds."""

import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any, Final, Literal

from evilpegs.commands.leaderboard.comma_separated import write_table
from evilpegs.commands.leaderboard.from_database import load_results
from evilpegs.database import open_results
from evilpegs.signals import run_interruptibly
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.games import GameResult

MATCH_COLUMNS: Final = (
    *("ladder", "match", "player", "kind", "client", "started_at", "ended_at"),
    *("games", "solved", "mean", "elapsed_ms"),
)
GAME_COLUMNS: Final = (*GameResult._fields, "score")


def write_results(
    database: str | None, ladder: str | None, kind: str | None, until: int, each: Literal["match", "game"]
) -> None:
    """Print a line per game that counts on a ladder or on all, or per match; scores and luck are in guesses."""
    limits = {found.id: found.guess_limit for found in load_ladders().values()}
    with open_results(database) as derived:
        found = run_interruptibly(load_results(derived, ladder, until))
        games = (game for game in found if kind in {None, game.kind})
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
