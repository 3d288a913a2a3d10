"""`evilpegs leaderboard`: who is better and by how much, from a database or from a running server.

Begin with `command.py`. `from_database.py` and `from_server.py` return the same values, which `table.py` shows to
people and `csv_text.py` writes for programs; `refresh.py` keeps a table on the screen up to date.
"""
