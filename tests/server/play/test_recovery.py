"""The facts of a record are those that were written, so a match comes back as it was."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.fields import Program
from evilpegs_server.match.events import GameBegun, GameEnded, GuessAnswered
from evilpegs_server.match.match import Match
from evilpegs_server.play.recovery import facts_from_events
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Recorder, ShownEnd
from evilpegs_server.replies.codemaking import Reply
from evilpegs_server.replies.game_secrets import MatchKey
from support.match_states import durable_state


def write_down(key, facts):
    """Return the record of these facts."""
    recorder = Recorder(key, EventLog(key.id), lambda: 7)
    recorder.open([], "ann", Program(name="tester", version="1.0"))
    for fact in facts:
        end = recorder.first_shown_end([fact])
        reply = Reply(fact.feedback) if isinstance(fact, GuessAnswered) else None
        recorder.record([fact], reply, shown=end and ShownEnd(end, "11"))
    return recorder.event_log


def decode(match, event_log, nonces):
    events = [decode_record_event(entry.text) for entry in event_log.entries]
    return list(facts_from_events(match.ladder, events, nonces))


def without_earlier_details(fact):
    """Return a fact without the details that earlier events hold."""
    return replace(fact, history=(), client_nonce=None, begun=True) if isinstance(fact, GameEnded) else fact


@settings(deadline=None)
@given(st.data())
def test_record_restores_facts_of_any_match(random_matches, data):
    driver = data.draw(random_matches)
    match = MatchKey("00112233445566aa", driver.match.ladder, b"s" * 32)
    nonces = {fact.game: fact.client_nonce for fact in driver.facts if isinstance(fact, GameBegun)}
    facts = decode(match, write_down(match, driver.facts), nonces)
    assert facts == [without_earlier_details(fact) for fact in driver.facts]
    assert durable_state(Match.from_facts(match.ladder, facts)) == durable_state(driver.match)
