"""Measure the steps per second of the environments of gymnasium on 4x6 against evil, without regret.

Random guesses that were drawn before; games that end are followed by others. Each run takes turns with a plain loop of
a million interpreter steps, in whose processor time the steps are counted too. Vectors are gymnasium's of single
environments, and games side by side; steps that only begin a game, one in eleven, are not counted.

    python -m bench.environment [--rounds 5] [--steps 20000]
"""

import argparse

import gymnasium
import numpy as np

import evilpegs.gym  # noqa: F401 - registers the environments
from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import times_beside_loop

WANTED_PER_SECOND = 25_000
WANTED_PER_LOOP = 700
"""Two thirds of what was measured: 52,000 steps per second of processor time beside loops of 0.02 s."""
WANTED_PER_SECOND_SIDE_BY_SIDE = 300_000
ENVIRONMENTS = {"sync": (64, 1), "vector_entry_point": (1024, 40)}
"""By mode, how many environments, and the factor of the steps; few single ones, as each has tables of its own."""
OPTIONS = (Option("rounds", 5, 1, "runs of each shaping"), Option("steps", 20_000, 500, "steps per run"))


def measure(options: argparse.Namespace) -> list[Figure]:
    """Print a row per shaping, and one per kind of vector."""
    figures = []
    print(f"{'shaping':<10}{'steps per s':>14}{'per cpu s':>12}{'per loop':>12}")
    for shaping in (None, "value"):
        env = gymnasium.make("evilpegs/Evil-4x6-v0", shaping=shaping)
        env.action_space.seed(1)
        actions = [env.action_space.sample() for _ in range(options.steps)]
        env.reset(seed=1)

        def run(env=env, actions=actions) -> None:
            for action in actions:
                _, _, is_over, _, _ = env.step(action)
                if is_over:
                    env.reset()

        times = times_beside_loop(run, options.rounds)
        per_second, per_loop = options.steps / times.wall, options.steps / times.loops
        print(f"{shaping!s:<10}{per_second:>14,.0f}{options.steps / times.processor:>12,.0f}{per_loop:>12,.0f}")
        if shaping is None:
            figures = [
                Figure("steps on 4x6 evil", per_second, "per second", WANTED_PER_SECOND, "at least"),
                Figure("steps on 4x6 evil in a plain loop's time", per_loop, "", WANTED_PER_LOOP, "at least"),
            ]
    print(f"{'vector':<20}{'environments':>14}{'steps per s':>14}{'per cpu s':>12}")
    per_second = {mode: _vector_steps_per_second(mode, options) for mode in ENVIRONMENTS}
    name = "vector: steps per second, 4x6 evil, 1,024 environments"
    figures.append(
        Figure(name, per_second["vector_entry_point"], "per second", WANTED_PER_SECOND_SIDE_BY_SIDE, "at least")
    )
    return figures


def _vector_steps_per_second(mode: str, options: argparse.Namespace) -> float:
    environments, factor = ENVIRONMENTS[mode]
    env = gymnasium.make_vec("evilpegs/Evil-4x6-v0", environments, mode)
    vector_steps = max(factor * options.steps // environments, 1)
    actions = np.random.default_rng(1).integers(1296, size=(vector_steps, environments))
    counts = []

    def run() -> None:
        env.reset(seed=1)
        counts.append(sum(np.count_nonzero(env.step(each)[1]) for each in actions))

    times = times_beside_loop(run, options.rounds)
    print(f"{mode:<20}{environments:>14,}{counts[0] / times.wall:>14,.0f}{counts[0] / times.processor:>12,.0f}")
    return counts[0] / times.wall


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
