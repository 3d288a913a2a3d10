"""`evilpegs verify`, and `evilpegs replay --record` that writes what it reads."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from evilpegs_clients.independent import plain_parts
from evilpegs_protocol.canonical import canonical, chain

MATCH = {
    *("match", "player", "ladder", "rules", "codemaker", "tie", "events"),
    *("holds", "findings", "not_checked", "games"),
}
GAME = {"game", "outcome", "guesses", "secret", "result"}
REMARK = {"check", "game", "turn", "what"}


@pytest.fixture
def record(run, server, evil_match, tmp_path):
    """The record of a match against evil that a real server kept, in a file."""
    path = tmp_path / "record.jsonl"
    assert run("replay", evil_match, "--record", path, "--database", server.database).status == 0
    return path


@pytest.fixture
def fixed_record(run, server, played, tmp_path):
    path = tmp_path / "fixed.jsonl"
    match = played[0]["matches"][0]["match"]
    assert run("replay", match, "--record", path, "--database", server.database).status == 0
    return path


def events_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path, events):
    path.write_text("".join(canonical(event) + "\n" for event in events))


def change(path, kind, game, turn=None, **fields):
    """Change one event, and the head too, so that the hashes alone show nothing."""
    events = events_of(path)
    [event] = [e for e in events if e["type"] == kind and e.get("game") == game and e.get("turn") == turn]
    event |= fields
    events[-1]["head"] = chain(map(canonical, events))[-2]
    write(path, events)


# Writing a record


def test_a_record_is_the_events_one_a_line(run, server, evil_match, record):
    lines = record.read_text().splitlines()
    assert len(lines) == 30
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 31))
    assert [canonical(json.loads(line)) for line in lines] == lines
    told = run("replay", evil_match, "--record", "-", "--database", server.database)
    assert told.out == record.read_text()
    assert (told.status, told.err) == (0, "")


def test_what_was_written_is_told(run, server, evil_match, tmp_path):
    options = ("replay", evil_match, "--record", tmp_path / "a", "--database", server.database)
    assert run(*options).out.splitlines() == [
        f"match {evil_match}: 30 events written to {tmp_path / 'a'}",
        "the chain of 30 hashes holds",
    ]
    document = run(*options, "--json").document
    assert document == {"match": evil_match, "record": str(tmp_path / "a"), "events": 30, "flaw": None}


def test_a_broken_chain_is_told_when_written(run, evil_match, tampered, tmp_path):
    database = tampered("UPDATE events SET json = replace(json, '\"turn\":1', '\"turn\":2') WHERE match = :match")
    result = run("replay", evil_match, "--record", tmp_path / "a", "--database", database)
    assert result.status == 1
    assert "the chain of hashes is broken: event 3 was changed" in result.out
    assert run("verify", tmp_path / "a").status == 1


@pytest.mark.parametrize(
    ("place", "says"),
    [
        *((place, "cannot write") for place in ("none/record.jsonl", ".", "a\0b")),
        ("", "the name of the file after --record is empty; write one"),
        ("--json", "--json stands where a file should"),
    ],
)
def test_where_no_record_can_be_written(run, server, evil_match, place, says):
    result = run("replay", evil_match, "--record", place, "--database", server.database)
    assert (result.status, result.out) == (2, "")
    assert says in result.complaint


def test_two_documents_on_one_output(run, server, evil_match):
    result = run("replay", evil_match, "--record", "-", "--json", "--database", server.database)
    assert result.status == 2
    assert "--record - both write to standard output" in result.complaint


# Records that hold


def test_a_record_holds(run, evil_match, record):
    result = run("verify", record)
    lines = result.out.splitlines()
    assert (result.status, result.err) == (0, "")
    assert lines[0] == f"match {evil_match}: minimax on classic-evil, 4x6, evil (largest/seeded)"
    assert lines[2].split() == ["game", "outcome", "guesses", "a", "code", "that", "fits", "result"]
    assert [line.split()[:3] + line.split()[4:] for line in lines[4:8]] == [
        [str(game), "solved", "5", "holds"] for game in (1, 2, 3, 4)
    ]
    assert lines[-1] == "30 events, 4 games: everything holds"


def test_the_document(run, evil_match, record):
    document = run("verify", record, "--json").document
    assert set(document) == MATCH
    assert all(set(game) == GAME and game["result"] == "holds" for game in document["games"])
    assert (document["match"], document["events"], document["holds"]) == (evil_match, 30, True)
    assert (document["findings"], document["not_checked"]) == ([], [])
    assert [game["secret"] for game in document["games"]] == [
        event["secret"] for event in events_of(record) if event["type"] == "game_over"
    ]


def test_a_record_with_a_fixed_secret_holds(run, fixed_record):
    result = run("verify", fixed_record)
    assert result.status == 0
    assert "  secret  " in result.out
    assert result.out.splitlines()[-1].endswith("10 games: everything holds")


def test_a_record_that_comes_through_a_pipe(record):
    command = [sys.executable, "-m", "evilpegs", "verify", "-", "--json"]
    with record.open() as lines:
        done = subprocess.run(command, stdin=lines, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout)["holds"] is True


def test_the_game_of_practice_holds(run, server, played, tmp_path):
    run("bot", "minimax", "--server", server.url, "--ladder", "classic-evil-practice", "--name", "practising")
    run("replay", "last", "--record", tmp_path / "a", "--database", server.database)
    result = run("verify", tmp_path / "a")
    assert result.status == 0
    assert "on classic-evil-practice, 4x6, evil (largest)" in result.out


# Records that do not


def first_tie(events):
    """A turn of game 1 in which two parts are equally large, as (turn, the other feedback); by counting."""
    from evilpegs_clients.independent.codes import Feedback, Space, Turn
    from evilpegs_clients.independent.evil_rule import evil_replies
    from evilpegs_clients.independent.plain_parts import count_parts

    space = Space(4, 6, True, "123456")
    for game in (1, 2, 3, 4):
        told = [event for event in events if event["type"] == "feedback" and event["game"] == game]
        turns = [Turn(space.read(event["code"]), Feedback(event["black"], event["white"])) for event in told]
        for turn, parts in enumerate(count_parts(space, turns).parts, 1):
            others = set(evil_replies(parts, space.all_black)) - {turns[turn - 1].given}
            if others:
                return game, turn, min(others)
    pytest.fail("no tie in the match")


def result_of(run, path):
    """What is found in a record that does not hold: each finding of either check."""
    result = run("verify", path, "--json")
    assert result.status == 1
    assert result.document["holds"] is False
    assert all(set(remark) == REMARK for remark in result.document["findings"])
    return {(found["check"], found["game"], found["turn"]) for found in result.document["findings"]}


def test_a_changed_feedback_is_found_by_both(run, record):
    change(record, "feedback", 1, 1, black=0, white=2)
    found = result_of(run, record)
    assert {("verification", 1, 1), ("independent", 1, 1)} <= found
    assert {game for _, game, _ in found} == {1}


def test_a_wrong_tie_is_found_by_both(run, record):
    game, turn, other = first_tie(events_of(record))
    change(record, "feedback", game, turn, black=other.black, white=other.white)
    assert {("verification", game, turn), ("independent", game, turn)} <= result_of(run, record)


def test_a_changed_nonce_is_found_by_both(run, record):
    change(record, "game_over", 2, nonce="0" * 64)
    assert {("verification", 2, 0), ("independent", 2, 0)} <= result_of(run, record)


def test_a_wrong_witness_is_found_by_both(run, record):
    change(record, "game_over", 3, secret="1111")
    found = result_of(run, record)
    assert {check for check, game, _ in found if game == 3} == {"verification", "independent"}


def test_changed_hashes_are_found(run, record):
    events = events_of(record)
    events[-1]["head"] = "0" * 64
    write(record, events)
    result = run("verify", record)
    assert result.status == 1
    assert "does not hold (verification): match: the record was changed" in result.out
    assert result.out.splitlines()[-1] == "30 events, 4 games: 1 finding, the record does not hold"


def test_a_missing_event_is_found(run, record):
    write(record, events_of(record)[:10] + events_of(record)[11:])
    assert result_of(run, record)


def test_an_event_that_is_none_is_found(run, record):
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join([*lines[:5], '{"type":"feedback","game":[]}\n', *lines[5:]]))
    found = result_of(run, record)
    assert found == {("verification", 0, 0), ("independent", 0, 0)}


ODD = [None, True, -1, 0, 2**70, "", "x", "\ud800", "\x1b[2J", "9" * 5000, [], [[]], {}, {"a": 1}, 1.5]


def test_whatever_stands_in_a_field_ends_in_a_finding_or_a_line(run, record, monkeypatch):
    """No record makes a traceback, nor reaches the terminal's controls."""
    monkeypatch.setattr(plain_parts, "feedback", cache(plain_parts.feedback))  # nearly the same games each time
    events = events_of(record)
    for place in (0, 1, 2, 7, 29):
        for number, field in enumerate(events[place]):
            for odd in ODD[number % 3 :: 3]:
                changed = [dict(event) for event in events]
                changed[place][field] = odd
                record.write_text("".join(json.dumps(event) + "\n" for event in changed))
                result = run("verify", record)
                is_covered = (place, field) != (29, "at")  # nothing that comes later could vouch for it
                assert result.status in {1, 2} or odd == events[place][field] or not is_covered, (place, field, odd)
                assert "\x1b" not in result.out + result.err
                assert bool(result.err) == (result.status == 2)


