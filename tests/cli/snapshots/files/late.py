def choose(position, rng):
    return position.first_candidate if position.turn == 1 else 1 / 0
