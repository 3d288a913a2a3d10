"""The contract of every strategy, and a class for each strategy that inherits it."""

import random
from abc import ABC, abstractmethod
from pathlib import Path
from random import Random

import numba
import pytest

from evilpegs_clients.strategies import heuristics
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice, turn_rng
from evilpegs_game.codemakers.codemaker import Evil, Fixed
from evilpegs_game.codes import check_code, code_at
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.guessing.criteria import ENTROPY, TWO_PLY
from evilpegs_game.guessing.selection import best_guess, sampled_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.walks import duel, evaluate

RULES = [Rules(1, 1), Rules(1, 4), Rules(3, 3), Rules(2, 5), Rules(3, 4, repeats=False)]
SECRETS = range(0, 27, 13 if numba.config.DISABLE_JIT else 1)
"""Places of codes of 3x3."""


def position_of(rules, secret, *guesses):
    return Position(rules, tuple(Turn(guess, feedback(guess, secret)) for guess in guesses), LiveSets())


class StrategyContract(ABC):
    @property
    @abstractmethod
    def strategy(self) -> Strategy: ...

    @pytest.mark.parametrize("rules", RULES, ids=str)
    def test_solves_every_secret(self, rules):
        assert evaluate(seeded_choice(self.strategy), rules).count == rules.size

    @pytest.mark.parametrize("rules", RULES, ids=str)
    def test_beats_evil_codemaker(self, rules):
        turns = duel(seeded_choice(self.strategy), Evil(), rules)
        assert all(check_code(turn.guess, rules) is None for turn in turns)
        assert len(turns) <= rules.size

    def test_plays_only_candidate(self):
        position = position_of(Rules(3, 3), (2, 1, 0), (2, 1, 0))
        assert seeded_choice(self.strategy)(position) == (2, 1, 0)

    def test_choice_ignores_earlier_games(self):
        position = position_of(Rules(3, 3), (2, 1, 0), (0, 0, 1))
        alone = seeded_choice(self.strategy, seed=5)(position)
        busy = seeded_choice(self.strategy, seed=5)
        for index in SECRETS:
            duel(busy, Fixed(code_at(index, Rules(3, 3))), Rules(3, 3))
        assert busy(position) == alone

    def test_keeps_global_random_state(self):
        random.seed(1)
        before = random.getstate()
        duel(seeded_choice(self.strategy), Evil(), Rules(3, 3))
        assert random.getstate() == before

    def test_choices_are_plain_tuples_of_int(self):
        choice = self.strategy.choose(position_of(Rules(3, 3), (2, 1, 0), (0, 0, 1)), turn_rng(0, 1))
        assert type(choice) is tuple
        assert {type(color) for color in choice} == {int}

    def test_uses_rng_is_true_when_choices_vary(self):
        position = position_of(Rules(3, 3), (2, 1, 0))
        choices = {self.strategy.choose(position, turn_rng(seed, 1)) for seed in range(20)}
        assert len(choices) == 1 or self.strategy.uses_rng


class NamedContract(StrategyContract):
    """The contract of the strategies in the registry, which have a name and the option for candidates only."""

    name = ""

    @property
    def strategy(self) -> Strategy:
        return load_strategy(self.name)

    def test_name_matches_registry(self):
        assert self.strategy.name == self.name

    def test_has_a_docstring(self):
        assert len(type(self.strategy).__doc__.splitlines()) > 1

    def test_candidates_only_guesses_candidates(self):
        strategy = load_strategy(self.name, candidates_only=True)
        assert strategy.candidates_only
        for index in SECRETS:
            turns = duel(seeded_choice(strategy), Fixed(code_at(index, Rules(3, 3))), Rules(3, 3))
            position = position_of(Rules(3, 3), code_at(index, Rules(3, 3)), *(turn.guess for turn in turns[:-1]))
            history = position.history
            for number, turn in enumerate(turns):
                assert Position(Rules(3, 3), history[:number], LiveSets()).is_candidate(turn.guess)


