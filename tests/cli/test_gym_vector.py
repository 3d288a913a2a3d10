"""The vector of environments that is batched in kernels: it plays as gymnasium's vector of single ones does."""

import copy
import doctest
import pickle
import tracemalloc

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

import evilpegs
import evilpegs.gym
import evilpegs.gym_vector
from evilpegs.gym_vector import GuessingVectorEnv

IDS = [f"evilpegs/{codemaker}-{name}-v0" for name in ("4x6", "BullsAndCows", "mini") for codemaker in ("Evil", "Fixed")]
MODES = list(AutoresetMode)


def both(num_envs, mode=AutoresetMode.NEXT_STEP, name="evilpegs/Evil-4x6-v0", **options):
    """Return two vectors of the same environments: of single ones, and batched."""
    single = gymnasium.make_vec(name, num_envs, "sync", {"autoreset_mode": mode}, **options)
    return single, gymnasium.make_vec(name, num_envs, autoreset_mode=mode, **options)


def assert_same(wanted, got, inexact=("luck",)):
    """Compare results of any depth, with the types of arrays."""
    assert type(wanted) is type(got)
    if isinstance(wanted, dict):
        assert wanted.keys() == got.keys()
        for key, value in wanted.items():
            if key in inexact:
                assert got[key] == pytest.approx(value, abs=1e-12)
            else:
                assert_same(value, got[key])
    elif isinstance(wanted, tuple):
        assert len(wanted) == len(got)
        for pair in zip(wanted, got, strict=True):
            assert_same(*pair)
    elif isinstance(wanted, np.ndarray) and wanted.dtype == object:
        assert_same(tuple(wanted), tuple(got))
    elif isinstance(wanted, np.ndarray):
        assert wanted.dtype == got.dtype
        np.testing.assert_array_equal(wanted, got)
    else:
        assert wanted == got


def choose(rng, masks):
    """Return actions of which many are candidates, so that games are solved, and some are no code."""
    size = masks.shape[1]
    candidates = (masks * rng.random(masks.shape)).argmax(axis=1)
    others = rng.integers(-2, size + 2, masks.shape[0])
    return np.where(rng.random(masks.shape[0]) < 0.6, candidates, others)


def play(single, batched, seed, steps, mode=AutoresetMode.NEXT_STEP):
    """Play random actions in both, compare all that they return, and return the number of games that ended."""
    rng, ended = np.random.default_rng(seed), 0
    results = single.reset(seed=seed), batched.reset(seed=seed)
    assert_same(*results)
    masks = results[1][0]["action_mask"]
    for _ in range(steps):
        actions = choose(rng, masks)
        results = single.step(actions), batched.step(actions)
        assert_same(*results)
        assert results[1][0] in batched.observation_space
        masks, over = results[1][0]["action_mask"], results[1][2]
        ended += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            results = [env.reset(options={"reset_mask": over.copy()}) for env in (single, batched)]
            assert_same(results[0][0], results[1][0])
            masks = results[1][0]["action_mask"]
    return ended


