"""`evilpegs replay`: a match from the log of a server, turn by turn, with what each guess was worth.

Begin with `command.py`. `match_replay.py` rebuilds the match and analyzes its turns, `table.py` prints the turns of a
game, and `document.py` makes the JSON document.
"""
