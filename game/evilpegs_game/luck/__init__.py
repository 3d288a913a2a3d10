"""The luck of games against a fixed secret, and scores from which it is taken out.

Begin with `game_luck`, which defines the luck of a turn and of a game. `value_curve` reads the frozen curves that it
depends on from the folder `curves`, and `calibration` makes a curve from the games of a good strategy.
"""
