"""A bot: a strategy plays matches on a server, and every game is verified when it ends.

Begin with `bot.play_matches`, which returns the results in `summary`. `trial` tries the strategy first, `match_player`
plays one match, `move_chooser` chooses a guess within the time on the clock, and `background` runs long computations
beside the event loop.
"""
