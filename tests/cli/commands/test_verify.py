"""`evilpegs verify`, and `evilpegs replay --record`, which writes the records."""

import io
import json
import sys

import pytest
from rich.console import Console

import evilpegs
from evilpegs.api.verification import verify_record
from evilpegs.commands.verify import show_verification
from evilpegs.errors import CommandError
from evilpegs.files import read_record_file
from evilpegs_protocol.codec import CodecError, JsonError, canonical
from evilpegs_protocol.record import chain
from support.printed import numbers_in

MATCH = {
    *("match", "player", "ladder", "rules", "codemaker", "tie", "events"),
    *("finished", "holds", "findings", "not_checked", "signed_by", "not_proved", "games"),
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
    """Change one event and adjust the head, so that the hashes alone do not show it."""
    events = events_of(path)
    [event] = [e for e in events if e["type"] == kind and e.get("game") == game and e.get("turn") == turn]
    event |= fields
    events[-1]["head"] = chain(map(canonical, events))[-2]
    write(path, events)


# Writing a record


def test_replay_record_has_one_event_per_line(run, server, evil_match, record):
    lines = record.read_text().splitlines()
    assert len(lines) == 30
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 31))
    assert [canonical(json.loads(line)) for line in lines] == lines
    written = run("replay", evil_match, "--record", "-", "--database", server.database)
    assert written.out == record.read_text()
    assert (written.status, written.err) == (0, "")


def test_replay_record_reports_events_and_chain(run, server, evil_match):
    options = ("replay", evil_match, "--record", "a", "--database", server.database)
    events, hashes = run(*options).out.splitlines()
    assert {evil_match, "30"} <= numbers_in(events)
    assert events.endswith(" a")
    assert numbers_in(hashes) == {"30"}
    document = run(*options, "--json").document
    assert document == {"match": evil_match, "record": "a", "events": 30, "flaw": None}


def test_replay_record_reports_broken_chain(run, evil_match, tampered, tmp_path):
    database = tampered("UPDATE events SET json = replace(json, '\"turn\":1', '\"turn\":2') WHERE match = :match")
    result = run("replay", evil_match, "--record", tmp_path / "a", "--database", database)
    assert result.status == 1
    assert numbers_in(result.out.splitlines()[-1]) == {"3"}
    assert run("verify", tmp_path / "a").status == 1


# Records that hold


def test_verify_record_against_evil_holds(run, evil_match, record):
    result = run("verify", record)
    lines = result.out.splitlines()
    assert (result.status, result.err) == (0, "")
    assert numbers_in(lines[0]) == {evil_match, "4x6"}
    assert {"minimax", "classic-evil,", "evil", "(largest/seeded)"} <= set(lines[0].split())
    assert [line.split()[:3] + line.split()[4:] for line in lines[4:8]] == [
        [str(game), "solved", "5", "holds"] for game in (1, 2, 3, 4)
    ]
    assert numbers_in(lines[-1]) == {"30", "4"}


def test_verify_json_has_documented_keys(run, evil_match, record):
    document = run("verify", record, "--json").document
    assert set(document) == MATCH
    assert all(set(game) == GAME and game["result"] == "holds" for game in document["games"])
    assert (document["match"], document["events"], document["holds"]) == (evil_match, 30, True)
    assert (document["findings"], document["not_checked"]) == ([], [])
    assert document["signed_by"] is None
    claims = {claim["claim"]: claim["why"] for claim in document["not_proved"]}
    assert list(claims) == ["player", "times", "void", "conditions", "match"]
    assert all(field in claims["conditions"] for field in ("ladder", "rated", "guess_limit"))
    assert [game["secret"] for game in document["games"]] == [
        event["secret"] for event in events_of(record) if event["type"] == "game_over"
    ]


def test_function_verifies_as_the_command_does(run, record):
    result = evilpegs.verify(record)
    assert (result.holds, result.finished, result.findings) == (True, True, ())
    assert result.to_json() == run("verify", record, "--json").document
    lines = record.read_text().splitlines()
    record.write_text("\n".join(line.replace('"black":0', '"black":1', 1) for line in lines[:-1]))
    changed = evilpegs.verify(str(record))
    assert (changed.holds, changed.finished) == (False, False)
    assert {"verification", "independent"} == {finding.check for finding in changed.findings}
    assert changed.to_json() == run("verify", record, "--json").document


def test_function_refuses_what_is_no_record(tmp_path):
    for wrong in (tmp_path / "missing.jsonl", __file__):
        with pytest.raises(evilpegs.MalformedError):
            evilpegs.verify(wrong)


def test_verify_record_of_fixed_secret_holds(run, fixed_record):
    result = run("verify", fixed_record)
    assert (result.status, result.err) == (0, "")
    assert "10" in numbers_in(result.out.splitlines()[-1])
    document = run("verify", fixed_record, "--json").document
    assert (document["codemaker"], document["tie"], document["holds"]) == ("fixed", None, True)
    assert [game["result"] for game in document["games"]] == ["holds"] * 10


