"""The parts of the search: bitmaps, ranking, color classes, and the best guess, each beside its plain definition."""

from itertools import combinations_with_replacement
from math import prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code, to_columns
from evilpegs_game.evaluation.heuristic import some_candidate_separates
from evilpegs_game.feedback import all_black, feedback
from evilpegs_game.guessing.color_classes import make_color_classes, to_color_classes
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY
from evilpegs_game.guessing.guess_cursor import add_peg, make_bitmaps, part_size
from evilpegs_game.guessing.guess_rows import best_of_few
from evilpegs_game.guessing.plain import plain_best_guess
from evilpegs_game.guessing.ranking import Best, is_better, keep_better, no_guess, score_limit
from evilpegs_game.guessing.search import LISTED, best_of_many
from evilpegs_game.guessing.selection import best_guess_at
from evilpegs_game.partition import part_size_table, split
from evilpegs_game.rules import Rules
from support.examples import share

CRITERIA = [MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS]
PLAIN_KEYS = {
    MINIMAX: max,
    LEXICOGRAPHIC: lambda sizes: sorted(sizes, reverse=True),
    EXPECTED_SIZE: lambda sizes: sum(size * size for size in sizes),
    ENTROPY: lambda sizes: prod(size**size for size in sizes),
    MOST_PARTS: lambda sizes: sizes.count(0),
}
RULES = [Rules(1, 5), Rules(2, 4), Rules(3, 3), Rules(3, 4), Rules(3, 5, repeats=False), Rules(5, 2)]
EVERY_COLOR = (1 << 34) - 1
by_name = pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)


@st.composite
def live_sets(draw, least=1):
    """Draw rules and any of their codes in code order."""
    rules = draw(st.sampled_from(RULES))
    places = draw(st.sets(st.integers(0, rules.size - 1), min_size=min(least, rules.size), max_size=30))
    return rules, to_columns([code_at(index, rules) for index in sorted(places)])


def plain_codes(columns):
    return [column_code(columns, i) for i in range(columns.shape[1])]


@pytest.mark.parametrize("many", [1, 63, 64, 65, 200])
@settings(max_examples=share(10))
@given(data=st.data())
def test_bitmaps_give_part_sizes(many, data):
    rules = Rules(4, 4)
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    guess = data.draw(codes)
    secrets = data.draw(st.lists(codes, min_size=many, max_size=many))
    bitmaps = make_bitmaps(to_columns(secrets), rules.colors)
    for peg, color in enumerate(guess[:-1]):
        add_peg(bitmaps, peg, color, guess[:peg].count(color))
    sizes = {}
    for black in range(5):
        for total in range(black, 5):
            size = part_size(bitmaps, (black << 8) + total, guess[-1], guess[:-1].count(guess[-1]))
            if size:
                sizes[(black, total - black)] = size
    feedbacks = [feedback(guess, secret) for secret in secrets]
    assert sizes == {given: feedbacks.count(given) for given in feedbacks}


def make_best(criterion, sizes, codes):
    """Return a guess with the given part sizes in the form that the search keeps."""
    measure = criterion.measure(codes)
    summed = criterion in (EXPECTED_SIZE, ENTROPY, MOST_PARTS) or (criterion is LEXICOGRAPHIC and codes < 41)
    score = sum(int(measure.weights[size]) for size in sizes) if summed else max(sizes)
    return Best(np.zeros(1, np.uint8), np.array([score]), np.array(sorted(sizes)))


def partitions(total, parts):
    return [sizes for sizes in combinations_with_replacement(range(total + 1), parts) if sum(sizes) == total]


@by_name
@pytest.mark.parametrize("total", [5, 8, 46])
def test_ranking_order_as_plain_keys(criterion, total):
    measure, key = criterion.measure(total), PLAIN_KEYS[criterion]
    choices = partitions(total, 5 if total < 40 else 3)
    step = 1 if total < 40 else 7
    for one in choices[::step]:
        for other in choices[::step]:
            mine, best = make_best(criterion, one, total), make_best(criterion, other, total)
            better = key(one) < key(other)
            assert is_better(mine.score[0], mine.sizes, best, measure, total) == better
            assert not better or mine.score[0] <= score_limit(best, measure, total)
            keep_better(best, mine, measure, total)
            assert sorted(best.sizes.tolist()) == sorted(one if better else other) or criterion not in (
                LEXICOGRAPHIC,
                ENTROPY,
            )


