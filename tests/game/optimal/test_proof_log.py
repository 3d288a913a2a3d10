from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import code_at
from evilpegs_game.errors import DamagedError, ForeignError, MalformedError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.optimal.proof_log import Answer, Journal, Question
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED
from evilpegs_game.rules import Rules

RULES = Rules(3, 4)
codes = st.integers(0, RULES.size - 1).map(lambda index: code_at(index, RULES))
questions = st.tuples(st.sampled_from([UNLIMITED, 4, 5]), codes, st.sampled_from(feedbacks(3))).map(
    lambda words: Question(*words)
)
answers = (
    st.integers(1, 900).map(Answer)
    | st.integers(1, 900).map(lambda total: Answer(total, total))
    | st.tuples(st.integers(1, 400), st.integers(400, 900), codes).map(lambda words: Answer(*words))
)


def journal_of(known, tried):
    journal = Journal(RULES)
    journal.answers.update(known)
    journal.tried.update(tried)
    return journal


@given(
    st.dictionaries(questions, answers, max_size=5),
    st.dictionaries(questions, st.dictionaries(codes, st.integers(1, 900), min_size=1, max_size=4), max_size=3),
)
def test_solve_journal_round_trips(known, tried):
    text = journal_of(known, tried).to_text()
    again = Journal.from_text(text)
    assert (again.rules, again.answers, again.tried) == (RULES, known, tried)
    assert again.to_text() == text


def test_solve_journal_has_documented_form():
    question = Question(UNLIMITED, (0, 0, 1), feedbacks(3)[1])
    limited = Question(5, (0, 0, 1), feedbacks(3)[0])
    journal = journal_of({question: Answer(50, 53, (0, 1, 2)), limited: Answer(41, NEVER)}, {question: {(0, 2, 2): 54}})
    lines = journal.to_text().splitlines()
    assert lines[:-1] == [
        "evilpegs journal 1",
        "rules 3x4",
        "5 112 0,0 41 - -",
        "- 112 0,1 50 53 123",
        "- 112 0,1 133 tried 54",
    ]
    assert lines[-1].startswith("sha256 ")


def signed(body):
    return f"{body}sha256 {sha256(body.encode()).hexdigest()}\n"


def test_solve_journal_refuses_damaged_text():
    text = journal_of({Question(5, (0, 0, 1), feedbacks(3)[0]): Answer(41)}, {}).to_text()
    for damaged in (text.replace("41", "43"), text[:-10], text.replace("sha256", "sha")):
        with pytest.raises(DamagedError):
            Journal.from_text(damaged)


@pytest.mark.parametrize("text", ["", "something else\n", signed("evilpegs journal 2\nrules 3x4\n")])
def test_solve_journal_refuses_foreign_text(text):
    with pytest.raises(ForeignError):
        Journal.from_text(text)


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
def test_solve_journal_refuses_impossible_facts(line):
    with pytest.raises(MalformedError) as refused:
        Journal.from_text(signed(f"evilpegs journal 1\n{line}\n"))
    assert not isinstance(refused.value, DamagedError | ForeignError)
