"""`evilpegs watch`: matches of others as they are played, as boards that move in the terminal.

`command.py` is the command, `boards.py` keeps one board per match, and `screen.py` draws as many as there is room for.
Without a terminal the lines are those of `evilpegs feed`.
"""
