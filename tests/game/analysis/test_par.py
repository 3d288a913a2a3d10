"""Par against evil, compared with a plain search that shares no code with the program's."""

import csv
import hashlib
import random
from functools import cache
from pathlib import Path

import numba
import numpy as np
import pytest

from evilpegs_game.analysis.par import Par, ParJudge
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.codes import all_codes, code_at, parse_code
from evilpegs_game.errors import ContradictionError, OverBudgetError
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.evil_search import EvilSearch
from evilpegs_game.rules import MAX_COLORS, Rules

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
CLASSIC = Rules(4, 6)
SEEDS = ["t1", "cup", "7"]
TABLE = Path(__file__).parents[3] / "docs" / "table.csv"


def keyed(seed):
    """Return a tie rule that depends on the turn, as that of a seed does."""

    def choose(turn, number):
        return int.from_bytes(hashlib.sha256(f"{seed} {turn}".encode()).digest()) % number

    return choose


class PlainSearch:
    """Par by trying every guess. Codes are numbered in code order, and sets of them are tuples.

    Its only bound is that k guesses find at most 1 + B + ... + B^(k-1) codes, with B replies besides all-black.
    """

    def __init__(self, rules, ties):
        codes = all_codes(rules)
        counts = np.stack([(codes == color).sum(axis=0) for color in range(rules.colors)])
        black = (codes[:, :, None] == codes[:, None, :]).sum(axis=0)
        common = np.minimum(counts[:, :, None], counts[:, None, :]).sum(axis=0)
        # fewest blacks first, then fewest whites; all-black comes last
        kinds, self.table = np.unique(black * 100 + common, return_inverse=True)
        self.table = self.table.reshape(black.shape)
        self.replies = len(kinds) - 1
        self.ties = ties
        self.is_enough = cache(self._is_enough)

    def left(self, live, guess, turn):
        """Return the sets that evil may leave."""
        numbers = self.table[guess, list(live)]
        sizes = np.bincount(numbers, minlength=self.replies + 1)[:-1]
        largest = np.flatnonzero(sizes == sizes.max()).tolist() if sizes.any() else []
        if len(largest) > 1 and self.ties != "worst":
            largest = [largest[0 if self.ties == "first" else self.ties(turn, len(largest))]]
        return [tuple(np.array(live)[numbers == number].tolist()) for number in largest]

    def _is_enough(self, live, turn, guesses):
        if len(live) > sum(self.replies**k for k in range(guesses)):
            return False
        if guesses == 1:
            return True
        if guesses == 2:  # a guess that tells all codes apart
            told = np.sort(self.table[:, list(live)], axis=1)
            return bool((told[:, 1:] != told[:, :-1]).all(axis=1).any())
        return any(self.needs(live, guess, turn, guesses) for guess in range(len(self.table)))

    def needs(self, live, guess, turn, guesses):
        """Return True if a guess is sure to be the first of ``guesses``."""
        left = self.left(live, guess, turn)
        return live not in left and all(self.is_enough(each, turn + 1, guesses - 1) for each in left)

    def par(self, live, turn):
        guesses = 1
        while not self.is_enough(live, turn, guesses):
            guesses += 1
        return guesses


def evil_positions(rules, tie_break, rng, count):
    """Yield positions of games against evil in which every second guess is drawn among all codes."""
    while count:
        position = Position(rules)
        while position.count > 1 and count:
            drawn = rng.random() < 0.5
            guess = code_at(rng.randrange(rules.size), rules) if drawn else position.sample(rng)[0]
            position = position.after(guess, Evil(tie_break).reply(position, guess))
            if position.turn > 2:
                count -= 1
                yield position


def number_of(code):
    return int("".join(map(str, code)), 6)


