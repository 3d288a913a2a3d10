"""The events of matches on a server, as they are played; a lost connection is restored without losing any."""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.match_client import refused_ladder
from evilpegs_clients.connection.server_reader import EventsMissed, ReaderEvent, ServerReader
from evilpegs_game.errors import MalformedError
from evilpegs_protocol.server_messages import MatchOver, MatchStarted, RecordEvent


@dataclass(frozen=True, slots=True)
class Watched:
    """One match from its start, those of one ladder, or, without either, those of every ladder."""

    match: str | None = None
    ladder: str | None = None
    pasts: int = 0  # the newest matches of ladders to receive from their start, counted over all of them


async def watch_matches(
    server: str, watched: Watched, retry_policy: RetryPolicy, on_event: Callable[[ReaderEvent], object]
) -> AsyncGenerator[RecordEvent, None]:
    """Yield events as they happen; some may come twice at the beginning of a ladder.

    Raises ClientError, and MalformedError if there is no such ladder.
    """
    async with ServerReader(server, "evilpegs watch", retry_policy, on_event) as reader:
        path = _path(reader, watched)
        async with aclosing(reader.follow(path)) as stream:
            async for sent in stream:
                if sent.event == "reset":
                    on_event(EventsMissed())
                if sent.event in {"place", "reset"}:
                    # only now, so that nothing is missed between these and the events of the stream
                    live = await reader.live_matches(watched.ladder, watched.pasts) if watched.pasts else []
                    for match in live:
                        for text in await reader.record(match):
                            yield reader.decode(text)
                else:
                    event = reader.decode(sent.data)
                    yield event
                    if isinstance(event, MatchOver) and event.match == watched.match:
                        return


def _path(reader: ServerReader, watched: Watched) -> str:
    if watched.match is not None:
        return f"api/v1/matches/{watched.match}/events"
    if watched.ladder is None:
        return "api/v1/events"
    if watched.ladder not in {info.id for info in reader.welcome.ladders}:
        raise MalformedError(refused_ladder(watched.ladder, reader.welcome.ladders, reader.server).message)
    return f"api/v1/ladders/{watched.ladder}/events"


MAX_MATCHES: Final = 10_000  # beyond it, the match that was looked up least recently is forgotten


@dataclass(slots=True)
class KnownMatch:
    player: str | None = None
    ladder: str | None = None
    seen: set[int] = field(default_factory=set)  # numbers of events


class MatchBook:
    def __init__(self) -> None:
        self._matches: OrderedDict[str, KnownMatch] = OrderedDict()

    def get(self, match: str) -> KnownMatch:
        """Return what is known of the match, and remember it from now on."""
        known = self._matches.setdefault(match, KnownMatch())
        self._matches.move_to_end(match)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return known

    def introduce(self, match: str, player: str, ladder: str) -> None:
        known = self.get(match)
        known.player, known.ladder = player, ladder

    def is_new(self, event: RecordEvent) -> bool:
        """Remember ``event`` and return True if none of its match and number was seen before."""
        known = self.get(event.match)
        if isinstance(event, MatchStarted):
            known.player, known.ladder = event.player, event.ladder
        if event.seq in known.seen:
            return False
        known.seen.add(event.seq)
        return True
