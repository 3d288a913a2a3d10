"""The fast path of a guess does what the libraries do: the same frames, the same texts, and the same matches."""

import json
import re
from dataclasses import fields
from itertools import chain
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from evilpegs_game.codes import SYMBOLS
from evilpegs_protocol.codec import decode_event, encode_event
from evilpegs_protocol.fields import Event
from evilpegs_protocol.server_messages import FeedbackGiven
from evilpegs_server.fast_path import SWITCH, Switch, add_re, feedback_json, text_frame, turn_json, whole_text, without
from evilpegs_server.server import running_server
from evilpegs_server.settings import Settings
from support.servers import dial

PARTS = [field.name for field in fields(Switch)]
MESSAGES = Path(__file__).parents[1] / "protocol" / "server_messages.json"
EVENTS = [
    message for message in json.loads(MESSAGES.read_text()) if isinstance(decode_event(json.dumps(message)), Event)
]
COUNTS = st.integers(0, 10**13)
LEFT = st.none() | COUNTS


def both_ways(write, *values):
    """Return a text that both ways write alike."""
    fast = write(*values)
    with without("texts"):
        assert write(*values) == fast
    return fast


def test_parts_are_back_after_block():
    with without("early", "texts"), without("early"):
        assert Switch(early=False, texts=False) == SWITCH
    assert Switch() == SWITCH


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_text_frame_equals_websockets_frame(size):
    text = "é" * (size // 2) + "x" * (size % 2)
    assert text_frame(text) == Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


def client_frame(payload, opcode=Opcode.TEXT, fin=True):
    return Frame(opcode, payload, fin).serialize(mask=True)


def messages(payload):
    """Return the frames of a message of a client: whole, in two fragments, and in fragments around a ping."""
    half = len(payload) // 2
    parts = [client_frame(payload[:half], fin=False), client_frame(payload[half:], Opcode.CONT)]
    return st.sampled_from([[client_frame(payload)], parts, [parts[0], client_frame(b"", Opcode.PING), parts[1]]])


@given(
    frames=st.lists(st.binary(max_size=10).flatmap(messages), max_size=6).map(lambda lists: [*chain(*lists)]),
    cuts=st.lists(st.integers(0, 30), max_size=3),
)
def test_whole_text_is_what_library_reads(frames, cuts):
    """However bytes are cut into reads, a whole text is a read that is one frame of text and nothing else."""
    reads = []
    for index, each in enumerate(frames):
        cut = cuts[index] if index < len(cuts) else 0
        reads += [each[:cut], each[cut:]] if 0 < cut < len(each) else [each]
    protocol = ServerProtocol(state=State.OPEN)
    for read in reads:
        text = whole_text(read, protocol)
        with without("early"):
            assert whole_text(read, protocol) is None
        is_inside = protocol.current_size is not None
        protocol.receive_data(read)
        heard = protocol.events_received()
        is_whole = (
            read in frames and not is_inside and [(each.opcode, each.fin) for each in heard] == [(Opcode.TEXT, True)]
        )
        try:
            assert text == (bytes(heard[0].data).decode() if is_whole else None)
        except UnicodeDecodeError:
            assert text is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x81",
        client_frame(b"")[:5],
        client_frame(b"a") + b"a",
        client_frame(b"a", Opcode.BINARY),
        client_frame(b"a", fin=False),
        client_frame(b"a" * 126),
        client_frame(b"\xff"),
        Frame(Opcode.TEXT, b"aaaa").serialize(mask=False),
        b"\xc1" + client_frame(b"a")[1:],
    ],
    ids=["empty", "head", "torn", "longer", "binary", "fragment", "long", "not UTF-8", "unmasked", "compressed"],
)
def test_other_bytes_are_no_whole_text(data):
    assert whole_text(data, ServerProtocol(state=State.OPEN)) is None


