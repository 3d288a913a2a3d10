"""`evilpegs verify --key`: a record that its server did not sign is found, however consistent it is."""

import json
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_protocol.codec import canonical
from evilpegs_server.record.recorder import RecordSigner
from support.forgery import forge

FORGER = RecordSigner(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
UNSIGNED = {("signature", 0, 0)}


@pytest.fixture
def real(run, server, played, tmp_path):
    """The record of a match against fixed secrets that a real server kept."""
    match = played[0]["matches"][0]["match"]
    assert run("replay", match, "--record", tmp_path / "real.jsonl", "--database", server.database).status == 0
    return tmp_path / "real.jsonl"


@pytest.fixture
def key_file(server):
    """The file of the server's public keys."""
    return Path(server.database.removeprefix("sqlite:///") + ".key.pub")


@pytest.fixture
def key(key_file):
    return key_file.read_text().split()[-1]


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path, events):
    path.write_text("".join(canonical(event) + "\n" for event in events))
    return path


def sign(over, signer=FORGER):
    return over | {"signature": signer.sign(over)}


def findings(result):
    return {(found["check"], found["game"], found["turn"]) for found in result.document["findings"]}


def test_real_record_is_signed_by_server(run, real, key):
    result = run("verify", real, "--key", key, "--json")
    assert (result.status, result.document["signed_by"], result.document["findings"]) == (0, key, [])
    assert "conditions" not in {claim["claim"] for claim in result.document["not_proved"]}
    assert key in run("verify", real, "--key", key).out.splitlines()[-1]


def test_file_of_keys_is_accepted(run, real, key_file, key, tmp_path):
    assert run("verify", real, "--key", key_file, "--json").document["signed_by"] == key
    several = tmp_path / "keys"
    several.write_bytes(f"\ufeff# ours, für alle\r\n\r\n{FORGER.public_key}\r\n{key}\r\n".encode())
    assert run("verify", real, "--key", several, "--json").document["signed_by"] == key
    several.write_text(key, encoding="utf-16")
    assert ": it is UTF-16; save it as UTF-8" in run("verify", real, "--key", several).complaint


FORGERIES = {
    "unsigned": lambda real, forged: forged,
    "with the signature of the real match": lambda real, forged: [
        *forged[:-1],
        forged[-1] | {"signature": real[-1]["signature"]},
    ],
    "signed by the forger": lambda real, forged: [*forged[:-1], sign(forged[-1])],
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_forged_record_fails_with_key_only(run, real, key, tmp_path, forgery):
    """The control is the same record without --key: everything in it can be recomputed and holds."""
    events = read(real)
    path = write(tmp_path / "forged.jsonl", forgery(events, forge(events)))
    control = run("verify", path, "--json")
    assert (control.status, control.document["holds"]) == (0, True)
    assert [game["guesses"] for game in control.document["games"]] == [1] * 10
    result = run("verify", path, "--key", key, "--json")
    assert (result.status, result.document["signed_by"]) == (1, None)
    assert findings(result) == UNSIGNED


def test_forged_record_shows_that_operator_could_forge(run, real, tmp_path):
    forged = forge(read(real))
    path = write(tmp_path / "forged.jsonl", [*forged[:-1], sign(forged[-1])])
    result = run("verify", path, "--key", FORGER.public_key, "--json")
    assert (result.status, result.document["signed_by"]) == (0, FORGER.public_key)
    assert "match" in {claim["claim"] for claim in result.document["not_proved"]}


@pytest.mark.parametrize("field", ["at", "elapsed_ms", "outcomes", "guesses", "head", "signature", "match", "seq"])
def test_signature_covers_every_field_of_last_event(run, real, key, tmp_path, field):
    events = read(real)
    value = events[-1][field]
    other = {int: lambda: value + 1, str: lambda: "0" * len(value), list: lambda: value[::-1][:-1]}[type(value)]()
    events[-1][field] = other
    path = write(tmp_path / "changed.jsonl", events)
    assert ("signature", 0, 0) in findings(run("verify", path, "--key", key, "--json"))


@pytest.mark.parametrize("events", [-1, 2, 1])
def test_open_match_is_not_signed_yet(run, real, key, tmp_path, events):
    """It has the exit status of an open match, and the signature is listed as not checked."""
    path = write(tmp_path / "open.jsonl", read(real)[:events])
    result = run("verify", path, "--key", key, "--json")
    assert (result.status, result.document["findings"], result.document["signed_by"]) == (3, [], None)
    assert "signature" in {remark["check"] for remark in result.document["not_checked"]}
    assert sum("not over, so" in line for line in run("verify", path, "--key", key).out.splitlines()) == 1


def test_changed_record_of_open_match_fails(run, real, key, tmp_path):
    """The control: without a signature a violation still counts."""
    events = read(real)[:-1]
    changed = write(tmp_path / "changed.jsonl", [*events[:2], *events[3:]])
    assert run("verify", changed, "--key", key).status == 1


def test_key_may_begin_with_hyphen(run, real):
    assert findings(run("verify", real, "--key", "-" + "A" * 42, "--json")) == UNSIGNED
    assert findings(run("verify", real, "--key=-" + "A" * 42, "--json")) == UNSIGNED


def test_missing_library_is_one_line(run, real, key, monkeypatch):
    """The control is the same record without --key, which needs no library."""
    monkeypatch.setitem(sys.modules, "cryptography", None)
    result = run("verify", real, "--key", key)
    assert (result.status, result.out) == (2, "")
    assert "'.[verify]'" in result.complaint
    assert run("verify", real).status == 0
