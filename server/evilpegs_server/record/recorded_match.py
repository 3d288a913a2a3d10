"""A recorded match for people: the first flaw in its hashes, the analyses of its turns, and its JSON document."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from evilpegs_game.errors import EvilpegsError
from evilpegs_game.feedback import History
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import tie_index, tie_share
from evilpegs_protocol.record import GENESIS, Record, RecordedGame, chain, read_record
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_server.record.event_log import LogEntry

if TYPE_CHECKING:  # a server that reads replays does not analyze them in its own process
    from evilpegs_game.analysis.turns import Effort, TurnAnalysis
    from evilpegs_game.optimal.evil_search import Ties


class RecordUnreadableError(EvilpegsError):
    """A record whose events cannot be read. The message is one line that names the match."""


def chain_flaw(entries: Sequence[LogEntry]) -> str | None:
    """Return a line that describes the first flaw in the chain of hashes."""
    hashes = [GENESIS, *chain(entry.text for entry in entries)]
    for number, (entry, (head, expected)) in enumerate(zip(entries, pairwise(hashes), strict=True), 1):
        if entry.seq != number:
            return f"event {number} is missing"
        if entry.hash != expected:
            return f"event {number} was changed: its hash does not follow from the one before"
        if entry.type == "match_over" and json.loads(entry.text)["head"] != head:
            return "the head in match_over is not the hash of the event before"
    return None


@dataclass(frozen=True, slots=True)
class MatchReplay:
    """A recorded match; unless ``analyzed``, ``analyses``, per game and turn, only count candidates."""

    record: Record
    events: int
    flaw: str | None  # of `chain_flaw`
    analyses: "tuple[tuple[TurnAnalysis, ...], ...]" = ()
    analyzed: bool = False

    @property
    def histories(self) -> tuple[History, ...]:
        rules = Rules.parse(self.record.started.rules)
        return tuple(game.history(rules) for game in self.record.games.values())


def read_replay(match: str, entries: Sequence[LogEntry]) -> MatchReplay:
    """Return a match without analyses, even if it has a flaw. Raises RecordUnreadableError."""
    flaw = chain_flaw(entries)
    try:
        return MatchReplay(read_record(entry.text for entry in entries), len(entries), flaw)
    except ValueError as error:
        raise RecordUnreadableError(f"the record of match {match} cannot be read: {flaw or error}") from None


def analyze_match(
    match: str,
    entries: Sequence[LogEntry],
    effort: "Effort | None" = None,
    progress: Callable[[int, int], None] | None = None,  # gets the turns done, and all
) -> MatchReplay:
    """Return a match with its turns analyzed, or without ``effort`` counted. Raises RecordUnreadableError."""
    from evilpegs_game.analysis.turns import Effort, analyze_games  # noqa: PLC0415 - see the top of this file

    read = read_replay(match, entries)
    spent = effort or Effort(feedback_budget=0, solver_budget=0)
    rules, ties = Rules.parse(read.record.started.rules), evil_ties(read.record) if effort else ()
    analyses = analyze_games(rules, read.histories, spent, ties=ties, progress=progress)
    return replace(read, analyses=analyses, analyzed=effort is not None)


def evil_ties(record: Record) -> "list[Ties | None]":
    """Return how evil chose in each game; the nonce of a game that is not over leaves that open."""
    return [_ties_of(record.started, game) for game in record.games.values()]


def _ties_of(started: MatchStarted, game: RecordedGame) -> "Ties | None":
    if started.codemaker != "evil":
        return None
    if started.tie != "largest/seeded":
        return "first"
    if game.over is None or game.over.nonce is None:
        return "worst"
    share = tie_share(started.tie_nonces, game.over.client_nonce)
    return partial(tie_index, game.over.nonce, started.match, game.game, share=share)


_OF_TURN: Final = ("turn", "code", "black", "white", "candidates", "method", "took_ms", "left_ms")


def replay_document(match: MatchReplay) -> dict[str, Any]:
    """Return the JSON object of ``evilpegs replay --json``."""
    record, started = match.record, match.record.started
    document = {
        **{name: getattr(started, name) for name in ("match", "ladder", "rules", "codemaker", "player")},
        "client": record.client,
        "at": started.at,
        "events": match.events,
        "over": record.over is not None,
        "flaw": match.flaw,
        "games": [
            {
                "game": game.game,
                "outcome": game.outcome,
                "guesses": len(game.turns),
                "elapsed_ms": game.over.elapsed_ms if game.over else sum(turn.took_ms for turn in game.turns),
                **{name: getattr(game.over, name, None) for name in ("secret", "nonce")},
                "turns": [
                    {name: getattr(turn, name) for name in _OF_TURN} | {"candidates": None, "analysis": None}
                    for turn in game.turns
                ],
            }
            for game in record.games.values()
        ],
    }
    if match.analyses:
        add_analyses(document, ([turn.to_json() for turn in turns] for turns in match.analyses), match.analyzed)
    return document


def add_analyses(document: dict[str, Any], analyses: Iterable[Iterable[Mapping[str, Any]]], whole: bool = True) -> None:
    """Add results of `TurnAnalysis.to_json`, per game and turn, in place; unless ``whole``, only the candidates."""
    for game, turns in zip(document["games"], analyses, strict=True):
        for turn, analysis in zip(game["turns"], turns, strict=True):
            turn["candidates"] = analysis["after"] or None
            turn["analysis"] = analysis if whole else None
