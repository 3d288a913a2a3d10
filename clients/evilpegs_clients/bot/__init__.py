"""A bot: a strategy plays matches on a server, and every game is verified when it ends.

Begin with `bot.play_matches`, whose results are defined in `summary`. `trial` lets the strategy choose guesses before
anything is played, and `open_matches` finds matches to finish. `match_player` plays one match, and `move_chooser`
chooses a guess within the time on the clock. `record_check` checks the record of a match that is over. `background`
runs long computations in threads beside the event loop.
"""
