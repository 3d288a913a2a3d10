"""The vectors that the page shares with Python hold for Python, and each of its forgeries is refused by Python too."""

import json

import pytest

from evilpegs_clients.verification.verify import verify_match
from tools.page_records import RECORDS, VECTORS, apply, render
from tools.page_vectors import FILES

RECORD_ROWS = json.loads(RECORDS.read_text())["honest"]
HONEST = {row["name"]: row["events"] for row in RECORD_ROWS}
FORGED = json.loads((VECTORS / "forgeries.json").read_text())["forged"]


@pytest.mark.parametrize("name", FILES)
def test_vectors_are_those_of_python(name):
    assert (VECTORS / f"{name}.json").read_text() == render(FILES[name]())


def test_files_hold_every_vector():
    assert {path.stem for path in VECTORS.iterdir()} == {*FILES, "records"}


def test_changed_vector_is_noticed():
    """The control of the tests above."""
    made = FILES["feedback"]()
    made["feedback"][7][3] += 1
    assert (VECTORS / "feedback.json").read_text() != render(made)


@pytest.mark.parametrize("name", HONEST)
def test_honest_record_verifies_in_python(name):
    assert verify_match(HONEST[name]) == []


@pytest.mark.parametrize("name", HONEST)
def test_forged_records_are_refused_by_python(name):
    forged = {row["forgery"]: row["changes"] for row in FORGED if row["record"] == name}
    assert [what for what, changes in forged.items() if not verify_match(apply(HONEST[name], changes))] == []
    assert len(forged) > 10


def test_records_are_of_every_codemaker_and_tie_rule():
    kinds = {(events[0]["codemaker"], events[0]["tie"], events[0].get("tie_nonces")) for events in HONEST.values()}
    ties = {("largest", None), ("largest/seeded", None), ("largest/seeded", 2)}
    assert {(tie, nonces) for codemaker, tie, nonces in kinds if codemaker == "evil"} == ties
    assert {codemaker for codemaker, _, _ in kinds} == {"fixed", "evil", "devil"}
    nonces = {
        event.get("client_nonce") for events in HONEST.values() for event in events if event["type"] == "game_over"
    }
    assert nonces >= {None, "my-own-luck"}


def test_forgeries_refute_every_check():
    """Only the signature, which the page cannot check, is left out."""
    expected = {"events", "hashes", "order", "summary", "rules", "codemaker", "commitment", "outcome", "clock"}
    assert {row["refused_by"] for row in FORGED} == expected | {"secret", "replies", "witness", "help"}
    replies = {row["forgery"] for row in FORGED if row["refused_by"] == "replies"}
    assert replies >= {"smaller part", "another of equal parts", "method"}


def test_doctored_records_are_of_every_verdict():
    rows = json.loads((VECTORS / "doctored.json").read_text())["doctored"]
    assert len({row["kind"] for row in rows}) == len(rows) > 50
    assert {row["verdict"] for row in rows} == {"holds", "does not hold", "not finished", "unreadable"}