def test_the_findings_are_listed(run, record):
    change(record, "feedback", 1, 1, black=0, white=2)
    result = run("verify", record)
    told = [line.partition(": ") for line in result.out.splitlines() if line.startswith("does not hold")]
    assert {head for head, _, _ in told} == {"does not hold (verification)", "does not hold (independent)"}
    assert all(what.startswith("game 1") for _, _, what in told)
    assert any(what.startswith("game 1, turn 1: 1122 got 0,2, it should have got ") for _, _, what in told)
    assert "does not hold" in result.out.splitlines()[4]
    assert result.out.splitlines()[5].split()[-1] == "holds"


def test_a_record_that_ends_early_is_found(run, record):
    write(record, events_of(record)[:5])
    result = run("verify", record)
    assert result.status == 1
    assert "does not hold (verification): match: the record ends before the match is over" in result.out
    assert "not checked (independent): game 1: the game is not over" in result.out
    assert result.out.splitlines()[4].split()[-2:] == ["not", "checked"]


# What cannot be checked


def test_what_is_not_checked_is_neither(run, record, monkeypatch):
    monkeypatch.setattr("evilpegs.verifying.MAX_CODES", 1000)
    result = run("verify", record)
    assert result.status == 0
    assert "not checked (independent): game 1: the replies: 4x6 is too large to enumerate; 1,296 codes" in result.out
    assert result.out.splitlines()[-1] == "30 events, 4 games: nothing wrong was found; 4 things not checked"
    document = run("verify", record, "--json").document
    assert {game["result"] for game in document["games"]} == {"not checked"}
    assert len(document["not_checked"]) == 4


