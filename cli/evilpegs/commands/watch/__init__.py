"""`evilpegs watch`: matches of others as they are played, as boards that change in the terminal.

`command.py` is the command, `boards.py` keeps one board per match, and `screen.py` draws as many boards as fit. Without
a terminal, lines are printed as by `evilpegs feed`.
"""
