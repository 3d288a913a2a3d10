"""The models of messages as a check of the dicts that the server sends: no field is missing, wrong or unknown."""

import json

from evilpegs_protocol.codec import canonical, decode_event, decode_record_event
from evilpegs_protocol.server_messages import Unknown


def fields(event):
    """Return the dict that a server writes for an event given as a model."""
    return event.model_dump(mode="json", exclude={"re"})


def encode_event(event):
    """Return the canonical JSON of an event given as a model."""
    return canonical(fields(event))


def assert_is_record_event(text):
    assert encode_event(decode_record_event(text)) == text


def assert_is_message(text):
    message = decode_event(text)
    assert not isinstance(message, Unknown)
    assert message.model_dump(mode="json") == json.loads(text)
