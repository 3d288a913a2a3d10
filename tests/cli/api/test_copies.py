"""Copies and pickles of what the API returns: they play on identically, and playing on one changes no other."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evilpegs
import evilpegs.gym
from evilpegs import Feedback, Game
from evilpegs_game.analysis.guesses import CRITERIA
from evilpegs_game.codes import code_at
from evilpegs_game.live.live_sets import LiveSets


def pickled(value):
    return pickle.loads(pickle.dumps(value))


COPIES = [copy.copy, copy.deepcopy, pickled]
each_copy = pytest.mark.parametrize("twin_of", COPIES, ids=["copy", "deepcopy", "pickle"])
each_deep_copy = pytest.mark.parametrize("twin_of", COPIES[1:], ids=["deepcopy", "pickle"])
each_protocol = pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
TURNS = ["1122:1,0", "1344:0,2", "3425:1,2"]


def state(game):
    return game.position, game.over, game.score, game.luck, game.regret


def play_on(game, codes):
    return [game.guess(code) for code in codes if not game.over]


@each_copy
@pytest.mark.parametrize("codemaker", ["evil", "fixed", "devil"])
@given(
    seed=st.integers(0, 9),
    guesses=st.lists(st.integers(0, 63).map(lambda number: code_at(number, evilpegs.Rules(3, 4))), max_size=6),
    played=st.integers(0, 6),
)
def test_copied_game_plays_on_identically_and_alone(twin_of, codemaker, seed, guesses, played):
    game = Game("3x4", codemaker, seed=seed, limit=6)
    play_on(game, guesses[:played])
    twin, before = twin_of(game), state(game)
    assert state(twin) == before
    replies = play_on(twin, guesses[played:])
    assert state(game) == before
    assert play_on(game, guesses[played:]) == replies
    assert state(game) == state(twin)


@each_protocol
@pytest.mark.parametrize("codemaker", ["evil", "fixed", "devil"])
def test_game_is_pickled_with_every_protocol(codemaker, protocol):
    game = Game("3x4", codemaker, seed=1)
    game.guess("112")
    twin = pickle.loads(pickle.dumps(game, protocol))
    assert state(twin) == state(game)
    assert play_on(twin, ["344", "123"]) == play_on(game, ["344", "123"])


@each_protocol
def test_results_are_pickled_with_every_protocol(protocol):
    solution, tree = evilpegs.solve("2x3"), evilpegs.tree("minimax", "3x3")
    advice, result = evilpegs.advise("3x3", ["112:1,0"]), evilpegs.evaluate("minimax", "3x3")
    several = evilpegs.evaluate(["minimax", "entropy"], "3x3")
    assert type(pickle.loads(pickle.dumps(several, protocol))) is type(several)
    for value in (solution, tree, advice, result, several, evilpegs.certify(tree), evilpegs.Rules(3, 3)):
        assert repr(pickle.loads(pickle.dumps(value, protocol))) == repr(value)


class Counting:
    """A codemaker that counts the guesses."""

    asked = 0

    def reply(self, position, guess):
        self.asked += 1
        return Feedback(0, self.asked % 2)


@each_deep_copy
def test_codemaker_of_the_caller_is_copied_with_its_game(twin_of):
    game = Game("4x6", Counting())
    game.guess("1122")
    twin = twin_of(game)
    assert [game.guess("1122"), game.guess("1122"), twin.guess("1122")] == [(0, 0), (0, 1), (0, 0)]


def test_games_share_their_cache_with_copies_but_not_with_pickles():
    game = Game("4x6", live_sets=LiveSets(1 << 20))
    game.guess("1122")
    assert copy.deepcopy(game).live_sets is game.live_sets
    assert game.live_sets.bytes_used > 0
    loaded = pickled(game)
    assert loaded.live_sets.bytes_used == 0
    assert loaded.position.candidates.shape == game.position.candidates.shape
    assert loaded.live_sets.bytes_used > 0  # the position of the game fills the cache of the game
    with pytest.raises(evilpegs.TooLargeError):
        loaded.live_sets.all_codes(evilpegs.Rules(8, 10))


ENVIRONMENTS = [{"shaping": None}, {"shaping": "value"}, {"shaping": "regret", "codemaker": "fixed"}]
ENVIRONMENTS += [{"rules": "5x8"}, {"rules": "3x4", "codemaker": "devil"}]


@each_deep_copy
@pytest.mark.parametrize("arguments", ENVIRONMENTS, ids=str)
def test_copied_environment_plays_on_identically_and_alone(twin_of, arguments):
    env = evilpegs.gym.GuessingEnv(**arguments)
    env.reset(seed=1)
    env.action_space.seed(2)
    actions = [env.action_space.sample() for _ in range(4)]
    env.step(actions[0])
    twin = twin_of(env)

    def outcomes(played):
        steps = [played.step(action) for action in actions[1:]]
        return [*steps, played.reset()], played.render()  # the seed of the next game follows from the first

    first = outcomes(twin)
    np.testing.assert_equal(outcomes(env), first)


@each_deep_copy
def test_environments_of_gymnasium_are_copied(twin_of):
    env = gymnasium.make("evilpegs/Evil-mini-v0")
    env.reset(seed=1)
    twin = twin_of(env)
    np.testing.assert_equal(env.step(5), twin.step(5))


@each_copy
def test_analyses_and_advice_are_copied(twin_of):
    analysis = evilpegs.analyze("4x6", TURNS)
    twin = twin_of(analysis)
    assert (twin, twin.to_json()) == (analysis, analysis.to_json())
    best, copied = analysis.turns[0].best_guesses, twin.turns[0].best_guesses
    assert [copied.figures_of(each) for each in CRITERIA] == [best.figures_of(each) for each in CRITERIA]
    for turns in (TURNS, ["1111:1,0", "1111:2,0"]):
        advice = evilpegs.advise("4x6", turns)
        assert (twin_of(advice), twin_of(advice).to_json()) == (advice, advice.to_json())


@each_copy
@pytest.mark.parametrize("name", evilpegs.strategies)
def test_strategies_are_copied_after_use(twin_of, name):
    strategy = evilpegs.load_strategy(name)
    played = evilpegs.duel(strategy, rules="3x4")
    assert evilpegs.duel(twin_of(strategy), rules="3x4") == played == twin_of(played)


class Unhurried:
    """A codemaker during whose reply other threads can run."""

    def reply(self, position, guess):
        sum(range(2_000), start=0)
        return Feedback(0, 0)


def test_game_of_several_threads_keeps_its_limit():
    threads, limit, default = 4, 5, sys.getswitchinterval()

    def guess_until_over(game, barrier):
        barrier.wait()
        guesses = 0
        try:
            while True:
                game.guess("1122")
                guesses += 1
        except evilpegs.EvilpegsError:
            return guesses

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(threads) as pool:
            for _ in range(100):
                game, barrier = Game("4x6", Unhurried(), limit=limit), Barrier(threads)
                told = [pool.submit(guess_until_over, game, barrier) for _ in range(threads)]
                assert sum(each.result() for each in told) == limit == len(game.position.history)
    finally:
        sys.setswitchinterval(default)
