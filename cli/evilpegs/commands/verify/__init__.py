"""`evilpegs verify`: the record of a match is checked without the server that played the match.

Begin with `command.py`, which also prints the result. `verification.py` verifies the record, and `not_proved.py` lists
the claims that no record can prove.
"""
