"""Matches that come back from the database: open ones after a stop or a kill, and finished ones when asked for.

A record is replayed: its events give the facts from which the state machine is rebuilt, in 1 ms for a short match and
10 ms for a long one. At the start, `MatchRegistry.restore` opens the matches that were open. Later the registry reads
those that are over, and those whose events could not be stored.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_protocol import server_messages
from evilpegs_protocol.codec import decode_record_event
from evilpegs_server.match.events import Fact, GameBegun, GameEnded, GameOpened, GuessAnswered, MatchEnded
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import Match
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.storage.log.archive import StoredMatch, load_match
from evilpegs_server.storage.queries import Reader


class ReplayedMatch(NamedTuple):
    key: MatchKey
    player: int
    match: Match
    event_log: EventLog


def read_match(engine: Reader, ladders: Mapping[str, Ladder], match: str) -> ReplayedMatch | None:
    """Read and replay a match; None if there is no such match, or if its ladder is not in ``ladders``."""
    stored = load_match(engine, match)
    return None if stored is None else replay_match(stored, ladders)


def replay_match(stored: StoredMatch, ladders: Mapping[str, Ladder]) -> ReplayedMatch | None:
    ladder = ladders.get(stored.ladder)
    if ladder is None:
        return None
    events = [decode_record_event(entry.text) for entry in stored.entries]
    match = Match.from_facts(ladder, facts_from_events(ladder, events, stored.client_nonces))
    tie_nonces = events[0].tie_nonces if events and isinstance(events[0], server_messages.MatchStarted) else None
    key = MatchKey(stored.id, ladder, stored.seed, tie_nonces)
    return ReplayedMatch(key, stored.player, match, EventLog(stored.id, stored.entries))


def facts_from_events(
    ladder: Ladder, events: Iterable[server_messages.RecordEvent], client_nonces: Mapping[int, str | None]
) -> Iterator[Fact]:
    """Yield the facts of a record; a game not in ``client_nonces`` has no `GameBegun`. Raises EvilpegsError."""
    for event in events:
        match event:
            case server_messages.GameStarted():
                yield GameOpened(event.game)
                if event.game in client_nonces:
                    yield GameBegun(event.game, client_nonces[event.game])
            case server_messages.FeedbackGiven():
                guess = parse_code(event.code, ladder.rules)
                feedback = Feedback(event.black, event.white)
                yield GuessAnswered(event.game, event.turn, guess, feedback, event.took_ms, event.left_ms)
            case server_messages.GameOver():
                opened = event.nonce is not None
                yield GameEnded(event.game, event.outcome, event.guesses, event.elapsed_ms, opened=opened)
            case server_messages.MatchOver():
                yield MatchEnded(event.outcomes, event.guesses, event.elapsed_ms)
