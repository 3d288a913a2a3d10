from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, to_columns
from evilpegs_game.feedback import Feedback
from evilpegs_game.partition import select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries, code_set_key
from support.plain_worst_case import plain_codes, plain_parts

SMALL = [Rules(2, 4), Rules(3, 3), Rules(4, 2), Rules(3, 4, repeats=False), Rules(1, 5)]


def image(codes, order, recoloring):
    """Return the codes with their pegs and colors permuted, in code order."""
    return tuple(sorted(tuple(recoloring[code[peg]] for peg in order) for code in codes))


@st.composite
def sets_of_codes(draw):
    rules = draw(st.sampled_from(SMALL))
    places = draw(st.sets(st.integers(0, rules.size - 1), min_size=1))
    return rules, tuple(code_at(place, rules) for place in sorted(places))


def test_canonical_key_is_mostly_shared_by_images():
    rng, missed = Random(3), 0
    for _ in range(300):
        rules = rng.choice(SMALL)
        codes = tuple(code_at(place, rules) for place in rng.sample(range(rules.size), rng.randint(1, rules.size)))
        order, recoloring = (rng.sample(range(many), many) for many in (rules.pegs, rules.colors))
        one, other = sorted(codes), image(codes, order, recoloring)
        missed += code_set_key(to_columns(one), rules) != code_set_key(to_columns(other), rules)
    assert missed < 15


def test_canonical_key_is_shared_by_parts_of_images():
    rules = Rules(4, 6)
    every = all_codes(rules)
    for one, other in [((0, 0, 1, 1), (5, 2, 5, 2)), ((0, 0, 0, 1), (3, 4, 3, 3)), ((0, 1, 2, 3), (5, 3, 0, 1))]:
        parts = plain_parts(plain_codes(every), one)
        for given_ in parts:
            assert code_set_key(select(every, one, given_), rules) == code_set_key(select(every, other, given_), rules)


@given(sets_of_codes(), sets_of_codes())
def test_canonical_key_is_shared_by_images_only(one, other):
    (rules, codes), (other_rules, other_codes) = one, other
    if code_set_key(to_columns(codes), rules) == code_set_key(to_columns(other_codes), other_rules):
        assert rules == other_rules
        images = (
            image(codes, o, r) for o in permutations(range(rules.pegs)) for r in permutations(range(rules.colors))
        )
        assert tuple(sorted(other_codes)) in images


def test_canonical_key_differs_between_sets_of_equal_size():
    rules = Rules(3, 4)
    sets = [[(0, 0, 1), (0, 1, 0)], [(0, 0, 1), (0, 0, 2)], [(0, 0, 1), (1, 1, 0)], [(0, 0, 0), (1, 1, 1)]]
    assert len({code_set_key(to_columns(codes), rules) for codes in sets}) == len(sets)


def test_canonical_key_covers_rules():
    assert len({code_set_key(to_columns([(0, 1)]), rules) for rules in (Rules(2, 3), Rules(2, 4))}) == 2


@given(sets_of_codes())
def test_orbits_hold_guesses_that_split_alike(chosen):
    """The parts of one guess are images of the parts of the other, feedback by feedback."""
    rules, codes = chosen
    every = all_codes(rules)
    guesses = plain_codes(every)
    heads = GuessSymmetries(rules, every).orbits(to_columns(codes)).tolist()
    for place, head in enumerate(heads):
        assert head <= place
        assert heads[head] == head
        one, other = plain_parts(codes, guesses[place]), plain_parts(codes, guesses[head])
        assert {g: len(part) for g, part in one.items()} == {g: len(part) for g, part in other.items()}


@pytest.mark.parametrize(("rules", "kinds"), [("1x1", 1), ("2x4", 2), ("3x3", 3), ("3x4-distinct", 1)])
def test_orbits_of_first_guesses_are_few(rules, kinds):
    rules = Rules.parse(rules)
    every = all_codes(rules)
    assert len(set(GuessSymmetries(rules, every).orbits(every).tolist())) == kinds


def test_orbits_after_guess_tell_its_colors_apart():
    rules = Rules(2, 4)
    every = all_codes(rules)
    heads = GuessSymmetries(rules, every).orbits(select(every, (0, 0), Feedback(0, 0)))
    kinds = {plain_codes(every)[head] for head in set(heads.tolist())}
    assert kinds == {(0, 0), (0, 1), (1, 1), (1, 2)}


def test_orbits_of_many_codes_are_single_guesses():
    rules = Rules(6, 5)
    every = all_codes(rules)
    symmetries = GuessSymmetries(rules, every)
    assert np.array_equal(symmetries.orbits(every), np.arange(rules.size))
    assert symmetries.indices(every[:, 5:9]).tolist() == [5, 6, 7, 8]


def test_canonical_key_keeps_order_of_many_pegs():
    rules = Rules(6, 2)
    one, other = [(0, 0, 0, 0, 0, 1), (0, 1, 0, 0, 0, 1)], [(1, 1, 1, 1, 1, 0), (1, 0, 1, 1, 1, 0)]
    assert code_set_key(to_columns(one), rules) == code_set_key(to_columns(sorted(other)), rules)