@pytest.mark.parametrize(
    "begun",
    [client_frame(b"a", fin=False), Frame(Opcode.TEXT, client_frame(b"a")).serialize(mask=True)[:6]],
    ids=["message", "frame"],
)
def test_bytes_within_message_are_no_whole_text(begun):
    """The rest of a message that has begun can look like a message of its own."""
    protocol = ServerProtocol(state=State.OPEN)
    protocol.receive_data(begun)
    assert whole_text(client_frame(b"a"), protocol) is None


def test_whole_text_needs_open_connection():
    assert whole_text(client_frame(b"a"), ServerProtocol(state=State.OPEN)) == "a"
    assert whole_text(client_frame(b"a" * 125), ServerProtocol(state=State.OPEN)) == "a" * 125
    assert whole_text(client_frame(b"a"), ServerProtocol(state=State.CLOSING)) is None


@pytest.mark.parametrize("re", ["a", " ", "~" * 64, '"', "\\", '"}', '\\"', "{}[],:"])
@pytest.mark.parametrize("message", EVENTS, ids=lambda message: message["type"])
def test_answer_adds_re_to_event(message, re):
    event = decode_event(json.dumps(message))
    text = both_ways(add_re, encode_event(event), re)
    assert json.loads(text) == message | {"re": re}
    assert decode_event(text) == event.model_copy(update={"re": re})


def test_answer_without_id_is_event_itself():
    event = encode_event(decode_event(json.dumps(EVENTS[0])))
    assert both_ways(add_re, event, None) == event


@given(
    match=st.text("0123456789abcdef", min_size=16, max_size=16),
    numbers=st.tuples(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**6)),
    code=st.text(SYMBOLS, min_size=1, max_size=16),
    given_back=st.tuples(st.integers(0, 16), st.integers(0, 16)),
    times=st.tuples(COUNTS, COUNTS, LEFT),
    method=st.sampled_from([None, "exact", "greedy"]),
    stalled_ms=st.none() | st.integers(1, 10**6),
)
def test_feedback_and_turn_equal_encoded_models(match, numbers, code, given_back, times, method, stalled_ms):
    (seq, game, turn), (at, took_ms, left_ms) = numbers, times
    event = FeedbackGiven(
        match=match,
        seq=seq,
        at=at,
        game=game,
        turn=turn,
        code=code,
        black=given_back[0],
        white=given_back[1],
        method=method,
        took_ms=took_ms,
        left_ms=left_ms,
        stalled_ms=stalled_ms,
    )
    feedback = (match, seq, at, game, turn, code, given_back, took_ms, left_ms, method, stalled_ms)
    assert feedback_json(*feedback) == encode_event(event)
    assert json.loads(both_ways(turn_json, match, game, turn, left_ms))["turn"] == turn


async def played(database):
    """Play a game on a real server; return all texts that arrived, with numbers and hashes masked."""
    heard = []
    settings = Settings(port=0, site=False, database=database)
    async with running_server(settings, structlog.get_logger()) as server, dial(server.url) as player:
        recv = player.socket.recv

        async def note(*arguments):
            heard.append(await recv(*arguments))
            return heard[-1]

        player.socket.recv = note
        await player.hello("ann")
        heard.clear()
        match = await player.play("classic-evil")
        await player.say(type="guess", match=match, game=1, turn=1, code="1122", id="early")
        await player.say(type="guess", match=match, game=1, turn=2, code="1129", id="illegal")
        await player.hear("error")
        for turn in range(2, 11):
            await player.guess(match, 1, turn, "1122")
        await player.ask("match_over", type="resign", match=match, id="resigned")
    return [re.sub(r"[\w+/=-]{16,}|-?\d+", "0", text) for text in heard]


@pytest.mark.parametrize("parts", [[part] for part in PARTS] + [PARTS], ids=str)
async def test_matches_are_alike_both_ways(tmp_path, parts):
    """Messages and their order do not depend on which parts of the fast path are in use."""
    fast = await played(f"sqlite:///{tmp_path / 'fast.sqlite3'}")
    with without(*parts):
        assert await played(f"sqlite:///{tmp_path / 'plain.sqlite3'}") == fast
    assert sum('"type":"feedback"' in text for text in fast) == 10
