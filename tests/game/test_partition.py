import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, column_code, to_columns
from evilpegs_game.errors import IllegalCodeError, MalformedError
from evilpegs_game.feedback import Feedback, feedback, feedback_number, feedbacks
from evilpegs_game.partition import (
    feedback_numbers,
    pair_number,
    part_size_table,
    part_sizes,
    select,
    split,
    take,
)
from evilpegs_game.rules import MAX_COLORS, MAX_PEGS, Rules
from support.examples import share
from support.plain_partition import partition_counts


def some_codes(pegs, colors, repeats, count, seed):
    """Return ``count`` codes of any rules without making all codes."""
    rng = np.random.default_rng(seed)
    if repeats:
        return [tuple(row) for row in rng.integers(0, colors, (count, pegs)).tolist()]
    return [tuple(rng.permutation(colors)[:pegs].tolist()) for _ in range(count)]


def plain_codes(columns):
    return [column_code(columns, place) for place in range(columns.shape[1])]


@st.composite
def guess_and_codes(draw, most=40):
    repeats = draw(st.booleans())
    pegs = draw(st.integers(1, MAX_PEGS))
    colors = draw(st.integers(1 if repeats else pegs, MAX_COLORS))
    codes = some_codes(pegs, colors, repeats, draw(st.integers(2, most)), draw(st.integers(0, 2**32)))
    return codes[0], codes[1:]


@settings(deadline=None)
@given(guess_and_codes())
@example(((0,) * 16, [(0,) * 16, (1,) * 16, (0,) * 8 + (1,) * 8]))
@example((tuple(range(16)), [tuple(range(1, 17)), tuple(range(18, 34)), tuple(range(15, -1, -1))]))
def test_partition_kernels_equal_plain_definition(case):
    guess, codes = case
    pegs, columns = len(guess), to_columns(codes)
    plain = [feedback(guess, code) for code in codes]
    assert feedback_numbers(columns, guess).tolist() == [feedback_number(one, pegs) for one in plain]
    pairs = to_columns([guess, *codes])
    assert [pair_number(pairs, 0, index) for index in range(1, len(codes) + 1)] == feedback_numbers(
        columns, guess
    ).tolist()
    counts = partition_counts(guess, codes)
    sizes = part_sizes(columns, guess)
    assert sizes.tolist() == [counts.get(one, 0) for one in feedbacks(pegs)]
    assert sizes.sum() == len(codes)
    assert list(counts) == sorted(set(plain))
    for wanted in counts:
        expected = [code for code, one in zip(codes, plain, strict=True) if one == wanted]
        assert plain_codes(select(columns, guess, wanted)) == expected
    parts = split(columns, guess)
    assert [(one, plain_codes(part)) for one, part in parts] == [
        (one, plain_codes(select(columns, guess, one))) for one in counts
    ]


@settings(max_examples=share(10))
@given(guess_and_codes(), guess_and_codes(most=4))
def test_part_size_table_holds_sizes_of_every_guess(many, few):
    pegs = min(len(many[0]), len(few[0]))
    longer = to_columns([code[:pegs] for code in many[1]])
    shorter = to_columns([code[:pegs] for code in few[1]])
    for columns, guesses in [(longer, shorter), (shorter, longer)]:
        table = part_size_table(columns, guesses)
        expected = [part_sizes(columns, guess).tolist() for guess in plain_codes(guesses)]
        assert table.T.tolist() == expected
        assert table.dtype == np.int32


@pytest.mark.parametrize("count", [2047, 2048, 2049, 4097])
def test_partition_counts_across_block_edges(count):
    codes = some_codes(3, 5, True, count, seed=count)
    columns, guess = to_columns(codes), (0, 1, 1)
    counts = partition_counts(guess, codes)
    assert part_sizes(columns, guess).tolist() == [counts.get(one, 0) for one in feedbacks(3)]
    assert feedback_numbers(columns, guess).tolist() == [feedback_number(feedback(guess, code), 3) for code in codes]
    few = to_columns(codes[:2])
    assert part_size_table(few, columns).sum() == 2 * count
    assert part_size_table(columns, few).tolist() == [
        list(pair) for pair in zip(*(part_sizes(columns, code).tolist() for code in codes[:2]), strict=True)
    ]


def test_split_of_one_code_gives_one_part():
    columns = to_columns([(0, 1, 2)])
    assert [one for one, _ in split(columns, (0, 1, 2))] == [(3, 0)]
    assert [one for one, _ in split(columns, (0, 2, 1))] == [(1, 2)]


def test_partition_parts_are_read_only():
    columns = all_codes(Rules(2, 3))
    parts = [select(columns, (0, 1), Feedback(0, 2)), take(columns, np.array([1, 5], dtype=np.int32))]
    for part in [*parts, *(part for _, part in split(columns, (0, 1)))]:
        assert not part.flags.writeable


def test_select_of_empty_part_keeps_pegs():
    assert select(all_codes(Rules(2, 3)), (0, 1), Feedback(1, 1)).shape == (2, 0)


@pytest.mark.parametrize("guess", [(), (0, 1), (0, 1, 2, 3)])
def test_partition_refuses_guess_of_other_length(guess):
    columns = all_codes(Rules(3, 4))
    for call in (part_sizes, feedback_numbers, split):
        with pytest.raises(IllegalCodeError, match=rf"\b{len(guess)}\b.*\b3\b") as refused:
            call(columns, guess)
        assert refused.value.rule == "pegs"


def test_select_refuses_impossible_feedback():
    with pytest.raises(MalformedError, match=r"\b0,4\b.*\b3\b"):
        select(all_codes(Rules(3, 4)), (0, 1, 2), Feedback(0, 4))
