"""`evilpegs duel`: a strategy plays one game against a codemaker, without a server.

`command.py` is the command with its table and JSON document; `codemaker.py` makes the codemaker that its options name.
"""
