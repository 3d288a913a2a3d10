"""The environments of gymnasium: their interface, rewards, masks and seeds; warnings are errors."""

import doctest
import pickle
import subprocess
import sys
from fractions import Fraction

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import evilpegs
import evilpegs.gym
from evilpegs_clients.daily import seeded_evil
from evilpegs_game.analysis.par import ParJudge
from evilpegs_game.codes import all_codes, format_code
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import usual_curve
from support.patience import PATIENCE

IDS = [
    f"evilpegs/{codemaker}-{name}-v0"
    for name in ("4x6", "5x8", "BullsAndCows", "mini")
    for codemaker in ("Evil", "Fixed")
]
LIMITS = {"4x6": 10, "5x8": 14, "BullsAndCows": 12, "mini": 8}
CLASSIC = evilpegs.Rules(4, 6)


def rollout(env, actions, **reset):
    """Return the first mask and all steps of an episode that ends with the actions or before."""
    _, info = env.reset(**reset)
    steps = []
    for action in actions:
        steps.append(env.step(action))
        if steps[-1][2]:
            break
    return info["action_mask"], steps


def rewards(steps):
    return [reward for _, reward, *_ in steps]


def index_of(code):
    return int("".join(map(str, code)), 6)


def candidates_mask(position):
    """The plain form of a mask: 1 for each code that agrees with every turn."""
    codes = map(tuple, all_codes(position.rules).T.tolist())
    return [int(position.is_candidate(code)) for code in codes]


def test_docstring_of_module_runs():
    assert doctest.testmod(evilpegs.gym) == (0, 7)


def test_importing_registers_environments():
    assert {name for name in gymnasium.registry if name.startswith("evilpegs/")} == set(IDS)


@pytest.mark.parametrize("name", IDS)
def test_environment_passes_check(name):
    env = gymnasium.make(name)
    check_env(env.unwrapped)
    assert env.spec.max_episode_steps is None
    assert env.unwrapped.limit == LIMITS[name.split("-")[1]]
    assert isinstance(env.action_space, gymnasium.spaces.MultiDiscrete if "5x8" in name else gymnasium.spaces.Discrete)


def test_module_in_id_registers_in_another_process():
    script = "import gymnasium; print(gymnasium.make('evilpegs.gym:evilpegs/Evil-mini-v0').action_space)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "Discrete(64)\n"


def test_missing_gymnasium_is_one_clear_line():
    script = "import sys; sys.modules['gymnasium'] = None; import evilpegs.gym"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert "[gym]" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["evilpegs/Evil-4x6-v0", "evilpegs/Fixed-4x6-v0"])
def test_mask_and_history_say_what_is_known(name):
    env = gymnasium.make(name)
    position = evilpegs.Position(CLASSIC)
    first, steps = rollout(env, [7, 500, 1000], seed=4)
    assert first.all()
    for (observation, _, _, truncated, info), action in zip(steps, [7, 500, 1000], strict=True):
        row = observation["history"][position.turn - 1].tolist()
        assert index_of(row[:4]) == action
        position = position.after(tuple(row[:4]), evilpegs.Feedback(*row[4:]))
        assert info["action_mask"].tolist() == observation["action_mask"].tolist() == candidates_mask(position)
        assert (observation["history"][position.turn - 1 :] == -1).all()
        assert truncated is False


def test_large_mask_has_colors_that_candidates_have():
    env = gymnasium.make("evilpegs/Evil-5x8-v0")
    _, steps = rollout(env, [np.array([0, 0, 1, 1, 2]), np.array([3, 3, 4, 4, 5])], seed=1)
    observation = steps[-1][0]
    position = evilpegs.Position(evilpegs.Rules(5, 8))
    for row in observation["history"][:2].tolist():
        position = position.after(tuple(row[:5]), evilpegs.Feedback(*row[5:]))
    candidates = position.candidates.tolist()
    assert observation["action_mask"].tolist() == [[int(color in row) for color in range(8)] for row in candidates]
    assert env.unwrapped.action_masks().tolist() == observation["action_mask"].ravel().astype(bool).tolist()
    assert env.action_space.sample(mask=tuple(observation["action_mask"])) in env.action_space


