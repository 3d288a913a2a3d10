"""The luck of games against a fixed secret, and scores from which the luck is subtracted.

Begin with `game_luck`, which defines the luck of a turn and of a game. It depends on frozen curves, which `value_curve`
reads from the folder `curves`. `calibration` makes a curve from the games of a good strategy.
"""