def test_verify_reads_standard_input(run, record, monkeypatch):
    with record.open() as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        assert run("verify", "-", "--json").document["holds"] is True


def test_verify_record_of_practice_holds(run, server, played, tmp_path):
    run("bot", "minimax", "--server", server.url, "--ladder", "classic-evil-practice", "--name", "practising")
    run("replay", "last", "--record", tmp_path / "a", "--database", server.database)
    result = run("verify", tmp_path / "a")
    assert result.status == 0
    document = run("verify", tmp_path / "a", "--json").document
    assert (document["ladder"], document["rules"], document["codemaker"]) == ("classic-evil-practice", "4x6", "evil")
    assert (document["tie"], document["holds"], len(document["games"])) == ("largest", True, 1)
    assert "(largest)" in result.out.splitlines()[0].split()


# Records that do not


def first_tie(events):
    """Return (game, turn, other feedback) of the first turn in which two parts are equally large."""
    from evilpegs_clients.verification.independent.definitions import MarkedGuess, Marks, Space
    from evilpegs_clients.verification.independent.enumeration import count_parts
    from evilpegs_clients.verification.independent.replies import evil_replies

    space = Space(4, 6, True, "123456")
    for game in (1, 2, 3, 4):
        given = [event for event in events if event["type"] == "feedback" and event["game"] == game]
        turns = [MarkedGuess(space.read(event["code"]), Marks(event["black"], event["white"])) for event in given]
        for turn, parts in enumerate(count_parts(space, turns).parts, 1):
            others = set(evil_replies(parts, space.all_black)) - {turns[turn - 1].marks}
            if others:
                return game, turn, min(others)
    pytest.fail("no tie in the match")


def result_of(run, path):
    """Return (check, game, turn) of every finding in a record that does not hold."""
    result = run("verify", path, "--json")
    assert result.status == 1
    assert result.document["holds"] is False
    assert all(set(remark) == REMARK for remark in result.document["findings"])
    return {(found["check"], found["game"], found["turn"]) for found in result.document["findings"]}


def test_verify_both_find_changed_feedback(run, record):
    change(record, "feedback", 1, 1, black=0, white=2)
    found = result_of(run, record)
    assert {("verification", 1, 1), ("independent", 1, 1)} <= found
    assert {game for _, game, _ in found} == {1}


def test_verify_both_find_wrong_tie(run, record):
    game, turn, other = first_tie(events_of(record))
    change(record, "feedback", game, turn, black=other.black, white=other.white)
    assert {("verification", game, turn), ("independent", game, turn)} <= result_of(run, record)


def test_verify_both_find_changed_nonce(run, record):
    change(record, "game_over", 2, nonce="0" * 64)
    assert {("verification", 2, 0), ("independent", 2, 0)} <= result_of(run, record)


def test_verify_both_find_wrong_witness(run, record):
    change(record, "game_over", 3, secret="1111")
    found = result_of(run, record)
    assert {check for check, game, _ in found if game == 3} == {"verification", "independent"}


def test_verify_finds_changed_hash(run, record):
    events = events_of(record)
    events[-1]["head"] = "0" * 64
    write(record, events)
    result = run("verify", record)
    assert result.status == 1
    assert numbers_in(result.out.splitlines()[-1]) == {"30", "4", "1"}
    assert result_of(run, record) == {("verification", 0, 0)}


def test_verify_finds_missing_event(run, record):
    write(record, events_of(record)[:10] + events_of(record)[11:])
    assert result_of(run, record)


def test_verify_finds_malformed_event(run, record):
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join([*lines[:5], '{"type":"feedback","game":[]}\n', *lines[5:]]))
    found = result_of(run, record)
    assert found == {("verification", 0, 0), ("independent", 0, 0)}


ODD = [None, True, -1, 0, 2**70, "", "x", "\ud800", "\x1b[2J", "9" * 5000, [], [[]], {}, {"a": 1}, 1.5]


def test_verify_survives_odd_values_in_every_field(run, server, played, tmp_path):
    """No record causes a traceback or reaches the terminal's controls. A practice match has one game: it is short."""
    record = tmp_path / "a"
    run("bot", "minimax", "--server", server.url, "--ladder", "classic-evil-practice", "--name", "practising")
    run("replay", "last", "--record", record, "--database", server.database)
    events = events_of(record)
    last = len(events) - 1
    assert [events[place]["type"] for place in (2, last - 1)] == ["feedback", "game_over"]
    for place in (0, 1, 2, last - 1, last):
        for number, field in enumerate(events[place]):
            for odd in ODD[number % 5 :: 5]:
                changed = [dict(event) for event in events]
                changed[place][field] = odd
                record.write_text("".join(json.dumps(event) + "\n" for event in changed))
                result = run("verify", record)
                # Nothing that comes later could vouch for these, except the signature itself with --key.
                is_covered = (place, field) not in {(last, "at"), (last, "signature")}
                assert result.status in {1, 2} or odd == events[place][field] or not is_covered, (place, field, odd)
                assert "\x1b" not in result.out + result.err
                assert bool(result.err) == (result.status == 2)


