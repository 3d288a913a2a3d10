"""Random games of a strategy in one call."""

from evilpegs_game.evaluation.simulation import Simulation, game_lengths, length_counts


def simulate(choose, rules, games, game_rngs):
    return Simulation(rules, length_counts(game_lengths(choose, rules, games, game_rngs)))
