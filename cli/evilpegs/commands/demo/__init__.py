"""`evilpegs demo`: bots play on a real server, and the log is shown, all in under a minute.

`command.py` is the command and what it shows; `server.py` runs `evilpegs serve` in a child process.
"""
