"""The terminal client: a person plays a match in a terminal.

Begin with `app.run_terminal`. `match` plays one match, `input` reads and interprets what the person types, `screen`
prints the match, and `pegs` formats codes, feedback and parts. `daily_game` is the game of the day, without a server.
"""
