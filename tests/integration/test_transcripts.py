"""The transcripts on the protocol page equal the messages of a real server to the letter."""

import json

import pytest

from evilpegs_clients.verification.verify import verify_game
from evilpegs_protocol.server_messages import Reply
from tools.transcripts import LONG, PAGE, SCENES, by_hand, evil, fixed, heading, replay, transcripts

ON_PAGE = transcripts(PAGE.read_text())


def received(lines):
    """Return the messages that clients received in a transcript."""
    return [json.loads(line.split(" < ", 1)[1]) for line in lines if " < " in line]


@pytest.mark.parametrize("title", SCENES)
async def test_transcript_replays_to_the_letter(title):
    assert await replay(ON_PAGE[title]) == ON_PAGE[title]


def test_page_has_every_scene():
    assert set(ON_PAGE) == set(SCENES)
    for lines in ON_PAGE.values():
        assert sum(" > " in line for line in lines) >= 3
        assert len(received(lines)) >= 5


def test_games_on_page_verify():
    events = [message for message in received(ON_PAGE[heading(fixed)]) if "at" in message]
    for event in events:
        event.pop("re", None)
    assert verify_game(events, 1, "my-own-luck") == []
    assert verify_game(events, 2) == []


def test_page_shows_nearly_every_message_type():
    shown = {message["type"] for lines in ON_PAGE.values() for message in received(lines)}
    known = {model.model_fields["type"].default for model in Reply.__args__}
    assert known - shown <= {"pong", "notice"}
    assert LONG in [message.get("parts") for message in received(ON_PAGE[heading(evil)])]


def test_page_shows_parts_of_the_answered_guess():
    """Parts are in feedback order, count the candidates before the reply, and include the one that was given."""
    (feedback,) = (message for message in received(ON_PAGE[heading(by_hand)]) if message["type"] == "feedback")
    assert feedback["parts"] == sorted(feedback["parts"])
    assert sum(size for *_, size in feedback["parts"]) == 6**4
    assert [feedback["black"], feedback["white"], feedback["candidates"]] in feedback["parts"]
