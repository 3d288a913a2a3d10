"""`evilpegs compare`: a sequential test of two strategies on the secrets of a ladder.

Begin with `command.py`; `result.py` holds the result, its text and its JSON.
`evilpegs_clients.contest` plays the games and tests their differences.
"""