def test_docstring_of_vector_module_runs():
    assert doctest.testmod(evilpegs.gym_vector) == (0, 6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", IDS)
def test_batched_vector_plays_as_single_environments(name, mode):
    single, batched = both(5, mode, name)
    assert isinstance(single, SyncVectorEnv)
    assert isinstance(batched, GuessingVectorEnv)
    assert batched.metadata == single.metadata
    for space in ("single_action_space", "action_space", "single_observation_space", "observation_space"):
        assert getattr(single, space) == getattr(batched, space)
    assert play(single, batched, 3, 60, mode) > 20


@pytest.mark.parametrize("gamma", [1, 0.97])
@pytest.mark.parametrize("name", ["Evil-4x6", "Fixed-4x6", "Evil-BullsAndCows"])
def test_rewards_shaped_by_value_are_equal_to_the_last_bit(name, gamma):
    play(*both(4, name=f"evilpegs/{name}-v0", shaping="value", gamma=gamma), 5, 40)


@given(
    rules=st.sampled_from(["1x1", "1x4", "2x2", "2x5", "3x3-distinct", "4x4", "4x5-distinct", "6x2", "5x3"]),
    codemaker=st.sampled_from(["evil", "fixed"]),
    mode=st.sampled_from(MODES),
    limit=st.integers(1, 12),
    num_envs=st.integers(1, 6),
    seed=st.integers(0, 2**70),
)
@settings(max_examples=40, deadline=None)
def test_any_rules_and_limit_play_as_single_environments(rules, codemaker, mode, limit, num_envs, seed):
    play(*both(num_envs, mode, rules=rules, codemaker=codemaker, limit=limit), seed, 15, mode)


def test_seeds_last_for_hundreds_of_games():
    single, batched = both(2, rules="3x3", limit=3)
    assert play(single, batched, 8, 700) > 2 * 150


def test_seeds_may_be_numbers_or_left_out():
    single, batched = both(3)
    for seed in ([5, 6, 7], [5, None, 9], None, 11, np.int64(4)):  # what is left out goes on
        assert_same(single.reset(seed=int(seed) if isinstance(seed, np.integer) else seed), batched.reset(seed=seed))
        for action in (7, 500, 1000):
            assert_same(single.step(np.full(3, action)), batched.step(np.full(3, action)))


def test_without_seed_games_differ():
    vectors = [gymnasium.make_vec("evilpegs/Fixed-4x6-v0", 40) for _ in range(2)]
    for vector in vectors:
        vector.reset()
    first, second = (vector.step(np.full(40, 8))[0]["history"].tolist() for vector in vectors)
    assert first != second


def test_secret_is_that_of_the_games_that_begin():
    single, batched = both(3, name="evilpegs/Fixed-4x6-v0")
    options = {"secret": "6645"}
    assert_same(*(env.reset(seed=1, options=dict(options)) for env in (single, batched)))
    for action in (7, 5 * 216 + 5 * 36 + 3 * 6 + 4, 0, 1, 2):  # solved by the second; the next game draws its own
        results = [env.step(np.full(3, action)) for env in (single, batched)]
        assert_same(*results)
    assert options == {"secret": "6645"}


def test_results_stay_as_they_were():
    batched = gymnasium.make_vec("evilpegs/Evil-mini-v0", 4, render_mode="ansi")
    observation, infos = batched.reset(seed=1)
    assert observation["action_mask"] is infos["action_mask"]
    batched.step([1, 2, 3, 4])
    assert observation["action_mask"].all()
    observation["action_mask"][:] = 0
    assert batched.step([5, 6, 7, 8])[0]["action_mask"].any()


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_plays_on_identically_and_alone(twin_of):
    batched = gymnasium.make_vec("evilpegs/Evil-mini-v0", 3)
    batched.reset(seed=2)
    batched.step([1, 2, 3])
    twin = twin_of(batched)
    actions = np.random.default_rng(1).integers(64, size=(40, 3))
    wanted = [batched.step(each) for each in actions]
    for each, result in zip(actions, wanted, strict=True):
        assert_same(result, twin.step(each))


def test_rendering_shows_every_game():
    single, batched = both(3, render_mode="ansi")
    for env in (single, batched):
        env.reset(seed=1)
        env.step(np.array([7, 1296, 500]))
        env.step(np.array([8, 9, 10]))
    assert batched.render() == single.render()
    assert len(batched.render()[1].splitlines()) == 2
    assert gymnasium.make_vec("evilpegs/Evil-mini-v0", 2).render() is None


@pytest.mark.parametrize("name", ["evilpegs/Evil-5x8-v0", "evilpegs/Fixed-5x8-v0"])
def test_rules_with_colors_as_actions_have_single_environments(name):
    assert isinstance(gymnasium.make_vec(name, 2), SyncVectorEnv)


def test_step_of_vector_before_reset_is_refused():
    batched = gymnasium.make_vec("evilpegs/Evil-mini-v0", 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        batched.step([0, 0])
    batched.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(gymnasium.error.ResetNeeded):
        batched.step([0, 0])


def test_game_that_is_over_needs_reset_if_autoreset_is_disabled():
    batched = gymnasium.make_vec("evilpegs/Evil-mini-v0", 2, limit=1, autoreset_mode="Disabled")
    batched.reset(seed=1)
    assert batched.step([0, 64])[2].all()
    with pytest.raises(gymnasium.error.ResetNeeded):
        batched.step([0, 0])
    batched.reset()
    assert batched.step([0, 0])[1].tolist() == [-2.0, -2.0]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"codemaker": "devil"}, "devil"),
        ({"shaping": "regret"}, "'sync'"),
        ({"rules": "5x8"}, "5,040"),
        ({"num_envs": 200_000}, r"4x6 take [\d,]+ bytes"),
        ({"num_envs": 0}, "num_envs"),
        ({"autoreset_mode": "Never"}, "'NextStep', 'SameStep', 'Disabled'"),
        ({"shaping": "values"}, "'values'"),
        ({"limit": 0}, "0"),
    ],
)
def test_wrong_argument_is_refused(options, named):
    with pytest.raises(evilpegs.EvilpegsError, match=named) as caught:
        gymnasium.make_vec("evilpegs/Evil-4x6-v0", **{"num_envs": 2} | options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "reset",
    [
        {"seed": [1]},
        {"options": {"secret": "1122"}},
        {"options": {"reset_mask": [True, False]}},
        {"options": {"reset_mask": np.ones(3, np.bool_)}},
    ],
)
def test_wrong_argument_of_reset_is_refused(reset):
    batched = gymnasium.make_vec("evilpegs/Evil-4x6-v0", 2)
    with pytest.raises(evilpegs.EvilpegsError):
        batched.reset(**reset)


@pytest.mark.parametrize("actions", [[1], 1, [[1, 2]], [1.0, 2.0], [True, False], ["1122", "1122"], [1, 2**80]])
def test_actions_that_are_no_numbers_are_refused_and_change_nothing(actions):
    batched = gymnasium.make_vec("evilpegs/Evil-4x6-v0", 2)
    batched.reset(seed=1)
    with pytest.raises(evilpegs.EvilpegsError):
        batched.step(actions)
    history = batched.step(np.array([7, 2**64 - 1], np.uint64))[0]["history"]
    assert history[:, 0].tolist()[1] == [-1, -1, -1, -1, 0, 0]
    assert (history[:, 1:] == -1).all()


@pytest.mark.parametrize(("rules", "games"), [("4x6", 1024), ("3x4", 2000), ("4x8-distinct", 100)])
def test_stated_memory_is_enough_and_not_twice_too_much(rules, games):
    gymnasium.make_vec("evilpegs/Evil-mini-v0", 2).reset()  # what is imported and compiled once
    tracemalloc.start()
    try:
        batched = gymnasium.make_vec("evilpegs/Evil-4x6-v0", games, rules=rules)
        batched.reset(seed=1)
        batched.step(np.zeros(games, np.int64))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < GuessingVectorEnv.bytes_needed(rules, games, 10) < 2 * peak
