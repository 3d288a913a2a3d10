"""`evilpegs replay`: a match of a database or of a running server, turn by turn, with what each guess was worth.

Begin with `command.py`; `source.py` finds the match, and `table.py` prints the turns of a game. The package
`evilpegs_server.record` analyzes the match.
"""
