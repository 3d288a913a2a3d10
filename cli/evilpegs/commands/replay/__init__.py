"""`evilpegs replay`: a match from the log of a server, turn by turn, with what each guess was worth.

Begin with `command.py`; `table.py` prints the turns of a game. The match is read and analyzed below the command line,
in `evilpegs_server.record`.
"""
