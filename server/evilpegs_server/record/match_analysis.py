"""The analysis of a recorded match: the number of candidates left after each turn, and the value of each guess."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evilpegs_game.analysis.turns import Effort, TurnAnalysis, analyze_games
from evilpegs_game.rules import Rules
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.replay import (
    GameReplay,
    MatchReplay,
    TurnReplay,
    add_analyses,
    histories,
    read_replay,
    replay_document,
)


def analyze_match(
    match: str,
    entries: Sequence[LogEntry],
    effort: Effort | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> MatchReplay:
    """Return a match with its turns analyzed; without ``effort``, only candidates are counted.

    ``progress`` gets the numbers of turns done and of all turns. Raises RecordUnreadableError.
    """
    read = read_replay(match, entries)
    spent = effort or Effort(feedback_budget=0, solver_budget=0)
    analyses = analyze_games(Rules.parse(read.rules), histories(read), spent, progress=progress)
    games = tuple(
        _with_analyses(game, turns, keep=effort is not None) for game, turns in zip(read.games, analyses, strict=True)
    )
    return replace(read, games=games)


def analyzed_document(match: MatchReplay) -> dict[str, Any]:
    """Return the JSON object of ``evilpegs replay --json``; analyses are None unless every turn has one."""
    document = replay_document(match)
    analyses = [[turn.analysis for turn in game.turns] for game in match.games]
    if all(analysis is not None for turns in analyses for analysis in turns):
        add_analyses(document, ([each.to_json() for each in turns if each] for turns in analyses))
    return document


def _with_analyses(game: GameReplay, analyses: Sequence[TurnAnalysis], *, keep: bool) -> GameReplay:
    turns = [_with_analysis(turn, each, keep=keep) for turn, each in zip(game.turns, analyses, strict=True)]
    return replace(game, turns=tuple(turns))


def _with_analysis(turn: TurnReplay, analysis: TurnAnalysis, *, keep: bool) -> TurnReplay:
    return replace(turn, candidates=analysis.candidates_after or None, analysis=analysis if keep else None)
