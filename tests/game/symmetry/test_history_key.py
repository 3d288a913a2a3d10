from itertools import combinations_with_replacement, permutations, product
from random import Random

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code, to_columns
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.partition import part_sizes, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.history_key import Symmetry, history_key

RULES = [
    Rules(1, 1),
    Rules(2, 3),
    Rules(4, 6),
    Rules(6, 10),
    Rules(10, 12),
    Rules(16, 34),
    Rules(12, 14, repeats=False),
]
SMALL = [Rules(2, 2), Rules(3, 3), Rules(2, 4), Rules(4, 3), Rules(3, 4, repeats=False)]
SAME = Feedback(0, 1)
IMAGES = 1 if numba.config.DISABLE_JIT else 5

SHAPES = {
    "one color": lambda peg, pegs: 0,
    "pairs": lambda peg, pegs: peg // 2,
    "halves": lambda peg, pegs: 2 * peg // pegs,
    "all distinct": lambda peg, pegs: peg,
    "shifted": lambda peg, pegs: (peg + 1) % pegs,
    "pairs exchanged": lambda peg, pegs: peg ^ 1,
    "star": lambda peg, pegs: max(0, peg - pegs // 2),
    "comb": lambda peg, pegs: peg % 3,
    "triples turned": lambda peg, pegs: peg - peg % 3 + (peg + 1) % 3,
}


def shaped(name, rules):
    """Return a code of a shape. Colors repeat if they run out; rules without repeats get 1234... instead."""
    code = tuple(SHAPES[name](peg, rules.pegs) % rules.colors for peg in range(rules.pegs))
    return code if rules.repeats or len(set(code)) == rules.pegs else tuple(range(rules.pegs))


def guesses(rules):
    return st.one_of(
        st.integers(0, rules.size - 1).map(lambda place: code_at(place, rules)),
        st.sampled_from(sorted(SHAPES)).map(lambda name: shaped(name, rules)),
    )


def feedbacks_of(rules):
    return st.sampled_from([Feedback(0, 0), Feedback(0, 1), Feedback(1, 0)])


@st.composite
def questions(draw, most_pairs, rules=RULES):
    rules = draw(st.sampled_from(rules))
    history = draw(st.lists(st.tuples(guesses(rules), feedbacks_of(rules)), max_size=most_pairs))
    return rules, history, draw(st.one_of(st.none(), guesses(rules)))


@st.composite
def symmetries(draw, rules):
    pegs, colors = draw(st.permutations(range(rules.pegs))), draw(st.permutations(range(rules.colors)))
    return Symmetry(tuple(pegs), tuple(colors))


def random_symmetry(rules, rng):
    return Symmetry(
        tuple(rng.sample(range(rules.pegs), rules.pegs)), tuple(rng.sample(range(rules.colors), rules.colors))
    )


def image_of(symmetry, history, asked):
    """Return the image of a question, its pairs sorted."""
    return (
        sorted({(symmetry.image(guess), given) for guess, given in history}),
        None if asked is None else symmetry.image(asked),
    )


def read(rules, key):
    """Return what a key holds: the pairs and the guess asked."""
    assert key[:3] == bytes((rules.pegs, rules.colors, rules.repeats))
    width = rules.pegs + 2
    rows = [key[start : start + width] for start in range(3, len(key), width)]
    asked = tuple(rows.pop()[2:]) if rows and rows[-1][0] == 255 else None
    return sorted((tuple(row[2:]), Feedback(row[0], row[1])) for row in rows), asked


@given(questions(5))
def test_canonical_key_holds_image_under_symmetry(question):
    rules, history, asked = question
    key, symmetry = history_key(rules, history, asked)
    assert sorted(symmetry.pegs) == list(range(rules.pegs))
    assert sorted(symmetry.colors) == list(range(rules.colors))
    assert read(rules, key) == image_of(symmetry, history, asked)


@given(st.data())
def test_canonical_key_shared_for_two_guesses(data):
    rules, history, asked = data.draw(questions(2))
    history = history if asked is None else history[:1]
    symmetry = data.draw(symmetries(rules))
    turns = [(symmetry.image(guess), given) for guess, given in data.draw(st.permutations(history))]
    other = history_key(rules, turns, asked if asked is None else symmetry.image(asked))
    assert other[0] == history_key(rules, history, asked)[0]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("one", sorted(SHAPES))
def test_canonical_key_shared_for_shaped_guesses(rules, one):
    rng = Random(1)
    for two in SHAPES:
        first, second = shaped(one, rules), shaped(two, rules)
        for history, asked in [([(first, SAME)], second), ([(first, SAME), (second, SAME)], None)]:
            keys = {history_key(rules, history, asked)[0]}
            for _ in range(IMAGES):
                symmetry = random_symmetry(rules, rng)
                turns = [(symmetry.image(guess), given) for guess, given in reversed(history)]
                keys.add(history_key(rules, turns, asked if asked is None else symmetry.image(asked))[0])
            assert len(keys) == 1, (one, two)


def test_canonical_key_shared_for_many_guesses():
    rng, missed = Random(2), 0
    for _ in range(80 * IMAGES):
        rules = rng.choice(RULES)
        many = rng.randint(3, 7)
        pool = [code_at(rng.randrange(rules.size), rules) for _ in range(2)] + [shaped(name, rules) for name in SHAPES]
        history = [(rng.choice(pool), rng.choice([SAME, Feedback(1, 0)])) for _ in range(many)]
        symmetry = random_symmetry(rules, rng)
        turns = [(symmetry.image(guess), given) for guess, given in rng.sample(history, many)]
        missed += history_key(rules, history)[0] != history_key(rules, turns)[0]
    assert missed == 0


@pytest.mark.parametrize("pegs", [5, 8, 10])
def test_canonical_key_shared_for_shifted_guesses(pegs):
    rng, rules = Random(3), Rules(pegs, 12)
    for many in range(2, pegs):
        history = [(tuple((peg + shift) % pegs for peg in range(pegs)), SAME) for shift in range(many)]
        symmetry = random_symmetry(rules, rng)
        turns = [(symmetry.image(guess), given) for guess, given in rng.sample(history, many)]
        assert history_key(rules, history)[0] == history_key(rules, turns)[0]


def test_canonical_cut_search_still_gives_image():
    rules = Rules(16, 34)
    history = [(tuple(peg ^ turn for peg in range(16)), SAME) for turn in range(16)]
    key, symmetry = history_key(rules, history)
    assert read(rules, key) == image_of(symmetry, history, None)


def test_canonical_counts_repeated_turns_once():
    rules, turn = Rules(4, 6), ((0, 0, 1, 2), SAME)
    assert history_key(rules, [turn, turn]) == history_key(rules, [turn])
    assert history_key(rules, [turn, (turn[0], Feedback(1, 0))])[0] != history_key(rules, [turn])[0]


def test_canonical_of_empty_question_is_identity():
    key, symmetry = history_key(Rules(2, 3), [])
    assert read(Rules(2, 3), key) == ([], None)
    assert symmetry == ((0, 1), (0, 1, 2))


def test_canonical_keeps_order_among_equals():
    symmetry = history_key(Rules(5, 7), [((6, 2, 6, 2, 2), SAME)])[1]
    assert [symmetry.colors[color] for color in (0, 1, 3, 4, 5)] == [2, 3, 4, 5, 6]
    places = [symmetry.pegs.index(peg) for peg in (1, 3, 4)]
    assert places == sorted(places)


def partitions(total, most_parts, largest=None):
    """Return the number of ways to write ``total`` as a sum of at most ``most_parts`` numbers."""
    largest = total if largest is None else largest
    if total == 0:
        return 1
    if most_parts == 0:
        return 0
    return sum(partitions(total - part, most_parts - 1, part) for part in range(1, min(largest, total) + 1))


@pytest.mark.parametrize(
    "rules", [Rules(4, 6), Rules(5, 3), Rules(7, 3), Rules(1, 5), Rules(3, 5, repeats=False)], ids=str
)
def test_canonical_first_guess_keys_match_partitions(rules):
    keys = {history_key(rules, (), code_at(place, rules))[0] for place in range(rules.size)}
    assert len(keys) == (partitions(rules.pegs, rules.colors) if rules.repeats else 1)
    assert rules != Rules(4, 6) or len(keys) == 5


def least_image(rules, history, asked):
    """Return the least of all images, which is the plain definition of a canonical form."""
    images = []
    for pegs, colors in product(permutations(range(rules.pegs)), permutations(range(rules.colors))):
        turns, guess = image_of(Symmetry(pegs, colors), history, asked)
        images.append((tuple(turns), guess or ()))
    return min(images)


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_canonical_pair_keys_match_orbits(rules):
    codes = [code_at(place, rules) for place in range(rules.size)]
    first = {least_image(rules, [], code): code for code in codes}
    seconds = [([(one, SAME)], other) for one in first.values() for other in codes]
    assert len({history_key(rules, *question)[0] for question in seconds}) == len(
        {least_image(rules, *question) for question in seconds}
    )
    ties = [([(one, SAME), (other, SAME)], None) for one in first.values() for other in codes]
    assert len({history_key(rules, *question)[0] for question in ties}) == len(
        {least_image(rules, *question) for question in ties}
    )


def test_canonical_triple_keys_match_orbits():
    rules = Rules(3, 3)
    codes = [code_at(place, rules) for place in range(rules.size)]
    questions = [
        ([(code, given) for code, given in zip(three, (SAME, SAME, last), strict=True)], None)
        for three in combinations_with_replacement(codes[:14], 3)
        for last in (SAME, Feedback(1, 0))
    ]
    assert len({history_key(rules, *question)[0] for question in questions}) == len(
        {least_image(rules, *question) for question in questions}
    )


def test_canonical_keys_distinguish_different_questions():
    rules, one, two = Rules(4, 6), (0, 0, 1, 2), (3, 4, 1, 1)
    questions = [
        (rules, [(one, SAME)], None),
        (rules, [(one, Feedback(1, 0))], None),
        (rules, [], one),
        (rules, [(one, SAME)], one),
        (rules, [(one, SAME)], two),
        (rules, [(two, SAME)], (0, 1, 2, 3)),
        (rules, [(one, SAME), (two, Feedback(1, 0))], None),
        (rules, [(one, SAME), (two, SAME)], None),
        (Rules(4, 7), [(one, SAME)], None),
        (Rules(4, 6, repeats=False), [((0, 1, 2, 3), SAME)], None),
        (rules, [((0, 1, 2, 3), SAME)], None),
    ]
    assert len({history_key(*question)[0] for question in questions}) == len(questions)


@given(st.data())
def test_canonical_image_has_equal_part_sizes(data):
    rules = data.draw(st.sampled_from([Rules(4, 6), Rules(3, 5), Rules(4, 6, repeats=False)]))
    secret, asked = data.draw(guesses(rules)), data.draw(guesses(rules))
    history = [(guess, feedback(guess, secret)) for guess in data.draw(st.lists(guesses(rules), max_size=3))]
    key, symmetry = history_key(rules, history, asked)
    live = images = all_codes(rules)
    for guess, given_ in history:
        live = select(live, guess, given_)
    turns, image = read(rules, key)
    for guess, given_ in turns:
        images = select(images, guess, given_)
    assert part_sizes(images, image).tolist() == part_sizes(live, asked).tolist()
    carried = sorted(symmetry.image(column_code(live, place)) for place in range(live.shape[1]))
    assert to_columns(carried).tolist() == images.tolist()


@pytest.mark.parametrize("guess", [(0, 1, 2), (0, 1, 2, 6), (0, 1, 2, 3, 4, 5, 0, 1)])
def test_canonical_refuses_illegal_codes(guess):
    with pytest.raises(IllegalCodeError):
        history_key(Rules(4, 6), [((0, 1, 2, 3), SAME)], guess)
    with pytest.raises(IllegalCodeError):
        history_key(Rules(4, 6), [((0, 1, 2, 3, 4), SAME), (guess, SAME)])
