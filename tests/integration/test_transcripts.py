"""The transcripts of the protocol's page are what a real server says, to the letter."""

import json

import pytest

from evilpegs_clients.verify import verify_game
from evilpegs_protocol.server_messages import Reply
from support.transcripts import LONG, PAGE, SCENES, replay, transcripts

ON_PAGE = transcripts(PAGE.read_text())


def heard(lines):
    return [json.loads(line.split(" < ", 1)[1]) for line in lines if " < " in line]


@pytest.mark.parametrize("title", SCENES)
async def test_a_transcript_can_be_replayed(title):
    assert await replay(ON_PAGE[title]) == ON_PAGE[title]


def test_every_transcript_of_the_page_is_known_and_has_both_sides():
    assert set(ON_PAGE) == set(SCENES)
    for lines in ON_PAGE.values():
        assert sum(" > " in line for line in lines) >= 3
        assert len(heard(lines)) >= 5


def test_the_games_on_the_page_verify():
    events = [message for message in heard(ON_PAGE["Two games of a match against a fixed secret"]) if "at" in message]
    for event in events:
        event.pop("re", None)
    assert verify_game(events, 1, "my-own-luck") == []
    assert verify_game(events, 2) == []


def test_most_kinds_of_message_are_shown():
    shown = {message["type"] for lines in ON_PAGE.values() for message in heard(lines)}
    known = {model.model_fields["type"].default for model in Reply.__args__}
    assert known - shown <= {"hint", "pong", "notice"}
    assert LONG in [message.get("parts") for message in heard(ON_PAGE["A practice game against the evil codemaker"])]