# What is no record

NO_RECORD = {
    "empty": (b"", "it is empty"),
    "blank": (b"\n \n", "it is empty"),
    "text": (b"hello\n", "line 1 is not a JSON object"),
    "a list": (b"[1]\n", "line 1 is not a JSON object"),
    "bytes": (b"\xff\xfe\x00", "line 1 is not a JSON object"),
    "a key twice": (b'{"type":"match_started","type":"match_started"}', "line 1 is not a JSON object"),
    "not a number": (b'{"type":NaN}', "line 1 is not a JSON object"),
    "deep": (b"[" * 200_000, "line 1 is not a JSON object"),
    "a long number": (b'{"seq":' + b"1" * 10_000 + b"}", "line 1 is not a JSON object"),
    "another object": (b"{}\n", "it does not begin with match_started"),
    "another event": (
        b'{"at":1,"commitment":"' + b"0" * 64 + b'","game":1,"match":"0123456789abcdef","ready_by_ms":1,"seq":1,'
        b'"type":"game_started"}',
        "it does not begin with match_started",
    ),
    "half an event": (b'{"type":"match_started"}', "line 1 is not an event of a match: match_started.match"),
    "half a character": (b'{"type":"match_started","match":"\\ud800"}', "line 1 is not an event"),
}


@pytest.mark.parametrize(("content", "says"), NO_RECORD.values(), ids=NO_RECORD)
def test_what_is_no_record_is_told_in_one_line(run, tmp_path, content, says):
    (tmp_path / "file").write_bytes(content)
    result = run("verify", tmp_path / "file")
    assert (result.status, result.out) == (2, "")
    assert says in result.complaint
    assert "evilpegs replay MATCH --record FILE" in result.complaint


def test_a_later_line_that_is_none(run, record):
    record.write_text(record.read_text() + "oops\n")
    result = run("verify", record)
    assert result.status == 2
    assert "line 31 is not a JSON object" in result.complaint


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.jsonl", "No such file"),
        (".", "Is a directory"),
        ("a\0b", "no such file"),
        ("/dev/zero", "line 1 is not"),
        ("--jsno", "stands where a file should"),
    ],
)
def test_a_file_that_cannot_be_read(run, name, says):
    result = run("verify", name)
    assert (result.status, result.out) == (2, "")
    assert says in result.complaint


def test_no_input():
    line = f"{sys.executable} -m evilpegs verify - <&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("evilpegs: cannot read standard input: it is closed")
    assert len(done.stderr.splitlines()) == 1


def test_the_output_may_be_closed(record):
    assert Path(record).exists()
    line = f"{sys.executable} -m evilpegs verify {record} | true"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
