"""The matches and games behind leaderboards as comma-separated values; times are Unix milliseconds."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import IO, Any, Final

from evilpegs.commands.leaderboard.comma_separated import write_table
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.storage.games import GameResult

MATCH_COLUMNS: Final = (
    *("ladder", "match", "player", "kind", "client", "started_at", "ended_at"),
    *("games", "solved", "mean", "elapsed_ms"),
)
GAME_COLUMNS: Final = (
    *("ladder", "match", "game", "player", "kind", "client", "outcome", "guesses"),
    *("score", "luck", "ended_at", "elapsed_ms"),
)


def write_games(file: IO[str], games: Iterable[GameResult], guess_limits: Mapping[str, int]) -> None:
    """Write a line per game, by ``guess_limits`` of the ladders; scores and luck are in guesses."""
    write_table(file, GAME_COLUMNS, (_game_cells(game, guess_limits) for game in games))


def write_matches(file: IO[str], games: Iterable[GameResult], guess_limits: Mapping[str, int]) -> None:
    """Write a line per match of ``games``, whose order is by match; void games do not count."""
    matches = groupby(games, key=lambda game: game.match)
    write_table(file, MATCH_COLUMNS, (_match_cells(list(each), guess_limits) for _, each in matches))


def _score(game: GameResult, guess_limits: Mapping[str, int]) -> int | None:
    if game.outcome == "void":
        return None
    return game.guesses if game.outcome == "solved" else guess_limits[game.ladder] + 1


def _game_cells(game: GameResult, guess_limits: Mapping[str, int]) -> list[Any]:
    luck = None if game.luck is None else game.luck / MILLIONTHS
    cells = game._asdict() | {"score": _score(game, guess_limits), "luck": luck}
    return [cells[column] for column in GAME_COLUMNS]


def _match_cells(games: Sequence[GameResult], guess_limits: Mapping[str, int]) -> list[Any]:
    scores = [score for game in games if (score := _score(game, guess_limits)) is not None]
    cells = games[-1]._asdict() | {
        "ended_at": max(game.ended_at for game in games),
        "games": len(scores),
        "solved": sum(game.outcome == "solved" for game in games),
        "mean": fmean(scores) if scores else None,
        "elapsed_ms": sum(game.elapsed_ms for game in games),
    }
    return [cells[column] for column in MATCH_COLUMNS]
