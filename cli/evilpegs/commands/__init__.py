"""The commands of `evilpegs`, one module or package each with its table and JSON document.

`main.py` lists them by import string, so only the command that runs is imported. In a package, read `command.py` first.
Commands that need no server never import the server's libraries (a contract in pyproject.toml).
"""