def test_evil_replies_as_its_seed_says():
    env = gymnasium.make("evilpegs/Evil-4x6-v0")
    _, steps = rollout(env, [7, 500, 1000], seed=9)
    drawn = int(np.random.Generator(np.random.PCG64(9)).integers(1 << 63))
    codemaker, position = seeded_evil(str(drawn)), evilpegs.Position(CLASSIC)
    for row in steps[-1][0]["history"][:3].tolist():
        guess = tuple(row[:4])
        assert codemaker.reply(position, guess) == tuple(row[4:])
        position = position.after(guess, evilpegs.Feedback(*row[4:]))


@pytest.mark.parametrize("name", ["evilpegs/Evil-4x6-v0", "evilpegs/Fixed-4x6-v0"])
def test_equal_seeds_give_equal_games(name):
    actions = [7, 300, 800, 1100, 45]
    games = []
    for seed in (1, 1, *range(2, 9)):
        env = gymnasium.make(name)
        _, steps = rollout(env, actions, seed=seed)
        games.append(steps[-1][0]["history"].tolist() + rollout(env, actions)[1][-1][0]["history"].tolist())
    assert games[0] == games[1]
    assert any(game != games[0] for game in games)


def test_failure_returns_minus_limit_and_one():
    env = gymnasium.make("evilpegs/Evil-4x6-v0")
    _, steps = rollout(env, [0] * 11)
    assert len(steps) == 10
    assert rewards(steps) == [-1.0] * 9 + [-2.0]
    *_, terminated, truncated, info = steps[-1]
    assert (terminated, truncated, info["score"]) == (True, False, 11)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_step_before_reset_is_refused():
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make("evilpegs/Evil-mini-v0").unwrapped.step(0)


@pytest.mark.parametrize(
    ("options", "illegal"),
    [
        ({"id": "evilpegs/Evil-4x6-v0"}, 1296),
        ({"id": "evilpegs/Evil-4x6-v0"}, -1),
        ({"id": "evilpegs/Evil-5x8-v0"}, [0, 0, 0, 0, 8]),
        ({"id": "evilpegs/Evil-5x8-v0"}, [0, 0]),
        ({"id": "evilpegs/Evil-5x8-v0", "rules": "5x10-distinct"}, [0, 1, 2, 3, 3]),
    ],
)
def test_illegal_action_costs_turn(options, illegal):
    env = gymnasium.make(**options)
    before, _ = env.reset(seed=1)
    observation, reward, terminated, truncated, _ = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, False, False)
    pegs = env.unwrapped.rules.pegs
    assert observation["history"][0].tolist() == [-1] * pegs + [0, 0]
    assert (observation["action_mask"] == before["action_mask"]).all()
    assert observation in env.observation_space
    _, steps = rollout(env, [illegal] * 99)
    assert (len(steps), sum(rewards(steps))) == (env.unwrapped.limit, -env.unwrapped.limit - 1)


def test_secret_of_reset_is_used():
    env = gymnasium.make("evilpegs/Fixed-4x6-v0")
    for secret in ("6645", (5, 5, 3, 4)):
        _, steps = rollout(env, [index_of((5, 5, 3, 4))], options={"secret": secret})
        assert steps[0][1:4] == (-1.0, True, False)
        assert steps[0][4]["score"] == 1


@pytest.mark.parametrize(("name", "secret"), [("Evil", "1122"), ("Fixed", "1127"), ("Fixed", 7)])
def test_wrong_secret_of_reset_is_refused(name, secret):
    with pytest.raises(evilpegs.EvilpegsError):
        gymnasium.make(f"evilpegs/{name}-4x6-v0").reset(options={"secret": secret})


