"""Measure the steps per second of the environment of gymnasium on 4x6 against evil, without regret.

Random guesses that were drawn before; games that end are followed by others. Each run takes turns with a plain loop of
a million interpreter steps, in whose processor time the steps are counted too.

    python -m bench.environment [--rounds 5] [--steps 20000]
"""

import argparse

import gymnasium

import evilpegs.gym  # noqa: F401 - registers the environments
from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import times_beside_loop

WANTED_PER_SECOND = 25_000
WANTED_PER_LOOP = 700
"""Two thirds of what was measured: 52,000 steps per second of processor time beside loops of 0.02 s."""
OPTIONS = (Option("rounds", 5, 1, "runs of each shaping"), Option("steps", 20_000, 500, "steps per run"))


def measure(options: argparse.Namespace) -> list[Figure]:
    """Print a row per shaping."""
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
    return figures


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
