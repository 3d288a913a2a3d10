"""Checked lines: texts are read again, and any damage to a line is found and located."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.errors import DamagedError
from evilpegs_game.optimal import proof_log
from evilpegs_game.optimal.proof_log import CHECKSUM_DIGITS, format_line, read_lines
from support.examples import share

texts = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)
contexts = texts
LINE = format_line("- 112 0,1 50 53 123", "3x4")
"""A line in which each damage of the tests below is tried at each place."""


def damaged_line(lines, context="3x4", first_number=1):
    with pytest.raises(DamagedError) as caught:
        list(read_lines(lines, context, first_number))
    return caught.value.line


@given(st.lists(texts, max_size=5), contexts)
def test_checked_lines_round_trip(kept, context):
    lines = [format_line(text, context) for text in kept]
    assert list(read_lines(lines, context)) == kept
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)


def test_documented_lines_match_their_checksums():
    heading, *facts = [
        f"{line.strip()}\n".encode() for line in proof_log.__doc__.splitlines() if line.startswith("    ")
    ]
    assert list(read_lines([heading], "")) == ["evilpegs proof log 2 4x7"]
    assert len(list(read_lines(facts, "4x7"))) == 3
    assert all(len(line.split()[-1]) == CHECKSUM_DIGITS for line in facts)


@pytest.mark.parametrize(
    ("text", "context", "line"),
    [
        ("", "", b" 01ba4719c80b6fe9\n"),
        ('["0 \\u00e9",null]', "5" * 64, b'["0 \\u00e9",null] a337c41d4b5fe6d1\n'),
    ],
)
def test_checked_line_keeps_its_bytes(text, context, line):
    """Files of earlier versions contain these lines."""
    assert format_line(text, context) == line


@pytest.mark.parametrize("at", range(len(LINE)))
def test_any_changed_byte_of_line_is_found(at):
    others = (bytes([byte]) for byte in range(256) if byte != LINE[at])
    for other in others:
        assert damaged_line([LINE[:at] + other + LINE[at + 1 :]]) == 1


@pytest.mark.parametrize("at", range(len(LINE)))
def test_any_removed_byte_of_line_is_found(at):
    assert damaged_line([LINE[:at] + LINE[at + 1 :]]) == 1


@pytest.mark.parametrize("at", range(len(LINE) + 1))
def test_any_added_byte_of_line_is_found(at):
    for byte in range(256):
        assert damaged_line([LINE[:at] + bytes([byte]) + LINE[at:]]) == 1


@settings(max_examples=share(50))
@given(texts.filter(bool), contexts, st.data())
def test_changed_character_of_any_text_is_found(text, context, data):
    line = format_line(text, context).decode()
    at = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda character: character != line[at]))
    assert damaged_line([f"{line[:at]}{other}{line[at + 1 :]}".encode()], context) == 1


def test_replaced_character_stands_for_no_other_bytes():
    """Undecodable bytes are damage even where decoding turns them into the character that was there."""
    line = format_line("a \ufffd", "")
    assert list(read_lines([line], "")) == ["a \ufffd"]
    assert damaged_line([line.replace("\ufffd".encode(), b"\xff")], "") == 1


@given(texts, contexts, contexts)
def test_line_of_other_context_is_found(text, context, other):
    lines = [format_line(text, other)]
    if context == other:
        assert list(read_lines(lines, context)) == [text]
    else:
        assert damaged_line(lines, context) == 1


@pytest.mark.parametrize("line", [b"", b"\n", b" \n", b"text\n", b"01ba4719c80b6fe9\n", b"\xff\n"])
def test_line_without_checksum_is_found(line):
    assert damaged_line([line], "") == 1


def test_damaged_line_is_named_by_its_number():
    lines = [format_line(text, "3x4") for text in "abcd"]
    for place in range(4):
        damaged = [*lines[:place], b"x" + lines[place], *lines[place + 1 :]]
        assert damaged_line(damaged) == place + 1
        assert damaged_line(damaged, first_number=12) == place + 12


def test_lines_before_damage_are_read():
    reader = read_lines([LINE, b"torn"], "3x4", 7)
    assert next(reader) == "- 112 0,1 50 53 123"
    with pytest.raises(DamagedError, match=r"\b8\b"):
        next(reader)