def test_minimax_needs_5801_guesses_for_all_secrets():
    env = gymnasium.make("evilpegs/Fixed-4x6-v0")
    minimax, known = evilpegs.load_strategy("minimax"), {}

    def choose(position):
        if position.history not in known:
            known[position.history] = minimax.choose(position, None)
        return known[position.history]

    total = 0.0
    for secret in map(tuple, all_codes(CLASSIC).T.tolist()):
        env.reset(options={"secret": secret})
        position, over = evilpegs.Position(CLASSIC), False
        while not over:
            guess = choose(position)
            observation, reward, over, *_ = env.step(index_of(guess))
            row = observation["history"][position.turn - 1].tolist()
            position = evilpegs.Position(
                CLASSIC, (*position.history, evilpegs.Turn(guess, evilpegs.Feedback(*row[4:])))
            )
            total -= reward
    assert Fraction(int(total), 1296) == Fraction(5801, 1296)
    assert total == 5801


def test_luck_at_end_is_that_of_game():
    env = gymnasium.make("evilpegs/Fixed-4x6-v0")
    codes = ["1122", "3345", "3636", "3565", "6645"]
    actions = [index_of(evilpegs.parse_code(code, CLASSIC)) for code in codes]
    _, steps = rollout(env, actions, options={"secret": "6645"})
    assert steps[-1][4]["luck"] == pytest.approx(0.542, abs=0.001)  # docs/scoring.md
    assert "luck" not in rollout(gymnasium.make("evilpegs/Evil-4x6-v0"), [0] * 10)[1][-1][4]


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("Evil-4x6", [7, 500, 1000] + [0] * 7),
        ("Evil-4x6", [1296, 7, 5000] + [9] * 7),
        ("Fixed-4x6", [7, 500, index_of((5, 5, 3, 4))]),
        ("Fixed-4x6", [index_of((5, 5, 3, 4))]),
    ],
)
def test_shaping_by_value_telescopes(name, actions, gamma):
    """Discounted, the additions sum to minus the potential of the first state: no policy gains by them."""
    options = {"secret": "6645"} if "Fixed" in name else None
    plain = rollout(gymnasium.make(f"evilpegs/{name}-v0"), actions, seed=1, options=options)[1]
    shaped_env = gymnasium.make(f"evilpegs/{name}-v0", shaping="value", gamma=gamma)
    shaped = rollout(shaped_env, actions, seed=1, options=options)[1]
    assert shaped[-1][2] is True
    added = [after - before for after, before in zip(rewards(shaped), rewards(plain), strict=True)]
    value = usual_curve(CLASSIC).value(1296)
    assert sum(gamma**turn * each for turn, each in enumerate(added)) == pytest.approx(value)
    assert any(each != pytest.approx(0) for each in added)


def test_value_of_position_is_potential():
    env = gymnasium.make("evilpegs/Evil-4x6-v0", shaping="value")
    _, [(*_, info)] = mask, steps = rollout(env, [7], seed=1)
    curve = usual_curve(CLASSIC)
    left = int(info["action_mask"].sum())
    assert steps[0][1] == pytest.approx(-1 - curve.value(left) + curve.value(int(mask.sum())))


def test_shaping_by_regret_sums_to_guesses_lost():
    env = gymnasium.make("evilpegs/Fixed-mini-v0", shaping="regret")
    strategy, lost = evilpegs.load_strategy("first-consistent"), 0.0
    for secret in map(tuple, all_codes(env.unwrapped.rules).T.tolist()):
        game, over = evilpegs.Game("3x4", "fixed", secret=secret, limit=8), False
        env.reset(options={"secret": secret})
        while not over:
            guess = strategy.choose(game.position, None)
            game.guess(guess)
            _, reward, over, *_ = env.step(guess[0] * 16 + guess[1] * 4 + guess[2])
            lost -= reward
    wanted = evilpegs.evaluate("first-consistent", "3x4").total - evilpegs.solve("3x4").total
    assert lost == pytest.approx(wanted)


