"""`evilpegs feed`: match events line by line, from a match server or an MQTT broker, or leaderboards from a broker."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter, Token
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table

from evilpegs.errors import CommandError
from evilpegs.options import DEFAULT_SERVER, FILE, to_server
from evilpegs.output import Column, can_redraw, console, fit_table, pluralize, print_json
from evilpegs.reading import explain_refusals, print_session_event, retry_policy
from evilpegs.signals import run_interruptibly
from evilpegs_clients.feed.broker_feed import KnownMatch, MatchBook
from evilpegs_clients.feed.watch_feed import Watched, watch_matches
from evilpegs_clients.printable import printable
from evilpegs_game.errors import quoted
from evilpegs_protocol.broker import Broker, BrokerUnusableError, load_broker, require_aiomqtt
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted, RecordEvent
from evilpegs_protocol.topics import ANY, FeedTopics, ParsedTopic, is_id

RETAINED_SECONDS: Final = 3.0  # after a subscription, a broker should have sent the messages that it retains
_WAITING: Final = "waiting for a leaderboard"
_Row = Mapping[str, Any]


# the value of an option that was typed, as opposed to one from an environment variable
class _Typed(str):
    __slots__ = ()


def _mark_typed(_: object, tokens: Sequence[Token]) -> str:
    (token,) = tokens
    return token.value if token.source == "env" else _Typed(token.value)


def _to_marked_server(target: object, tokens: Sequence[Token]) -> str:
    to_server(target, tokens)
    return _mark_typed(target, tokens)


def feed(
    ladder: Annotated[
        str | None, Parameter(help="The id of a ladder; by default matches on every ladder are shown.")
    ] = None,
    /,
    *,
    mqtt: Annotated[
        str | None,
        Parameter(
            env_var="EVILPEGS_MQTT",
            converter=_mark_typed,
            help="Read from this MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT.",
        ),
    ] = None,
    mqtt_user: Annotated[
        str | None,
        Parameter(env_var="EVILPEGS_MQTT_USER", converter=_mark_typed, help="The user at the broker, if it wants one."),
    ] = None,
    mqtt_password_file: Annotated[
        Path | None,
        FILE,
        Parameter(env_var="EVILPEGS_MQTT_PASSWORD_FILE", help="The file with the password in its first line."),
    ] = None,
    mqtt_ca_file: Annotated[
        Path | None,
        FILE,
        Parameter(env_var="EVILPEGS_MQTT_CA_FILE", help="The certificates to trust; by default the system's."),
    ] = None,
    server: Annotated[
        str,
        Parameter(
            env_var="EVILPEGS_SERVER", converter=_to_marked_server, help="The server's address, ws://HOST:PORT/v1."
        ),
    ] = DEFAULT_SERVER,
    board: Annotated[
        bool, Parameter(show_default=False, help="Keep the leaderboard on the screen; needs --mqtt.")
    ] = False,
    as_json: Annotated[
        bool, Parameter(name="--json", show_default=False, help="Print each event as one line of JSON.")
    ] = False,
) -> None:
    """Print match events line by line, from a server or an MQTT broker.

    Without --mqtt, the events come from the match server. With --mqtt, they come from the broker to which
    `evilpegs serve --mqtt` publishes them. A lost connection is restored. Ctrl-C ends the command.
    """
    if isinstance(server, _Typed):
        if isinstance(mqtt, _Typed):
            raise CommandError("name one source: --mqtt or --server")
        mqtt = None
    if board and as_json:
        raise CommandError("--board is for people and --json for programs; choose one")
    if board and mqtt is None:
        raise CommandError("--board reads the leaderboard from a broker; name it with --mqtt mqtt://HOST:PORT")
    if mqtt is None and isinstance(mqtt_user, _Typed):
        raise CommandError("--mqtt-user needs --mqtt")
    if mqtt is None:
        run_interruptibly(print_watched(server, Watched(ladder=ladder), as_json))
        return
    if ladder is not None and not is_id(ladder):
        raise CommandError(f"not the id of a ladder: {quoted(ladder)}; see: evilpegs ladders")
    broker = _find_broker(mqtt, mqtt_user, mqtt_password_file, mqtt_ca_file)
    if board:
        run_interruptibly(show_board(broker, ladder))
    else:
        run_interruptibly(_print_published(broker, ladder, as_json))


def _find_broker(url: str, user: str | None, password_file: Path | None, ca_file: Path | None) -> Broker:
    require_aiomqtt()
    password = os.environ.get("EVILPEGS_MQTT_PASSWORD") if password_file is None else None
    try:
        load_broker(url)
    except BrokerUnusableError as error:
        if isinstance(url, _Typed):
            raise
        raise CommandError(f"environment variable EVILPEGS_MQTT: {error}") from None
    return load_broker(url, user, password, password_file, ca_file)


def _print_outage(line: str) -> None:
    console(sys.stderr).print(printable(line), soft_wrap=True)


async def print_watched(server: str, watched: Watched, as_json: bool) -> None:
    """Print the events until interrupted, or until the only watched match is over."""
    book = MatchBook()
    with explain_refusals(server, watched.match):
        async for event in watch_matches(server, watched, retry_policy(), print_session_event):
            if book.is_new(event):
                _print_event(event, book, as_json)


async def _print_published(broker: Broker, ladder: str | None, as_json: bool) -> None:
    from evilpegs_clients.feed.broker_feed import follow_broker  # noqa: PLC0415 - needs the extra `mqtt`

    book, topics, missing = MatchBook(), FeedTopics(ANY), MissingLadder(ladder)
    # the ladder of a match follows from its first event, from properties of a message, or from the list of open matches
    wanted = [topics.live(ladder or ANY), topics.event(ANY), topics.result(ANY)]
    async for message in follow_broker(broker, wanted, retry_policy(), _print_outage, missing.expect):
        missing.note(message.topic)
        if message.topic.kind == "live":
            _introduce(message.topic.ladder or "", message.fields, book)
        elif (event := message.event()) is not None:
            properties = message.properties
            if "player" in properties and "ladder" in properties:
                book.introduce(event.match, properties["player"], properties["ladder"])
            if book.is_new(event) and (ladder is None or book.get(event.match).ladder == ladder):
                _print_event(event, book, as_json)


def _introduce(ladder: str, document: dict[str, object], book: MatchBook) -> None:
    matches = document.get("matches")
    for match in matches if isinstance(matches, list) else ():
        if isinstance(match, dict):
            known, player = match.get("match"), match.get("player")
            if isinstance(known, str) and isinstance(player, str):
                book.introduce(known, player, ladder)


def _print_event(event: RecordEvent, book: MatchBook, as_json: bool) -> None:
    if as_json:
        print_json(event.model_dump(mode="json"))
    elif (line := event_line(event, book.get(event.match))) is not None:
        print(line)  # noqa: T201
    sys.stdout.flush()


def event_line(event: RecordEvent, match: KnownMatch, zone: tzinfo | None = None) -> str | None:
    """Return the line that reports an event, by default in local time; None if the event needs no line."""
    words = _words(event)
    if words is None:
        return None
    return printable(f"{_clock(event.at, zone)}  {match.player or event.match}  {words}")


def _clock(milliseconds: int, zone: tzinfo | None) -> str:
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, zone):%H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        # anybody may publish on a broker, so the time may be impossible
        return "--:--:--"


def _words(event: RecordEvent) -> str | None:
    match event:
        case MatchStarted():
            client = f"{event.client.name} {event.client.version}"
            return f"{event.ladder}: begins a match of {pluralize(event.games, 'game')} with {client}"
        case GameStarted():
            return None
        case FeedbackGiven():
            return f"game {event.game}, turn {event.turn}: {event.code} gets {event.black},{event.white}"
        case GameOver():
            return f"game {event.game}: {event.outcome} after {pluralize(event.guesses, 'guess', 'guesses')}"
        case MatchOver():
            solved = event.outcomes.count("solved")
            guesses = pluralize(sum(event.guesses), "guess", "guesses")
            return f"ends the match: {solved} of {pluralize(len(event.outcomes), 'game')} solved, {guesses}"


class MissingLadder:
    """A hint, given once, that nothing is published for a ladder.

    Servers publish the open matches of each ladder that they offer as a retained message, which a broker sends soon
    after a subscription.
    """

    def __init__(self, ladder: str | None) -> None:
        self._ladder = ladder
        self._is_known = ladder is None

    def expect(self) -> None:
        """Schedule the hint; call this after subscribing."""
        if not self._is_known:
            asyncio.get_running_loop().call_later(RETAINED_SECONDS, self._give_hint)

    def note(self, topic: ParsedTopic) -> None:
        """Note a message; one about the ladder cancels the hint."""
        if topic.ladder is not None and topic.ladder == self._ladder:
            self._is_known = True

    def _give_hint(self) -> None:
        if not self._is_known:
            self._is_known = True
            _print_outage(f"nothing is published for the ladder {self._ladder} at this broker; waiting")


async def show_board(broker: Broker, ladder: str | None) -> None:
    """Show one leaderboard, or all that have rows, until interrupted; off a terminal, print each version."""
    from evilpegs_clients.feed.broker_feed import follow_broker  # noqa: PLC0415 - needs the extra `mqtt`

    out = console()
    boards: dict[tuple[str, str], Table] = {}
    live = Live(console=out, auto_refresh=False) if can_redraw(out) else None
    with live or nullcontext():
        _show(out, live, _WAITING)
        topics, missing = FeedTopics(ANY), MissingLadder(ladder)
        wanted = [topics.leaderboard(ladder or ANY)] + ([topics.live(ladder)] if ladder else [])
        async for message in follow_broker(broker, wanted, retry_policy(), _print_outage, missing.expect):
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
