"""A match of a server, a database or a record file, turn by turn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from evilpegs.errors import CommandError, as_malformed
from evilpegs.files import read_record_file
from evilpegs.options import MATCH_ID, NEWEST
from evilpegs.reading import explain_refusals, retry_policy
from evilpegs_clients.bot.bot import without_await
from evilpegs_clients.connection.server_reader import ReaderEvent, ServerReader
from evilpegs_game.analysis.turns import THOROUGH, USUAL, TurnAnalysis
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.errors import MalformedError, quoted, require, to_flag
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import CodecError, canonical, check_canonical, decode_record_event
from evilpegs_server.record.event_log import EventLog, LogEntry
from evilpegs_server.record.recorded_match import MatchReplay, analyze_match, replay_document


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """A turn of a `ReplayedGame`; ``left_ms`` is None without a clock, ``candidates`` if they were not counted."""

    guess: Code
    feedback: Feedback
    candidates: int | None
    took_ms: int
    left_ms: int | None
    analysis: TurnAnalysis | None
    """What the guess was worth, as in `GameAnalysis`."""


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game of a `Replay`; ``outcome`` and ``secret`` are None while it is not over."""

    game: int
    outcome: str | None
    secret: Code | None
    elapsed_ms: int
    turns: tuple[ReplayedTurn, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Replay:
    """The result of `replay`: the terms of a match, and its ``games`` with their turns.

    ``at`` is when it began, in Unix milliseconds, ``over`` says whether it has ended, and ``flaw`` is a line about the
    first flaw in its chain of hashes, or None.

    >>> import evilpegs
    >>> match = evilpegs.replay(file="match.jsonl")
    >>> match.rules, match.codemaker, match.games[0].outcome, match.flaw
    (Rules(pegs=4, colors=6, repeats=True), 'evil', 'solved', None)
    >>> [evilpegs.format_code(turn.guess) for turn in match.games[0].turns]
    ['1122', '1344', '3526', '1462', '5532']
    """

    match: str
    player: str
    client: str
    ladder: str
    rules: Rules
    codemaker: str
    at: int
    events: int
    over: bool
    flaw: str | None
    games: tuple[ReplayedGame, ...]
    _recorded: MatchReplay = field(compare=False)

    def __repr__(self) -> str:
        games = f"{len(self.games)} game{'' if len(self.games) == 1 else 's'}"
        return f"<Replay of match {self.match}: {self.player} on {self.ladder}, {games}>"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs replay --json``."""
        return replay_document(self._recorded)


def replay(
    match: str = NEWEST,
    *,
    server: str | None = None,
    database: str | None = None,
    file: str | Path | None = None,
    analysis: bool = True,
    thorough: bool = False,
) -> Replay:
    """Read a match and say what each guess was worth, as ``evilpegs replay`` does.

    Args:
        match: The id of a match, or ``last`` for the newest; from a database, the beginning of an id is enough. A file
            holds one match.
        server: The address of a running server, such as ``ws://127.0.0.1:8765``.
        database: The URL of a database, such as ``sqlite:///evilpegs.sqlite3``; this needs the extra ``server``.
        file: A record, as `verify` takes it. Name one of the three.
        analysis: False leaves `ReplayedTurn.analysis` out.
        thorough: True if the analysis of a turn may take minutes. Values that would take too long to compute are None.

    Raises:
        MalformedError: an argument is wrong, there is no such match, or it cannot be read.
        ClientError: the server cannot be reached, or runs without its site.

    >>> import evilpegs
    >>> match = evilpegs.replay(file="match.jsonl")
    >>> match
    <Replay of match 1a2018336be6678e: minimax on classic-evil, 4 games>
    >>> [turn.candidates for turn in match.games[0].turns]
    [256, 44, 7, 1, 1]
    """
    require(match, str, "the id of a match", "16 hex digits, or 'last'")
    require(server, str | None, "a server", "its address, such as 'ws://127.0.0.1:8765', or leave it out")
    require(database, str | None, "a database", "a URL such as 'sqlite:///FILE', or leave it out")
    require(file, str | Path | None, "the name of a file", "that of a record, or leave it out")
    if not to_flag("analysis", analysis) and to_flag("thorough", thorough):
        raise MalformedError("thorough needs analysis; leave one of them out", arguments=("thorough", "analysis"))
    if [server, database, file].count(None) != 2:
        raise MalformedError("name one source: server, database or file", arguments=("server", "database", "file"))
    with as_malformed():
        if server is not None:
            name, entries = without_await(fetch_recorded)(server, match, lambda _: None)
        elif file is not None:
            name, entries = _read_file(str(file), match)
        else:
            name, entries = load_recorded(database, match)
        effort = None if not analysis else THOROUGH if to_flag("thorough", thorough) else USUAL
        return _to_replay(analyze_match(name, entries, effort))


def load_recorded(database: str | None, name: str, *, with_sealed: bool = False) -> tuple[str, list[LogEntry]]:
    """Return the id and the events of a match of a database. Raises CommandError if there is none."""
    from evilpegs.database import find_match, open_for_reading  # noqa: PLC0415 - needs the extra `server`

    with open_for_reading(database) as engine:
        stored = find_match(engine, name, with_sealed=with_sealed)
    return stored.id, stored.entries


async def fetch_recorded(
    server: str, name: str, on_event: Callable[[ReaderEvent], object]
) -> tuple[str, list[LogEntry]]:
    """Return the id and the events of a match of a server. Raises CommandError if there is none."""
    if name != NEWEST and not MATCH_ID.fullmatch(name.lower()):
        raise CommandError(f"not the id of a match: {quoted(name)}; write its 16 hex digits, or last for the newest")
    async with ServerReader(server, "evilpegs", retry_policy(), on_event) as reader:
        match = name.lower()
        if name == NEWEST:
            newest = await reader.newest_match()
            if newest is None:
                raise CommandError(f"there is no finished match on {reader.server} yet")
            match = newest
        with explain_refusals(server, match=match):
            return match, _to_entries(match, await reader.record(match))


def _read_file(file: str, name: str) -> tuple[str, list[LogEntry]]:
    started, events = read_record_file(file)
    match = started.match
    if name not in {NEWEST, match}:
        raise CommandError(f"{file[:200]} is the record of match {match}, not of {quoted(name)}")
    texts = list[str]()
    for number, event in enumerate(events, 1):
        try:
            check_canonical(event)
            texts.append(canonical(event))
            decode_record_event(texts[-1])
        except (CodecError, ValueError) as error:
            raise CommandError(f"{file[:200]}: event {number} is not one of a match: {error}") from None
    return match, _to_entries(match, texts)


def _to_entries(match: str, texts: Iterable[str]) -> list[LogEntry]:
    log = EventLog(match)
    for text in texts:
        # a record has no hashes of single events, so only the hash in `match_over` can disagree with the events
        event = orjson.loads(text)
        log.append_text(event["at"], event["type"], text)
    return log.entries


def _to_replay(recorded: MatchReplay) -> Replay:
    document, analyses = replay_document(recorded), recorded.analyses
    rules = Rules.parse(document["rules"])
    games = (
        ReplayedGame(
            *(game["game"], game["outcome"]),
            None if game["secret"] is None else parse_code(game["secret"], rules),
            game["elapsed_ms"],
            tuple(
                ReplayedTurn(
                    *(analysis.guess, analysis.feedback),
                    *(turn["candidates"], turn["took_ms"], turn["left_ms"]),
                    analysis if recorded.analyzed else None,
                )
                for turn, analysis in zip(game["turns"], turns, strict=True)
            ),
        )
        for game, turns in zip(document["games"], analyses, strict=True)
    )
    terms = {name: value for name, value in document.items() if name not in {"rules", "games"}}
    return Replay(**terms, rules=rules, games=tuple(games), _recorded=recorded)