def test_shaping_by_regret_against_evil_counts_guesses_lost_for_sure():
    """With the ties of its seed, each game needs the fewest sure guesses and what its rewards say was lost."""
    env = gymnasium.make("evilpegs/Evil-4x6-v0", shaping="regret")
    losses = []
    for seed in range(12):
        env.reset(seed=seed)
        env, copied = pickle.loads(pickle.dumps(env)), env
        rewards, over = [], False
        drawn = int(np.random.Generator(np.random.PCG64(seed)).integers(1 << 63))
        least = ParJudge(CLASSIC, seeded_evil(str(drawn)).tie_break).par(Position(CLASSIC)).exact
        while not over:
            action = int(env.unwrapped.action_masks().argmax())  # the first code left
            outcome = env.step(action)
            assert copied.step(action)[1:3] == outcome[1:3]
            rewards.append(outcome[1])
            over = outcome[2]
        losses.append(sum(rewards))
        assert -losses[-1] == outcome[-1]["score"] - least
    assert min(losses) < -2


def test_regret_of_wasted_turn_is_one():
    env = gymnasium.make("evilpegs/Fixed-mini-v0", shaping="regret")
    _, steps = rollout(env, [0, 0, 64, 0, 0, 0, 0, 0], options={"secret": "432"})
    assert rewards(steps)[1:] == [-1.0] * 6 + [-2.0]


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("Evil-4x6", {"shaping": "regret", "codemaker": "devil"}, "devil"),
        ("Evil-5x8", {"shaping": "regret"}, "35 ms"),
        ("Fixed-5x8", {"shaping": "regret"}, "4x6"),
        ("Fixed-mini", {"shaping": "value"}, "3x4"),
        ("Fixed-mini", {"shaping": "values"}, "'values'"),
        ("Fixed-mini", {"rules": "4z6"}, "'4z6'"),
        ("Fixed-mini", {"rules": "8x10"}, "bytes"),
        ("Fixed-mini", {"codemaker": "good"}, "'good'"),
        ("Fixed-mini", {"limit": 0}, "0"),
        ("Evil-4x6", {"gamma": 1.5}, "1.5"),
        ("Evil-4x6", {"gamma": "all"}, "'all'"),
    ],
)
def test_wrong_argument_of_environment_is_refused(name, options, named):
    with pytest.raises(evilpegs.EvilpegsError, match=named) as caught:
        gymnasium.make(f"evilpegs/{name}-v0", **options)
    assert "\n" not in str(caught.value)


def test_rendering_shows_turns():
    env = gymnasium.make("evilpegs/Fixed-4x6-v0", render_mode="ansi")
    rollout(env, [7, 1296], options={"secret": "6645"})
    assert env.render().splitlines()[1:] == ["1122:0,0"]
    assert "2 of 10" in env.render()
    assert format_code((0, 0, 1, 1)) in env.render()


def test_vector_of_environments_plays_like_one():
    vector = gymnasium.make_vec("evilpegs/Evil-4x6-v0", num_envs=3, vectorization_mode="sync")
    observations, infos = vector.reset(seed=[5, 6, 7])
    assert observations in vector.observation_space
    assert infos["action_mask"].shape == (3, 1296)
    actions = [7, 500, 1000, 1, 2, 3, 4, 5, 6, 0]
    for action in actions[:3]:
        observations, reward, terminated, truncated, infos = vector.step(np.full(3, action))
        assert reward.tolist() == [-1.0] * 3
    for number, seed in enumerate((5, 6, 7)):
        alone = rollout(gymnasium.make("evilpegs/Evil-4x6-v0"), actions[:3], seed=seed)[1][-1][0]
        assert (observations["history"][number] == alone["history"]).all()
        assert (infos["action_mask"][number] == alone["action_mask"]).all()
    for action in actions[3:]:
        _, _, terminated, truncated, _ = vector.step(np.full(3, action))
    assert terminated.all()
    assert not truncated.any()
    vector.close()