def test_verify_lists_findings_of_both_checks(run, record):
    change(record, "feedback", 1, 1, black=0, white=2)
    lines = run("verify", record).out.splitlines()
    findings = run("verify", record, "--json").document["findings"]
    assert {finding["check"] for finding in findings} == {"verification", "independent"}
    assert {finding["game"] for finding in findings} == {1}
    assert any(finding["turn"] == 1 and {"1122", "0,2"} <= numbers_in(finding["what"]) for finding in findings)
    listed = lines[9 : 9 + len(findings)]
    assert [line.endswith(f": {finding['what']}") for line, finding in zip(listed, findings, strict=True)] == [
        True for _ in findings
    ]
    assert [f"({finding['check']})" in line for line, finding in zip(listed, findings, strict=True)] == [
        True for _ in findings
    ]
    assert lines[4].split()[-1] != lines[5].split()[-1] == "holds"


def test_verify_finds_early_end(run, record):
    write(record, events_of(record)[:5])
    result = run("verify", record, "--json")
    document = result.document
    assert (result.status, document["finished"], document["findings"]) == (3, False, [])
    (remark,) = document["not_checked"]
    assert (remark["check"], remark["game"], remark["turn"]) == ("independent", 1, 0)
    (game,) = document["games"]
    assert (game["outcome"], game["result"]) == (None, "not checked")


# What cannot be checked


def test_verify_lists_unchecked_replies_without_finding(record):
    found = verify_record(*read_record_file(str(record)), max_codes=1000).to_json()
    assert (found["holds"], found["findings"]) == (True, [])
    assert [(remark["check"], remark["game"]) for remark in found["not_checked"]] == [
        ("independent", game) for game in (1, 2, 3, 4)
    ]
    assert all({"4x6", "1,296"} <= numbers_in(remark["what"]) for remark in found["not_checked"])
    assert {game["result"] for game in found["games"]} == {"not checked"}
    show_verification(Console(file=(out := io.StringIO()), width=120), found)
    lines = out.getvalue().splitlines()
    assert sum(line.endswith(found["not_checked"][0]["what"]) for line in lines) == 4
    assert numbers_in(lines[-1]) == {"30", "4"}


# What is no record

FACTS = {"line 1", "UTF-16", "JSON", "match_started", "match_started.match"}
"""The facts that a refusal of a file may name."""
NO_OBJECT = {"line 1", "JSON"}
NO_START = {"match_started"}
NO_EVENT = {"line 1", "match_started", "match_started.match"}
NO_RECORD = {
    "empty": (b"", set()),
    "blank": (b"\n \n", set()),
    "text": (b"hello\n", NO_OBJECT),
    "a list": (b"[1]\n", NO_OBJECT),
    "bytes": (b"\xff\xfe\x00", {"UTF-16"}),
    "UTF-16": ("{}".encode("utf-16-le"), {"UTF-16"}),
    "a key twice": (b'{"type":"match_started","type":"match_started"}', {"line 1"}),
    "a number that is not whole": (b'{"type":"match_started","pegs":4.0}', {"line 1"}),
    "not a number": (b'{"type":NaN}', NO_OBJECT),
    "deep": (b"[" * 200_000, NO_OBJECT),
    "a long number": (b'{"seq":' + b"1" * 10_000 + b"}", NO_OBJECT),
    "another object": (b"{}\n", NO_START),
    "another event": (
        b'{"at":1,"commitment":"' + b"0" * 64 + b'","game":1,"match":"0123456789abcdef","ready_by_ms":1,"seq":1,'
        b'"type":"game_started"}',
        NO_START,
    ),
    "half an event": (b'{"type":"match_started"}', NO_EVENT),
    "half a character": (b'{"type":"match_started","match":"\\ud800"}', NO_OBJECT),
}


@pytest.mark.parametrize(("content", "named"), NO_RECORD.values(), ids=NO_RECORD)
def test_verify_refuses_file_without_record(run, tmp_path, content, named):
    (tmp_path / "file").write_bytes(content)
    result = run("verify", tmp_path / "file")
    assert (result.status, result.out) == (2, "")
    assert {fact for fact in FACTS if fact in result.complaint} == named
    assert "evilpegs replay MATCH --record FILE" in result.complaint


@pytest.mark.parametrize(
    ("kind", "context"), [("text", JsonError), ("half an event", CodecError), ("half a character", CodecError)]
)
def test_read_record_distinguishes_malformed_event_from_text(tmp_path, kind, context):
    (tmp_path / "file").write_bytes(NO_RECORD[kind][0])
    with pytest.raises(CommandError) as caught:
        read_record_file(str(tmp_path / "file"))
    assert type(caught.value.__context__) is context


def test_verify_names_later_malformed_line(run, record):
    record.write_text(record.read_text() + "oops\n")
    result = run("verify", record)
    assert (result.status, result.out) == (2, "")
    assert "line 31" in result.complaint


def test_verify_refuses_closed_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)  # Python's sign that it was closed before the start
    result = run("verify", "-")
    assert (result.status, result.out) == (2, "")
    assert result.complaint
