"""Leaderboards that stay on the screen and change as games end, from the retained messages of an MQTT broker."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table

from evilpegs.commands.feed.follow import print_outage
from evilpegs.commands.feed.missing_ladder import MissingLadder
from evilpegs.output import can_redraw, console
from evilpegs.reading import retry_policy
from evilpegs.tables import Column, fit_table
from evilpegs_clients.printable import printable
from evilpegs_protocol.broker import Broker
from evilpegs_protocol.feed_topics import ANY, FeedTopics

_Row = Mapping[str, Any]
_WAITING: Final = "waiting for a leaderboard"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text but {type(value).__name__}")
    return printable(value)


def _rank(row: _Row) -> str:
    return "-" if row.get("rank") is None else f"{row['rank']:,}"


def _interval(row: _Row) -> str:
    low, high = row.get("low"), row.get("high")
    return "" if low is None or high is None else f"{low:.2f}-{high:.2f}"


COLUMNS: Final = (
    Column[_Row]("rank", _rank, "right"),
    Column[_Row]("player", lambda row: _text(row["player"]), style="bold"),
    Column[_Row]("client", lambda row: _text(row["client"]), narrow={3: None}),
    Column[_Row]("games", lambda row: f"{row['games']:,}", "right", narrow={4: None}),
    Column[_Row]("mean", lambda row: f"{row['mean']:.3f}", "right"),
    Column[_Row]("95 % interval", _interval, "right", narrow={2: None}),
    Column[_Row]("solved", lambda row: f"{row['solved']:.0%}", "right", narrow={1: None}),
)


async def show_board(broker: Broker, ladder: str | None) -> None:
    """Show one leaderboard, or all that have rows, until interrupted; off a terminal, print each version."""
    from evilpegs_clients.feed.broker_feed import follow_broker  # noqa: PLC0415 - needs the extra `mqtt`

    out = console()
    boards: dict[tuple[str, str], Table] = {}
    live = Live(console=out, auto_refresh=False) if can_redraw(out) else None
    with live or nullcontext():
        _show(out, live, _WAITING)
        topics, missing = FeedTopics(ANY), MissingLadder(ladder, print_outage)
        wanted = [topics.leaderboard(ladder or ANY)] + ([topics.live(ladder)] if ladder else [])
        async for message in follow_broker(broker, wanted, retry_policy(), print_outage, missing.expect):
            missing.note(message.topic)
            if message.topic.kind != "leaderboard":
                continue
            key, table = (message.topic.server, message.topic.ladder or ""), board_table(out, message.fields)
            if table is not None:
                boards[key] = table
            elif message.fields.get("rows") == []:  # the server has a new database
                boards.pop(key, None)
            if live is not None:
                _show(out, live, Group(*(boards[key] for key in sorted(boards))) if boards else _WAITING)
            elif table is not None:
                _show(out, None, table)


def _show(out: Console, live: Live | None, shown: RenderableType) -> None:
    if live is not None:
        live.update(shown, refresh=True)
    else:
        out.print(shown)
        out.file.flush()


def board_table(out: Console, document: Mapping[str, Any]) -> Table | None:
    """Return the table of a published leaderboard, narrowed to fit; None if it is malformed or has no rows."""
    try:
        ladder, rules, codemaker = (_text(document[name]) for name in ("ladder", "rules", "codemaker"))
        rows = document["rows"]
        return fit_table(out, rows, COLUMNS, f"{ladder}: {rules}, {codemaker} codemaker")[0] if rows else None
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return None
