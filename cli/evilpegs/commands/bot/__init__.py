"""`evilpegs bot`: a strategy plays matches on a server.

`command.py` is the command with its summary and JSON document; `run.py` names the bot, plays and reports events.
`new_file.py` writes `template.py` as a strategy to begin with.
"""