class TestFirstConsistent(NamedContract):
    name = "first-consistent"


class TestRandomConsistent(NamedContract):
    name = "random-consistent"

    def test_draws_every_candidate(self):
        position = position_of(Rules(1, 4), (3,), (0,))
        assert {seeded_choice(self.strategy, seed)(position) for seed in range(40)} == {(1,), (2,), (3,)}


class TestSampled(NamedContract):
    name = "sampled"

    def test_draws_within_budget(self):
        class Counting(Position):
            drawn = 0

            def sample(self, rng, count=1):
                Counting.drawn = count
                return super().sample(rng, count)

        self.strategy.choose(Counting(Rules(3, 6), (), LiveSets(), budget=30), turn_rng(0, 1))
        assert Counting.drawn == 5

    def test_weighs_all_of_few_candidates(self):
        position = position_of(Rules(3, 6), (2, 1, 0), (0, 0, 1))
        choices = {self.strategy.choose(position, turn_rng(seed, 1)) for seed in range(5)}
        assert choices == {best_guess(position, ENTROPY)}

    def test_weighs_other_codes_within_budget(self):
        full = position_of(Rules(3, 6), (2, 1, 0), (0, 0, 1))
        position = Position(full.rules, full.history, LiveSets(), budget=full.count**2)
        choice = self.strategy.choose(position, turn_rng(0, 1))
        assert choice == best_guess(position, ENTROPY, candidates_only=True)
        assert choice != best_guess(full, ENTROPY)

    def test_draws_candidates_too_many_to_list(self):
        position = position_of(Rules(3, 6), (2, 1, 0), (0, 0, 1))
        listed = [position.candidate(place) for place in range(position.count)]

        class Unlisted(Position):
            count = len(listed)

            @property
            def candidates(self):
                raise TooLargeError

            def sample(self, rng, count=1):
                return [rng.choice(listed) for _ in range(count)]

        unlisted = Unlisted(position.rules, position.history, LiveSets())
        assert self.strategy.choose(unlisted, turn_rng(0, 1)) in listed


class TestMinimax(NamedContract):
    name = "minimax"


class TestLexicographic(NamedContract):
    name = "lexicographic"


class TestExpectedSize(NamedContract):
    name = "expected-size"


class TestEntropy(NamedContract):
    name = "entropy"


class TestMostParts(NamedContract):
    name = "most-parts"


class TestTwoPly(NamedContract):
    name = "two-ply"

    @pytest.fixture
    def _no_memory(self, monkeypatch):
        monkeypatch.setattr(heuristics, "DEFAULT_BYTES", 0)

    @pytest.mark.usefixtures("_no_memory")
    def test_weighs_few_candidates_if_codes_do_not_fit_in_memory(self):
        position = position_of(Rules(3, 6), (2, 1, 0), (0, 0, 1))
        expected = best_guess(position, TWO_PLY, candidates_only=True)
        assert expected != best_guess(position, TWO_PLY)
        assert {self.strategy.choose(position, turn_rng(seed, 1)) for seed in range(5)} == {expected}

    @pytest.mark.usefixtures("_no_memory")
    def test_draws_same_candidates_in_every_game_within_budget(self):
        position = Position(Rules(3, 6), (), LiveSets(), budget=9 * 216**2 - 1)
        choices = {self.strategy.choose(position, turn_rng(seed, 1)) for seed in range(5)}
        assert choices == {sampled_guess(position, Random(0))}


class TestOptimal(NamedContract):
    name = "optimal"


class TestFromAFile(StrategyContract):
    @pytest.fixture(autouse=True)
    def _file(self, tmp_path: Path):
        self.path = tmp_path / "last.py"
        self.path.write_text("def choose(position, rng):\n    return position.candidate(position.count - 1)\n")

    @property
    def strategy(self) -> Strategy:
        return load_strategy(str(self.path))


def test_registry_is_covered_by_contracts():
    assert {tested.name for tested in NamedContract.__subclasses__()} == set(STRATEGIES)
