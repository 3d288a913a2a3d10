"""The terminal client: a person plays a match in a terminal.

Begin with `app.run_terminal`. `match` plays one match; `match_dialog` asks for lines of text and `commands` interprets
the lines. `match_screen` prints the match; `parts` formats the parts of a guess, the candidates left by each possible
feedback; and `countdown` computes the time left. `daily_game` is the game of the day, without a server.
"""
