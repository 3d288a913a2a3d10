"""`evilpegs verify` of what a client received: answers, other messages, an open match, two matches."""

import json

import pytest

from evilpegs_protocol.codec import canonical


@pytest.fixture
def events(run, server, played, tmp_path):
    """The events of a rated match of ten games."""
    path = tmp_path / "played.jsonl"
    assert run("replay", played[0]["matches"][0]["match"], "--record", path, "--database", server.database).status == 0
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def verify(run, tmp_path):
    def verify(messages, *options):
        path = tmp_path / "received.jsonl"
        path.write_text("".join(canonical(message) + "\n" for message in messages))
        return run("verify", path, *options)

    return verify


def as_received(events):
    """Return the messages that a client receives with the events, in order."""
    messages = [{"type": "resumed", "match": events[0]["match"], "seq": 0, "state": "turn", "game": 1, "re": "r"}]
    for number, event in enumerate(events):
        answer = {"re": f"g{number}"} if event["type"] == "feedback" else {}
        turn = {"type": "turn", "match": event["match"], "game": 1, "turn": 1, "left_ms": 1}
        messages += [event | answer, turn, {"type": "pong", "c": number}]
    return messages


def test_messages_that_are_no_events_are_left_out(verify, events):
    document = verify(as_received(events), "--json").document
    assert (document["holds"], document["finished"], document["events"]) == (True, True, len(events))


def test_changed_event_between_messages_is_found(verify, events):
    other = {"black": 0 if events[3].get("black") == 4 else 4}  # the second guess may have solved the game
    changed = [event | (other if event["seq"] == 4 else {}) for event in events]
    assert verify(as_received(changed)).status == 1


def test_open_match_is_not_finished(verify, events):
    ended = [event["seq"] for event in events if event["type"] == "game_over"]
    result = verify(events[: ended[2] + 3], "--json")
    document = result.document
    assert (result.status, document["holds"], document["finished"]) == (3, True, False)
    assert [game["result"] for game in document["games"]] == ["holds"] * 3 + ["not checked"]
    assert "not finished" in verify(events[: ended[2] + 3]).out


def test_false_reply_in_open_match_is_found(verify, events):
    """The head that shows any change is in the last event; in an open match only the game itself contradicts."""
    ended = [event["seq"] for event in events if event["type"] == "game_over"]
    other = {"black": 0 if events[2]["black"] else 1, "white": 0}
    changed = [event | (other if event["seq"] == 3 else {}) for event in events[: ended[2] + 3]]
    result = verify(changed, "--json")
    assert (result.status, result.document["holds"]) == (1, False)
    assert {finding["game"] for finding in result.document["findings"]} == {1}


def test_two_matches_are_one_line(verify, events):
    other = [event | {"match": "00112233445566aa"} for event in events]
    result = verify([*events, *other])
    assert (result.status, result.out) == (2, "")
    assert events[0]["match"] in result.complaint
    assert "00112233445566aa" in result.complaint


def test_welcome_before_record_leads_to_record(verify, events):
    result = verify([{"type": "welcome", "player": "ann"}, *events])
    assert result.status == 2
    assert all(fact in result.complaint for fact in ("welcome", "/api/v1/matches/MATCH/record", "evilpegs replay"))
