"""The numbers in docs/counting.md: each table of the page is computed again by the program and by the definition."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.counting.extend import INITIAL_SLOTS, extend, new_half
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import CountingProblem
from evilpegs_game.feedback import Feedback, History, Turn, feedback, feedbacks
from evilpegs_game.rules import Rules

TEXT = (Path(__file__).parents[2] / "docs/counting.md").read_text()
SMALL, LARGE = Rules(2, 3), Rules(10, 12)
FIRST = parse_code("12", SMALL)
SECOND = parse_code("33", SMALL)
ANSWERED = (Turn(FIRST, Feedback(1, 0)),)
COLOR_SETS = ["1", "1, 2", "1, 2, 3"]
Score = tuple[int, int]
State = tuple[str, tuple[Score, ...], int]


def table(heading: str) -> list[list[str]]:
    """Return the rows of the table whose first heading this is, as lists of cells."""
    (rows,) = re.findall(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", text))


def states_of_program(history: History, guess: Code) -> list[list[State]]:
    """Return the rows after each color, in the order of the colors; at the end only those of whole codes."""
    problem = CountingProblem(SMALL, history, guess)
    current, levels = problem.empty_table, []
    for color in range(3):
        half = new_half(problem.layout, current, color, np.arange(color + 1, 3))
        room, slots = np.empty((64, current.rows.shape[1]), current.rows.dtype), np.empty(INITIAL_SLOTS, np.int32)
        current, _, end = extend(problem.layout, half, 0, room, slots, 64)
        assert end == len(problem.layout.subsets.pegs)
        levels.append(_read_states(problem, current))
    levels[-1] = [state for state in levels[-1] if state[0] == "1, 2"]
    return levels


def _read_states(problem: CountingProblem, rows) -> list[State]:
    subsets, lanes, found = problem.layout.subsets.pegs, problem.layout.lanes, []
    order = range(len(problem.guesses))[::-1]  # the open guess is first in the lanes and last on the page
    places, masks = (lanes.black_shifts, lanes.shifts), (3, 1)  # two bits for each score of the open guess
    for subset, pegs in enumerate(subsets):
        name = ", ".join(str(peg + 1) for peg in range(2) if pegs[peg]) or "none"
        for count, score in rows.rows[rows.starts[subset] : rows.starts[subset + 1]].tolist():
            scores = tuple(tuple(score >> int(at[guess]) & masks[guess] for at in places) for guess in order)
            found.append((name, scores, count))
    return found


def partial_score(guess: Code, partial: str) -> Score:
    """Return the blacks and matches of a guess with a partial code such as ``1_``, by the definition."""
    guess_text = format_code(guess)
    blacks = sum(one == other for one, other in zip(guess_text, partial, strict=True))
    return blacks, sum(min(guess_text.count(symbol), partial.count(symbol)) for symbol in "123")


@pytest.mark.parametrize(("history", "guesses"), [((), (FIRST,)), (ANSWERED, (FIRST, SECOND))])
def test_tables_of_states_are_those_of_program(history, guesses):
    rows = [row for row in all_state_rows() if len(row[2]) == len(guesses)]
    states = states_of_program(history, guesses[-1])
    for colors, expected in zip(COLOR_SETS, states, strict=True):
        shown = [(pegs, scores, count) for each, pegs, scores, count, _ in rows if each == colors]
        assert sorted(shown) == sorted(expected)
    for _, pegs, scores, count, partial_codes in rows:
        assert len(partial_codes) == count
        for partial in partial_codes:
            assert tuple(partial_score(guess, partial) for guess in guesses) == scores
            assert (", ".join(str(peg + 1) for peg in range(2) if partial[peg] != "_") or "none") == pegs


def all_state_rows():
    """Return the rows of both tables of states: colors, pegs, scores by guess, number and partial codes."""
    rows = []
    for match in re.finditer(r"^\| (1[, 23]*) \| ([none12, ]+?) \|(.*)\| (\d+) \| (`.*`) \|$", TEXT, re.MULTILINE):
        colors, pegs, scores, count, partial_codes = match.groups()
        values = numbers(scores)
        pairs = tuple(zip(values[::2], values[1::2], strict=True))
        rows.append((colors, pegs, pairs, int(count), re.findall(r"`([123_]+)`", partial_codes)))
    return rows


def test_parts_of_first_guess_are_listed():
    shown = {Feedback(*numbers(row[0])): row[1].split(", ") for row in table("feedback (black, white)")}
    expected: dict[Feedback, list[str]] = {}
    for code in product(range(3), repeat=2):
        expected.setdefault(feedback(FIRST, code), []).append(format_code(code))
    assert shown == expected
    assert [int(row[2]) for row in table("feedback (black, white)")] == [len(codes) for codes in shown.values()]


def test_game_on_large_rules_has_these_rows():
    history: History = ()
    for text, candidates, rows, reply in table("guess"):
        guess = parse_code(text, LARGE)
        counted = count_parts(LARGE, history, guess)
        assert (sum(counted.sizes),) == numbers(candidates.replace(",", ""))
        assert not history or (counted.work,) == numbers(rows.replace(",", ""))
        largest = max(counted.sizes)
        assert feedbacks(10)[counted.sizes.index(largest)] == Feedback(*numbers(reply))
        history = (*history, Turn(guess, Feedback(*numbers(reply))))
    assert len(history) == 6