@compiled
@pytest.mark.parametrize("seed", ["first", "worst", *SEEDS])
def test_par_is_that_of_a_plain_search(seed):
    ties = seed if seed in {"first", "worst"} else keyed(seed)
    plain, judge, rng = PlainSearch(CLASSIC, ties), ParJudge(CLASSIC, ties), random.Random(seed)
    for position in evil_positions(CLASSIC, ties if callable(ties) else None, rng, 40):
        live, turn = tuple(number_of(position.candidate(index)) for index in range(position.count)), position.turn
        par, guess = plain.par(live, turn), code_at(rng.randrange(CLASSIC.size), CLASSIC)
        after = 1 + max(plain.par(left, turn + 1) for left in plain.left(live, number_of(guess), turn) or [()])
        assert judge.par(position) == Par(par, par)
        assert judge.after(position, guess) == Par(after, after)
        assert judge.lost(position, guess) == Par(after - par, after - par)
        kept = judge.keeping(position, 3)
        assert kept
        assert all(plain.needs(live, number_of(each), turn, par) for each in kept)


def tabled_rules():
    with TABLE.open() as file:
        rows = [row for row in csv.DictReader(file) if row["player"] == "optimal"]
    chosen = [
        row for row in rows if int(row["codes"]) <= 300 and int(row["pegs"]) < 8 and int(row["colors"]) <= MAX_COLORS
    ]
    return [pytest.param(row, id=row["rules"]) for row in chosen if row["evil_min"] == row["evil_max"]]


@compiled
@pytest.mark.parametrize("row", tabled_rules())
def test_par_of_the_empty_position_is_that_of_the_table(row):
    position = Position(row["rules"])
    for ties, figure in (("first", "evil_min"), ("worst", "worst_ties_min")):
        assert ParJudge(position.rules, ties).par(position).exact == int(row[figure])


@compiled
def test_par_of_bulls_and_cows_is_exact():
    position = Position("4x10-distinct")
    judge = ParJudge(position.rules, "worst")
    assert judge.par(position) == Par(7, 7)
    assert judge.keeping(position, 9) == [(0, 1, 2, 3)]


def test_par_lies_between_bounds_beyond_the_budget():
    position = Position("4x6", ["1111:0,0"], None, 10**7)
    exact = ParJudge(CLASSIC).par(position).exact
    bounds = ParJudge(CLASSIC, budget=0).par(position)
    assert bounds.at_least <= exact <= bounds.at_most
    assert bounds.exact is None
    assert ParJudge(CLASSIC, budget=0).keeping(position, 9) == []
    lost = ParJudge(CLASSIC, budget=0).lost(position, parse_code("1111", CLASSIC))
    assert lost.at_least <= ParJudge(CLASSIC).lost(position, parse_code("1111", CLASSIC)).exact <= lost.at_most


def test_work_beyond_the_budget_is_not_done():
    """On 5x10 with 82 codes left, the loop over the last three guesses would take 9.8 billion evaluations."""
    turns = ["19764:0,2", "51227:0,1", "52402:0,1", "72047:0,0", "44689:0,2"]
    position = Position("5x10", turns, None, 10**6)
    search, budget = EvilSearch(position.rules, "worst"), WorkBudget(10**8, "this")
    with pytest.raises(OverBudgetError):
        search.is_enough(position.candidates, 6, 3, budget)
    assert budget.work < 2 * 10**8
    assert search.is_enough(position.candidates[:, :9], 6, 3, WorkBudget(10**8, "this"))


def test_par_on_huge_rules_is_bounded_by_the_number_of_codes():
    position = Position("12x14", (), None, 10**7)
    assert ParJudge(position.rules).par(position) == Par(9, None)


def test_par_of_contradictory_rows_is_refused():
    with pytest.raises(ContradictionError):
        ParJudge(CLASSIC).par(Position("4x6", ["1111:1,0", "1111:2,0"]))


@compiled
def test_best_guesses_are_sure_to_keep_par():
    """From 1122 on, who plays the first guess of each list needs no more than five, whatever evil's seed."""
    for seed in range(50):
        ties = keyed(seed)
        judge, evil = ParJudge(CLASSIC, ties), Evil(ties)
        position = Position(CLASSIC)
        guess = parse_code("1122", CLASSIC)
        while position.count > 1:
            position = position.after(guess, evil.reply(position, guess))
            guess = judge.keeping(position, 1)[0]
        assert position.turn <= 5
