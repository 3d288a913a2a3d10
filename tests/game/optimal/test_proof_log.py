import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import code_at
from evilpegs_game.errors import DamagedError, ForeignError, MalformedError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.optimal import proof_log
from evilpegs_game.optimal.proof_log import KnownBounds, ProofLog, Subproblem, format_line
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


FACT = Subproblem(5, (0, 0, 1), feedbacks(3)[0])


def proof_log_of(known, tried):
    log = ProofLog(RULES)
    log.known.update(known)
    log.tried.update(tried)
    return log


@given(
    st.dictionaries(subproblems, bounds, max_size=5),
    st.dictionaries(subproblems, st.dictionaries(codes, st.integers(1, 900), min_size=1, max_size=4), max_size=3),
)
def test_proof_log_round_trips(known, tried):
    data = proof_log_of(known, tried).to_bytes()
    again = ProofLog.from_bytes(data)
    assert (again.rules, again.known, again.tried) == (RULES, known, tried)
    assert again.to_bytes() == data


def example():
    """Return a proof log with one fact of each form."""
    subproblem = Subproblem(UNLIMITED, (0, 0, 1), feedbacks(3)[1])
    return proof_log_of(
        {subproblem: KnownBounds(50, 53, (0, 1, 2)), FACT: KnownBounds(41, NEVER)}, {subproblem: {(0, 2, 2): 54}}
    )


FACTS = ["5 112 0,0 41 - -", "- 112 0,1 50 53 123", "- 112 0,1 133 tried 54"]
"""The facts of `example` in the order of their lines."""


def checked(heading, *facts, context="3x4"):
    """Return the lines of a proof log of format 2, with right checksums."""
    return [format_line(heading, ""), *(format_line(fact, context) for fact in facts)]


def test_proof_log_has_documented_form():
    assert example().to_bytes() == b"".join(checked("evilpegs proof log 2 3x4", *FACTS))


def test_proof_log_form_is_documented():
    shown = [line.strip() for line in proof_log.__doc__.splitlines() if line.startswith("    ")]
    texts = [line.rpartition(" ")[0] for line in shown]
    assert b"".join(checked(*texts, context="4x7")).decode().splitlines() == shown
    log = ProofLog.from_bytes("".join(f"{line}\n" for line in shown).encode())
    assert (log.rules, len(log.known), len(log.tried)) == (Rules(4, 7), 2, 1)


def damaged_line(data):
    with pytest.raises(DamagedError) as caught:
        ProofLog.from_bytes(data)
    return caught.value.line


def test_proof_log_names_damaged_line():
    lines = example().to_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        before, after = b"".join(lines[: number - 1]), b"".join(lines[number:])
        place = len("evilpegs proof log 2 ") if number == 1 else 0
        for at in range(place, len(line)):
            for changed in (bytes([line[at] ^ 1]), b"\xff", b"\n", b"", b" " + line[at : at + 1]):
                if changed != line[at : at + 1]:
                    assert damaged_line(before + line[:at] + changed + line[at + 1 :] + after) == number


def test_proof_log_refuses_torn_last_line():
    data = example().to_bytes()
    for end in range(len("evilpegs proof log 2 "), len(data)):
        if data[end - 1 : end] != b"\n":
            assert damaged_line(data[:end]) == 1 + data[:end].count(b"\n")


def test_proof_log_without_one_fact_keeps_others():
    lines = example().to_bytes().splitlines(keepends=True)
    for gone in range(1, len(lines)):
        left = ProofLog.from_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))
        assert left.to_bytes().splitlines(keepends=True) == lines[:gone] + lines[gone + 1 :]


def test_proof_log_refuses_fact_of_other_rules():
    other = checked("evilpegs proof log 2 3x5", FACTS[0], context="3x5")[1]
    assert damaged_line(example().to_bytes() + other) == 5


@pytest.mark.parametrize(
    "heading",
    [
        "",
        "something else",
        "evilpegs journal 2",
        "evilpegs proof log 3 3x4",
        "evilpegs proof log 20 3x4",
        "evilpegs proof log 2",
        "evilpegs proof log 1",
        "evilpegs journal 1",
        "evilpegs proof",
    ],
)
def test_proof_log_refuses_foreign_data(heading):
    for data in (heading.encode(), f"{heading}\n".encode(), f"{heading}\nrules 3x4\n".encode()):
        with pytest.raises(ForeignError, match="proof log"):
            ProofLog.from_bytes(data)


def refuse_as_malformed(data):
    with pytest.raises(MalformedError, match="proof log") as refused:
        ProofLog.from_bytes(data)
    assert not isinstance(refused.value, DamagedError | ForeignError)


IMPOSSIBLE = ["", "5 112", "5 199 0,0 41 -", "5 112 0,0 41", "x 112 0,0 41 -"]


@pytest.mark.parametrize("fact", IMPOSSIBLE)
def test_proof_log_refuses_impossible_facts(fact):
    refuse_as_malformed(b"".join(checked("evilpegs proof log 2 3x4", fact)))


def test_proof_log_refuses_impossible_rules():
    for heading in ("evilpegs proof log 2", "evilpegs proof log 2 ", "evilpegs proof log 2 3x"):
        refuse_as_malformed(b"".join(checked(heading)))
