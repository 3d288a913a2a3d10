"""A recorded match is read for people, and a damaged record is refused in one line."""

import pytest

from evilpegs_game.codes import format_code
from evilpegs_game.feedback import Feedback
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.recorded_match import RecordUnreadableError, analyze_match, read_replay, replay_document
from support.matches import TINY
from support.stored_matches import StoredPlay


@pytest.fixture
def play():
    """A match after its first game."""
    play = StoredPlay(7, TINY, version="2")
    play.start()
    play.guess(1, 1, 30)
    play.guess(1, 2, 40)
    play.end_game(1, "unsolved", 2, 75)
    return play


def test_replay_holds_games_and_turns(play):
    replay = read_replay(play.log.match, play.log.entries)
    record = replay.record
    started = record.started
    assert (started.player, record.client, started.ladder, started.codemaker) == ("ann", "bot 2", "tiny", "fixed")
    assert (replay.events, record.over, replay.flaw) == (4, None, None)
    (game,) = record.games.values()
    assert (game.outcome, game.guesses, game.over.elapsed_ms) == ("unsolved", 2, 75)
    assert [(turn.code, turn.took_ms, turn.candidates) for turn in game.turns] == [("11", 30, None), ("11", 40, None)]
    ((first, _),) = replay.histories
    assert (format_code(first.guess), first.feedback) == ("11", Feedback(1, 0))


@pytest.mark.parametrize("damaged", ["{", '{"type":"nothing"}'])
def test_damaged_record_names_match(play, damaged):
    entries = [*play.log.entries[:2], LogEntry(3, 0, "feedback", damaged, "0" * 64)]
    with pytest.raises(RecordUnreadableError, match=play.log.match) as caught:
        read_replay(play.log.match, entries)
    assert "\n" not in str(caught.value)


def test_replay_without_effort_counts_candidates(play):
    document = replay_document(analyze_match(play.log.match, play.log.entries))
    turns = document["games"][0]["turns"]
    assert [(turn["candidates"], turn["analysis"]) for turn in turns] == [(4, None), (4, None)]
