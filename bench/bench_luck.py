"""Time the luck of games: a warm cache, as after the replies of a server, and an empty one.

Run: python bench/bench_luck.py
"""

import time
from statistics import median

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.evaluation.exact import play_turns
from evilpegs_game.history import Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import game_luck
from evilpegs_game.luck.value_curve import ValueCurve, load_value_curve
from evilpegs_game.rules import Rules

GAMES = {
    "4x6": (10, 100),
    "4x10-distinct": (12, 50),
    "5x8": (14, 20),
    "6x10": (20, 5),
    "8x10": (24, 5),
    "10x12": (24, 3),
}
"""The guess limit and the number of games of each rules."""


def play(rules: Rules, number: int) -> list[Turn]:
    """Return the turns of one game of `sampled`."""
    seed = game_seed(0, number)
    choose = seeded_choice(load_strategy("sampled"), seed)
    turns = play_turns(choose, Fixed(draw_secret(seed, rules)), Position(rules, (), LiveSets()))
    return [Turn(turn.guess, turn.feedback) for turn in turns]


def main() -> None:
    """Print one row per rules."""
    print(f"{'milliseconds per game':<22}{'games':>6}{'warm':>10}{'empty':>10}{'empty, most':>13}")
    for text, (limit, games) in GAMES.items():
        rules = Rules.parse(text)
        curve = load_value_curve(rules, limit) or ValueCurve(rules, limit, [(1, 10**6), (rules.size, limit * 10**6)])
        played = [play(rules, number) for number in range(games)]
        game_luck(rules, played[0], curve, LiveSets())  # loads the kernels
        warm, empty = [], []
        for turns in played:
            live_sets = LiveSets()
            for took in (empty, warm):
                start = time.perf_counter()
                game_luck(rules, turns, curve, live_sets)
                took.append((time.perf_counter() - start) * 1e3)
        print(f"{text:<22}{games:>6}{median(warm):>10.2f}{median(empty):>10.2f}{max(empty):>13.2f}", flush=True)


if __name__ == "__main__":
    main()
