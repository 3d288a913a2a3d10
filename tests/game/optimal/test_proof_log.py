from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import code_at
from evilpegs_game.errors import DamagedError, ForeignError, MalformedError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.optimal.proof_log import KnownBounds, ProofLog, Subproblem
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED
from evilpegs_game.rules import Rules

RULES = Rules(3, 4)
codes = st.integers(0, RULES.size - 1).map(lambda index: code_at(index, RULES))
subproblems = st.tuples(st.sampled_from([UNLIMITED, 4, 5]), codes, st.sampled_from(feedbacks(3))).map(
    lambda words: Subproblem(*words)
)
bounds = (
    st.integers(1, 900).map(KnownBounds)
    | st.integers(1, 900).map(lambda total: KnownBounds(total, total))
    | st.tuples(st.integers(1, 400), st.integers(400, 900), codes).map(lambda words: KnownBounds(*words))
)


def proof_log_of(known, tried):
    proof_log = ProofLog(RULES)
    proof_log.known.update(known)
    proof_log.tried.update(tried)
    return proof_log


@given(
    st.dictionaries(subproblems, bounds, max_size=5),
    st.dictionaries(subproblems, st.dictionaries(codes, st.integers(1, 900), min_size=1, max_size=4), max_size=3),
)
def test_proof_log_round_trips(known, tried):
    text = proof_log_of(known, tried).to_text()
    again = ProofLog.from_text(text)
    assert (again.rules, again.known, again.tried) == (RULES, known, tried)
    assert again.to_text() == text


def test_proof_log_has_documented_form():
    subproblem = Subproblem(UNLIMITED, (0, 0, 1), feedbacks(3)[1])
    limited = Subproblem(5, (0, 0, 1), feedbacks(3)[0])
    proof_log = proof_log_of(
        {subproblem: KnownBounds(50, 53, (0, 1, 2)), limited: KnownBounds(41, NEVER)}, {subproblem: {(0, 2, 2): 54}}
    )
    lines = proof_log.to_text().splitlines()
    assert lines[:-1] == [
        "evilpegs proof log 1",
        "rules 3x4",
        "5 112 0,0 41 - -",
        "- 112 0,1 50 53 123",
        "- 112 0,1 133 tried 54",
    ]
    assert lines[-1].startswith("sha256 ")


def signed(body):
    return f"{body}sha256 {sha256(body.encode()).hexdigest()}\n"


def test_proof_log_refuses_damaged_text():
    text = proof_log_of({Subproblem(5, (0, 0, 1), feedbacks(3)[0]): KnownBounds(41)}, {}).to_text()
    for damaged in (text.replace("41", "43"), text[:-10], text.replace("sha256", "sha")):
        with pytest.raises(DamagedError, match="proof log"):
            ProofLog.from_text(damaged)


@settings(max_examples=20)
@given(st.dictionaries(subproblems, bounds, max_size=3))
def test_proof_log_reads_heading_of_earlier_versions(known):
    text = proof_log_of(known, {}).to_text()
    _, *facts, _ = text.splitlines()
    old = ProofLog.from_text(signed("".join(f"{line}\n" for line in ["evilpegs journal 1", *facts])))
    assert old.known == known
    assert old.to_text() == text


@pytest.mark.parametrize(
    "heading", ["", "something else", "evilpegs journal 2", "evilpegs proof log 2", "evilpegs proof"]
)
def test_proof_log_refuses_foreign_text(heading):
    for text in (heading, signed(f"{heading}\nrules 3x4\n")):
        with pytest.raises(ForeignError, match="proof log"):
            ProofLog.from_text(text)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "rules 3x",
        "rules 3x4\n5 112",
        "rules 3x4\n5 199 0,0 41 -",
        "rules 3x4\n5 112 0,0 41",
        "rules 3x4\nx 112 0,0 41 -",
    ],
)
def test_proof_log_refuses_impossible_facts(line):
    with pytest.raises(MalformedError, match="proof log") as refused:
        ProofLog.from_text(signed(f"evilpegs proof log 1\n{line}\n"))
    assert not isinstance(refused.value, DamagedError | ForeignError)