def test_ranking_compare_close_products_exactly():
    """Equal products of different sizes, and products whose logarithms differ by less than their rounding error."""
    equal = make_best(ENTROPY, (0, 1, 1, 1, 1, 4), 8), make_best(ENTROPY, (0, 0, 2, 2, 2, 2), 8)
    measure = ENTROPY.measure(8)
    assert not is_better(equal[0].score[0], equal[0].sizes, equal[1], measure, 8)
    assert not is_better(equal[1].score[0], equal[1].sizes, equal[0], measure, 8)
    close = make_best(ENTROPY, (301, 299), 600), make_best(ENTROPY, (300, 300), 600)
    blurred = Best(close[0].guess, close[1].score, close[0].sizes)
    measure = ENTROPY.measure(600)
    assert is_better(close[1].score[0], close[1].sizes, blurred, measure, 600)
    assert not is_better(blurred.score[0], blurred.sizes, close[1], measure, 600)


def test_ranking_prefer_any_guess():
    best, measure = no_guess(2, 1), MINIMAX.measure(9)
    found = Best(np.array([3, 1], np.uint8), np.array([9]), np.zeros(6, np.int64))
    keep_better(best, no_guess(2, 1), measure, 9)
    assert best.score[0] < 0
    keep_better(best, found, measure, 9)
    assert best.guess.tolist() == [3, 1]


@pytest.mark.parametrize("candidates_only", [False, True])
@by_name
@settings(max_examples=share(15))
@given(game=live_sets(least=3))
def test_best_code_matches_plain_choice(criterion, candidates_only, game):
    rules, live = game
    if live.shape[1] < 3:
        return
    guesses = live if candidates_only else all_codes(rules)
    expected = plain_best_guess(live, guesses, criterion)
    rule, weights = criterion.measure(live.shape[1])
    given = live, rules.colors, rules.repeats, EVERY_COLOR, rule, weights, candidates_only
    assert tuple(best_of_many(*given).tolist()) == expected
    assert tuple(best_of_few(*given, 1)[0].tolist()) == expected


def plain_scores(live, guesses, is_listed):
    """Return the scores of the first ply, as `Criterion.score` has them, and 2**20 more if all-black is not counted."""
    table = part_size_table(live, guesses)
    scores = TWO_PLY.score(table) + (0 if is_listed else table[-1] << 20)
    return scores.tolist()


def plain_two_ply(rules, live, candidates_only):
    """Return the best guess two plies deep by the rule as it is written.

    Candidates are listed as the game ends with them, and once more, as it goes on, among all codes.
    """
    present = set(live.ravel().tolist())
    absent = [color for color in range(rules.colors) if color not in present]
    kept = [code for code in plain_codes(all_codes(rules)) if uses_first(code, absent, rules.repeats)]
    listed = list(zip(plain_scores(live, live, True), plain_codes(live), strict=True))
    if not candidates_only:
        listed = sorted(listed, key=lambda each: each[0])[:LISTED]
        listed += zip(plain_scores(live, to_columns(kept), False), kept, strict=True)
    best = sorted(listed, key=lambda each: each[0])[:LISTED]
    return min(best, key=lambda each: second_ply(live, each[1]))[1]


def uses_first(code, absent, repeats):
    """Return True if ``code`` has no absent color that could be replaced by an earlier one."""
    used = [color for color in dict.fromkeys(code) if color in absent]
    return used == absent[: min(len(used), 1) if repeats else len(used)]


def second_ply(live, guess):
    total = 0
    for answer, part in split(live, guess):
        if answer != all_black(live.shape[0]):
            after = min(plain_scores(part, part, True)) + (1 << 20)
            total += (1 << 20) * (part.shape[1] - 1) + after
    return total - (1 << 20) * (guess in plain_codes(live))


@pytest.mark.parametrize("candidates_only", [False, True])
@settings(max_examples=share(40), deadline=None)
@given(game=live_sets(least=3))
@example(
    game=(Rules(2, 4), to_columns([(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 2), (2, 3), (3, 0), (3, 1), (3, 3)]))
)
def test_two_plies_match_plain_choice(candidates_only, game):
    rules, live = game
    if live.shape[1] < 3:
        return
    found = best_guess_at(live, rules, EVERY_COLOR, TWO_PLY.measure(live.shape[1]), candidates_only)
    assert found == plain_two_ply(rules, live, candidates_only)


@settings(deadline=None)
@given(game=live_sets())
def test_color_classes_have_candidate_and_substitute_colors(game):
    rules, live = game
    color_classes = make_color_classes(live, rules.colors, rules.repeats, EVERY_COLOR)
    present = set(live.ravel().tolist())
    absent = [color for color in range(rules.colors) if color not in present]
    assert color_classes.colors.tolist() == sorted(present | set(absent[:1] if rules.repeats else absent))
    assert np.array_equal(color_classes.colors[to_color_classes(live, color_classes)], live)


@settings(deadline=None)
@given(game=live_sets())
def test_some_candidate_separates_matches_definition(game):
    _, live = game
    codes = plain_codes(live)
    apart = [len({feedback(guess, secret) for secret in codes}) == len(codes) for guess in codes]
    assert some_candidate_separates(live) == any(apart)
