"""The commands of `evilpegs`, one module or package each with its table and JSON document.

`main.py` lists them by import string, so only the command that runs is imported. A package begins with `command.py`.
Commands that need no server never import one (a contract in pyproject.toml).
"""
