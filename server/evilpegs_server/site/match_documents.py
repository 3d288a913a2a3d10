from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.site.models import GameDocument, MatchDocument, TurnDocument


def match_document(entries: Sequence[LogEntry]) -> MatchDocument:
    """Return the document of a match from its log entries, of which there is at least one."""
    started, *events = (orjson.loads(entry.text) for entry in entries)
    return MatchDocument(
        match=started["match"],
        ladder=started["ladder"],
        rules=started["rules"],
        codemaker=started["codemaker"],
        player=started["player"],
        client=f"{started['client']['name']} {started['client']['version']}",
        started_at=started["at"],
        over=entries[-1].type == "match_over",
        games=tuple(_games(events)),
    )


def _games(events: Sequence[dict[str, Any]]) -> Iterable[GameDocument]:
    numbers = sorted({event["game"] for event in events if "game" in event})
    for number in numbers:
        own = [event for event in events if event.get("game") == number]
        turns = [_turn(event) for event in own if event["type"] == "feedback"]
        over: dict[str, Any] = next((event for event in own if event["type"] == "game_over"), {})
        yield GameDocument(
            game=number,
            outcome=over.get("outcome"),
            guesses=over.get("guesses", len(turns)),
            elapsed_ms=over.get("elapsed_ms"),
            secret=over.get("secret"),
            nonce=over.get("nonce"),
            turns=tuple(turns),
        )


def _turn(event: dict[str, Any]) -> TurnDocument:
    return TurnDocument(
        turn=event["turn"],
        code=event["code"],
        black=event["black"],
        white=event["white"],
        took_ms=event["took_ms"],
        left_ms=event["left_ms"],
        candidates=event.get("candidates"),
    )
